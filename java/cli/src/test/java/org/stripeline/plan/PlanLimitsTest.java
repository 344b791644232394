// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.WatchedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.select.Policies;
import org.stripeline.placement.CodeName;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Sheet;

/** What {@code convert} would refuse, and what an audit cannot check, on five DataNodes. */
@Timeout(240)
class PlanLimitsTest {
  private static final String POLICY = "RS-3-2-1024k";

  @TempDir java.nio.file.Path directory;
  private final Progress progress = Progress.onStandardError(new PrintWriter(new StringWriter()));
  private ConvertCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = new ConvertCluster(directory, 5, 5, conf -> {});
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private static PlanSettings settings(String code) {
    PlanSettings settings = new PlanSettings();
    settings.path = "/tree";
    settings.code = CodeName.parse(code, 1 << 20);
    return settings;
  }

  private PlanReport plan(String code) throws IOException {
    return (PlanReport) Plan.ofNameNode(settings(code), cluster.fs(), progress).forJson();
  }

  @Test
  void aSpaceQuotaForWhichConvertRefusesIsWarnedOf() throws IOException {
    cluster.write("/tree/file", 6 * ConvertCluster.BLOCK);
    Path jobs = new Path("/.stripeline");
    cluster.fs().mkdirs(jobs);
    assertThat(plan("RS-3-2").warnings).noneMatch(text -> text.contains("quota"));

    cluster.fs().setQuota(jobs, HdfsConstants.QUOTA_DONT_SET, ConvertCluster.BLOCK);
    assertThat(plan("RS-3-2").warnings)
        .anyMatch(
            text ->
                text.contains("below /.stripeline, whose space quota leaves 1.00 MiB")
                    && text.endsWith("'convert' refuses to start until then"));
  }

  @Test
  void filesWithoutAPlaceSaveNothing() throws IOException {
    cluster.write("/tree/file", 6 * ConvertCluster.BLOCK);
    PlanReport report = plan("RS-6-3");
    assertThat(report.total.filesConverted).isZero();
    assertThat(report.total.bytesAfter).isEqualTo(report.total.bytesNow);
    assertThat(report.left)
        .filteredOn(group -> group.files > 0)
        .extracting(group -> group.name)
        .containsExactly(SkipReason.UNPLACEABLE.text());
    assertThat(report.warnings)
        .anyMatch(text -> text.startsWith("1 group cannot be placed, the first of /tree/file: "));
  }

  /** Each block size needs a policy, of which HDFS has few; any user can write many sizes. */
  @Test
  void filesWhosePoliciesConvertDoesNotAddSaveNothing() throws IOException {
    int more = 4;
    for (int i = 1; i <= Policies.ADDED_MAX + more; i++) {
      int block = (16 + i) << 10;
      try (FSDataOutputStream out =
          cluster.fs().create(new Path("/tree/" + i), true, 4096, (short) 3, block)) {
        out.write(new byte[3 * block]);
      }
    }
    PlanReport report = plan("RS-3-2");
    assertThat(report.total.filesConverted).isEqualTo(Policies.ADDED_MAX);
    assertThat(report.blockSizes).hasSize(Policies.ADDED_MAX);
    assertThat(report.blockSizes.get(0).blockBytes).isEqualTo((16 + more + 1) << 10);
    assertThat(report.left)
        .filteredOn(group -> group.name.equals(SkipReason.POLICY_LIMIT.text()))
        .singleElement()
        .satisfies(group -> assertThat(group.files).isEqualTo(more));
  }

  /** Users, and copies that keep the times of their sources, set any modification time. */
  @Test
  void modificationTimesDoNotMakeFilesPartOfSnapshots() throws IOException {
    DistributedFileSystem fs = cluster.fs();
    cluster.write("/tree/kept", 6 * ConvertCluster.BLOCK);
    fs.allowSnapshot(new Path("/tree"));
    fs.createSnapshot(new Path("/tree"), "s");
    long taken = fs.getFileStatus(new Path("/tree/.snapshot/s")).getModificationTime();
    fs.setTimes(new Path("/tree/kept"), taken + 1, -1);
    cluster.write("/tree/copied", 3 * ConvertCluster.BLOCK);
    fs.setTimes(new Path("/tree/copied"), taken - 1, -1);

    PlanReport report = plan("RS-3-2");
    assertThat(report.total.filesConverted).isEqualTo(1);
    assertThat(report.total.bytesBoundBySnapshots).isZero();
    assertThat(report.room.types.get(0).bytesKeptBySnapshots).isZero();

    PlanSettings settings = settings("RS-3-2");
    settings.rules.includeSnapshotted = true;
    report = (PlanReport) Plan.ofNameNode(settings, fs, progress).forJson();
    assertThat(report.total.filesConverted).isEqualTo(2);
    assertThat(report.total.bytesBoundBySnapshots).isEqualTo(18L * ConvertCluster.BLOCK);
    assertThat(report.room.types.get(0).bytesKeptBySnapshots).isEqualTo(4L * ConvertCluster.BLOCK);
  }

  @Test
  void openFilesAreCountedByAnAudit() throws IOException {
    DistributedFileSystem fs = cluster.fs();
    Path tree = new Path("/tree");
    fs.mkdirs(tree);
    fs.enableErasureCodingPolicy(POLICY);
    fs.setErasureCodingPolicy(tree, POLICY);
    try (FSDataOutputStream open = fs.create(new Path(tree, "open"))) {
      open.write(new byte[1000]);
      Audit audit = Audit.of(settings("RS-3-2"), fs, progress);
      assertThat(audit.isComplete()).isFalse();
      assertThat(Sheet.text(audit))
          .contains("note: 1 erasure-coded file is open for writing: not checked");
    }
    assertThat(Audit.of(settings("RS-3-2"), fs, progress).isComplete()).isTrue();
  }

  @Test
  void directoriesThatAreRenamedDuringAnAuditAreNotForgotten() throws IOException {
    DistributedFileSystem fs = cluster.fs();
    cluster.write("/tree/first/file", 10);
    cluster.write("/tree/second/file", 10);
    AtomicInteger listings = new AtomicInteger();
    try (DistributedFileSystem client =
        new WatchedFileSystem(
            call -> {
              if (call.equals("getListing") && listings.incrementAndGet() == 2) {
                rename(fs, "/tree/second", "/away");
              }
            })) {
      client.initialize(fs.getUri(), fs.getConf());
      Audit audit = Audit.of(settings("RS-3-2"), client, progress);
      assertThat(audit.isComplete()).isFalse();
      assertThat(Sheet.text(audit))
          .contains("note: 1 directory renamed or deleted while read")
          .contains("[/tree/second]; run again if they were renamed");
    }
  }

  private static void rename(DistributedFileSystem fs, String from, String to) {
    try {
      assertThat(fs.rename(new Path(from), new Path(to))).isTrue();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
