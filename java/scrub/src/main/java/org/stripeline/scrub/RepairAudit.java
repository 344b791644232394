// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.scrub.check.Finding;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.repair.RepairRecord;

/** Writes what repairs do to a file on HDFS, one JSON object per line. Thread-safe. */
final class RepairAudit implements Closeable {
  static final String DIRECTORY_DEFAULT = "/.stripeline/repairs";

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final DistributedFileSystem fs;
  private final Path directory;
  private final Clock clock;
  private FSDataOutputStream out;

  RepairAudit(DistributedFileSystem fs, Path directory, Clock clock) {
    this.fs = fs;
    this.directory = directory;
    this.clock = clock;
  }

  /** Writes a record; it is durable when this returns. The first one creates the file. */
  synchronized void write(String path, long number, GroupResult checked, RepairRecord record)
      throws IOException {
    if (out == null) {
      out = create();
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("time", clock.instant().toString());
    line.put("path", path);
    line.put("group", number);
    line.put("block", checked.locations().toString());
    line.put("state", record.state().name());
    line.put("replaced", record.replaced());
    line.put("quarantine", record.quarantine());
    line.put("text", record.text());
    line.put(
        "findings",
        checked.findings().stream().map(Finding::toString).collect(Collectors.toList()));
    out.write((GSON.toJson(line) + "\n").getBytes(StandardCharsets.UTF_8));
    out.hsync();
  }

  private FSDataOutputStream create() throws IOException {
    if (!fs.exists(directory)) {
      fs.mkdirs(directory, JobDirectory.PRIVATE);
    }
    String name = NAME.format(clock.instant()) + "-" + UUID.randomUUID().toString().substring(0, 8);
    return fs.createFile(new Path(directory, name + ".jsonl"))
        .replicate()
        .permission(new FsPermission((short) 0600))
        .overwrite(false)
        .build();
  }

  @Override
  public synchronized void close() throws IOException {
    if (out != null) {
      out.close();
    }
  }
}
