// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.io.IOUtils;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JobLock;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
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

  private final FSDataOutputStream out;
  private final Clock clock;

  private RepairAudit(FSDataOutputStream out, Clock clock) {
    this.out = out;
    this.clock = clock;
  }

  /**
   * Opens the file, or creates it. HDFS lets one client write it, so only one repair runs.
   *
   * @throws RefusedException if another repair has it
   */
  static RepairAudit open(DistributedFileSystem fs, Path directory, Clock clock, Ticker ticker)
      throws IOException {
    if (!fs.exists(directory)) {
      fs.mkdirs(directory, JobDirectory.PRIVATE);
    }
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
    return new RepairAudit(out, clock);
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

  /** Writes a record; it is durable when this returns. */
  synchronized void write(String path, long number, GroupResult checked, RepairRecord record)
      throws IOException {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("time", clock.instant().toString());
    line.put("path", path);
    line.put("group", number);
    line.put("block", checked.locations().toString());
    line.putAll(record.json());
    line.put(
        "findings",
        checked.findings().stream().map(Finding::toString).collect(Collectors.toList()));
    out.write((GSON.toJson(line) + "\n").getBytes(StandardCharsets.UTF_8));
    out.hsync();
  }

  @Override
  public synchronized void close() throws IOException {
    out.close();
  }
}
