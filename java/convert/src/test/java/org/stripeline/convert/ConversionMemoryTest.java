// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.DirectoryListing;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.AdoptionTraffic;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.OpenFile;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.select.AttributeJudge;
import org.stripeline.convert.select.FileFinder;
import org.stripeline.convert.select.FileJudge;
import org.stripeline.convert.settings.JobSettings;

/**
 * Tests that a driver's memory does not grow with the number of files: it walks, judges, counts and
 * recovers a tree of a million files, which a mock NameNode lists.
 */
@Tag("full")
@Tag("own-jvm")
class ConversionMemoryTest {
  private static final int FILES = 1_000_000;
  private static final int FILES_WARM = 50_000;
  private static final int PAGE = 1000;
  private static final long BLOCK = 128L << 20;

  /** Less than 5 bytes per file; a path alone takes about 70. */
  private static final long BYTES_GROWN_MAX = 4L << 20;

  private static final DatanodeInfo NODE =
      new DatanodeInfoBuilder()
          .setNodeID(new DatanodeID("127.0.0.1", "host", "uuid", 1, 2, 3, 4))
          .build();

  private long warm;

  @Test
  void memoryDoesNotGrowWithTheNumberOfFiles() throws Exception {
    ClientProtocol namenode =
        (ClientProtocol)
            Proxy.newProxyInstance(
                ClientProtocol.class.getClassLoader(),
                new Class<?>[] {ClientProtocol.class, Closeable.class},
                (proxy, method, arguments) -> answer(method.getName(), arguments));
    JobSettings settings = ConvertCluster.contiguous("/tree", "RS-6-3");
    JobReport report = new JobReport("job", new AdoptionTraffic());
    OpenFile.Collector journal = new OpenFile.Collector();
    Totals totals = new Totals();
    long files = 0;
    long grown;
    try (DFSClient client = new DFSClient(null, namenode, new Configuration(), null)) {
      AttributeJudge attributes =
          new AttributeJudge(
              () -> {
                throw new AssertionError("no file has attributes");
              });
      FileJudge judge =
          new FileJudge(
              settings,
              client,
              attributes,
              Collections.emptyMap(),
              null,
              System.currentTimeMillis());
      FileFinder finder = new FileFinder(client, settings.path, JobDirectory.ROOT_DEFAULT);
      while (finder.hasNext()) {
        Candidate file = finder.next();
        totals.add(file, judge.judge(file));
        journal.accept(JournalRecord.begin(file, "/tmp/" + files, 1, "client"));
        FileOutcome outcome = FileOutcome.failed("no reason at all, for file " + files);
        journal.accept(JournalRecord.end(file.path(), file.status().getFileId(), outcome));
        report.add(file.path(), outcome);
        if (++files == FILES_WARM) {
          warm = heapBytes();
        }
      }
      grown = heapBytes() - warm;
    }
    assertThat(files).isEqualTo(FILES);
    assertThat(totals.files + totals.skipped.get(SkipReason.TOO_SMALL).files).isEqualTo(FILES);
    assertThat(report.failed()).isEqualTo(FILES);
    assertThat(journal.files()).isEmpty();
    assertThat(grown).isLessThan(BYTES_GROWN_MAX);
  }

  private static long heapBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static Object answer(String method, Object[] arguments) throws IOException {
    switch (method) {
      case "getFileInfo":
        return directory("tree");
      case "getListing":
        return list(new String((byte[]) arguments[1]));
      case "getXAttrs":
        return Collections.emptyList();
      case "getSnapshottableDirListing":
      case "close":
        return null;
      default:
        throw new IOException("unexpected call of " + method);
    }
  }

  private static DirectoryListing list(String after) {
    int first = after.isEmpty() ? 0 : Integer.parseInt(after.substring(1)) + 1;
    HdfsFileStatus[] page = new HdfsFileStatus[PAGE];
    for (int i = 0; i < PAGE; i++) {
      page[i] = file(first + i);
    }
    return new DirectoryListing(page, FILES - first - PAGE);
  }

  private static HdfsFileStatus.Builder status(String name) {
    return new HdfsFileStatus.Builder()
        .path(name.getBytes())
        .perm(FsPermission.getFileDefault())
        .owner("owner")
        .group("group");
  }

  private static HdfsFileStatus directory(String name) {
    return status(name).isdir(true).build();
  }

  /** Returns a file with one to eight blocks. */
  private static HdfsFileStatus file(int number) {
    int count = 1 + number % 8;
    List<LocatedBlock> blocks = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ExtendedBlock id = new ExtendedBlock("pool", 8L * number + i, BLOCK, 1);
      DatanodeInfoWithStorage[] nodes = {
        new DatanodeInfoWithStorage(NODE, "storage", org.apache.hadoop.fs.StorageType.DISK)
      };
      blocks.add(new LocatedBlock(id, nodes, null, null, i * BLOCK, false, null));
    }
    LocatedBlock last = blocks.get(count - 1);
    return status("f" + number)
        .length(count * BLOCK)
        .replication(3)
        .blocksize(BLOCK)
        .fileId(number + 1)
        .locations(
            new LocatedBlocks(
                count * BLOCK, false, Collections.unmodifiableList(blocks), last, true, null, null))
        .build();
  }
}
