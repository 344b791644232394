// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.ipc.RemoteException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JobLock;
import org.stripeline.convert.job.JobRoot;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.service.Leader;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
import org.stripeline.scrub.access.HdfsRepair;
import org.stripeline.scrub.check.Finding;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.repair.RepairRecord;

/**
 * The file on HDFS with what repairs do: one JSON object per line, and empty lines where a repair
 * began. Thread-safe.
 */
final class RepairAudit implements Closeable {
  static final String DIRECTORY_DEFAULT = "/.stripeline/repairs";

  private static final String FILE = "audit.jsonl";

  /** Longer than the lease of a client that has died, which lasts 60 s (the soft limit). */
  private static final long WAIT_MS = 75_000;

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private static final Logger LOG = LoggerFactory.getLogger(RepairAudit.class);

  private final DFSClient client;
  private final String path;
  private final long fileId;
  private final FSDataOutputStream out;
  private final Clock clock;

  /** The file in the default directory, which keeps others out; null if this is it. */
  private final RepairAudit common;

  private RepairAudit(
      DFSClient client, String path, FSDataOutputStream out, Clock clock, RepairAudit common)
      throws IOException {
    this.client = client;
    this.path = path;
    this.out = out;
    this.clock = clock;
    this.common = common;
    HdfsFileStatus status = client.getFileInfo(path);
    if (status == null) {
      throw new FileNotFoundException("Cannot repair: " + path + " was deleted");
    }
    fileId = status.getFileId();
  }

  /** Returns the paths of the files that a repair has open, for its directory of records. */
  static List<Path> files(Path directory) {
    return Arrays.asList(new Path(directory, FILE), new Path(DIRECTORY_DEFAULT, FILE));
  }

  /**
   * Opens the file, or creates it. HDFS lets one client write it, and a repair with another
   * directory opens that of the default as well, so only one repair runs.
   *
   * @throws RefusedException if another repair has it, or other users can write or replace it
   */
  static RepairAudit open(DistributedFileSystem fs, Path directory, Clock clock, Ticker ticker)
      throws IOException {
    fs.mkdirs(directory, JobDirectory.PRIVATE);
    JobRoot.requirePrivate(fs, directory, "records of repairs", "--audit-directory");
    if (directory.toUri().getPath().equals(DIRECTORY_DEFAULT)) {
      return open(fs, directory, clock, ticker, null);
    }
    Path shared = new Path(DIRECTORY_DEFAULT);
    fs.mkdirs(shared, JobDirectory.PRIVATE);
    RepairAudit common = open(fs, shared, clock, ticker, null);
    try {
      return open(fs, directory, clock, ticker, common);
    } catch (IOException | RuntimeException e) {
      common.close();
      throw e;
    }
  }

  private static RepairAudit open(
      DistributedFileSystem fs, Path directory, Clock clock, Ticker ticker, RepairAudit common)
      throws IOException {
    Path file = new Path(directory, FILE);
    FSDataOutputStream out =
        JobLock.await(
            ticker,
            WAIT_MS,
            () -> appendOrCreate(fs, file),
            held ->
                "Cannot repair: another repair writes "
                    + file.toUri().getPath()
                    + " ("
                    + Reasons.of(held)
                    + "); wait until it has ended");
    try {
      return new RepairAudit(fs.getClient(), file.toUri().getPath(), out, clock, common);
    } catch (IOException | RuntimeException e) {
      IOUtils.closeStream(out);
      throw e;
    }
  }

  private static FSDataOutputStream appendOrCreate(DistributedFileSystem fs, Path file)
      throws IOException {
    if (!fs.exists(file)) {
      return fs.createFile(file)
          .replicate()
          .permission(new FsPermission((short) 0600))
          .overwrite(false)
          .build();
    }
    FSDataOutputStream out = fs.append(file);
    try {
      if (out.getPos() > 0) {
        // The last line of a repair that was killed may not have ended.
        out.write('\n');
      }
      return out;
    } catch (IOException | RuntimeException e) {
      IOUtils.closeStream(out);
      throw e;
    }
  }

  /** Returns the records of one group. */
  HdfsRepair.Audit of(String file, long number, GroupResult checked) {
    return new HdfsRepair.Audit() {
      @Override
      public void write(RepairRecord record) throws IOException {
        RepairAudit.this.write(file, number, checked, record);
      }

      @Override
      public void require() throws IOException {
        RepairAudit.this.require();
      }
    };
  }

  /**
   * Checks that this repair still has the file: while its process was stopped, another one may have
   * taken it, or created another one at its path.
   */
  void require() throws IOException {
    try {
      Leader.require(client, path, fileId);
    } catch (FileNotFoundException | RemoteException e) {
      throw new IOException("another repair may have taken " + path + ": " + Reasons.of(e), e);
    }
    if (common != null) {
      common.require();
    }
  }

  /** Writes a record; it is durable when this returns. */
  private synchronized void write(
      String file, long number, GroupResult checked, RepairRecord record) throws IOException {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("time", clock.instant().toString());
    line.put("path", file);
    line.put("group", number);
    line.put("block", checked.locations().toString());
    line.putAll(record.json());
    line.put(
        "findings",
        checked.findings().stream().map(Finding::toString).collect(Collectors.toList()));
    out.write((GSON.toJson(line) + "\n").getBytes(StandardCharsets.UTF_8));
    out.hsync();
  }

  /** All records are durable, so a failure loses nothing. */
  @Override
  public synchronized void close() {
    IOUtils.cleanupWithLogger(LOG, out, common);
  }
}
