// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * Writes numbered records to part files, as sinks of streaming systems do: it syncs after each
 * batch, prints the position then, and renames a part that is full. Started with a printed position
 * it cuts the part there and goes on.
 */
public final class PartFileWriter {
  private static final int LEASE_SECONDS = 30;

  private final FileContext files = FileContext.getFileContext();
  private final Path folder;
  private final int recordBytes;
  private final int batch;
  private final long partRecords;

  private PartFileWriter(String[] arguments) throws IOException {
    folder = new Path(arguments[0]);
    recordBytes = Integer.parseInt(arguments[1]);
    batch = Integer.parseInt(arguments[2]);
    partRecords = Long.parseLong(arguments[3]);
  }

  /** Where a writer can go on: a part, the bytes of it that count, and the next record. */
  record Position(int part, long offset, long next) {
    static Position parse(String text) {
      String[] fields = text.split(" ");
      return new Position(
          Integer.parseInt(fields[0]), Long.parseLong(fields[1]), Long.parseLong(fields[2]));
    }
  }

  /** Runs with: folder, bytes of a record, records of a batch and of a part, end, position. */
  public static void main(String[] arguments) throws Exception {
    long end = Long.parseLong(arguments[4]);
    new PartFileWriter(arguments).run(Position.parse(arguments[5]), end);
    System.out.println("complete");
  }

  static byte[] record(long number, int bytes) {
    byte[] record = new byte[bytes];
    Arrays.fill(record, (byte) ('a' + number % 26));
    byte[] digits = Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(digits, 0, record, 0, digits.length);
    record[bytes - 1] = '\n';
    return record;
  }

  static Path part(Path folder, int part, boolean complete) {
    return new Path(folder, complete ? "part-" + part : ".part-" + part + ".inprogress");
  }

  /** Waits until a file that a killed writer left open is closed. */
  static void recoverLease(Path file) throws Exception {
    try (DistributedFileSystem fs =
        (DistributedFileSystem) org.apache.hadoop.fs.FileSystem.newInstance(new Configuration())) {
      if (!fs.recoverLease(file)) {
        Trial.await("lease of " + file, LEASE_SECONDS, () -> fs.isFileClosed(file));
      }
    }
  }

  private void run(Position from, long end) throws Exception {
    Position position = from;
    while (position.next < end) {
      position = writePart(position, end);
      acknowledge(position);
    }
  }

  private Position writePart(Position from, long end) throws Exception {
    Path open = part(folder, from.part, false);
    Path complete = part(folder, from.part, true);
    Position position = from;
    if (!files.util().exists(complete)) {
      try (FSDataOutputStream out = open(open, from.offset)) {
        while (position.offset < partRecords * recordBytes && position.next < end) {
          position = writeBatch(out, position);
          acknowledge(position);
        }
      }
      files.rename(open, complete);
    }
    return new Position(from.part + 1, 0, position.next);
  }

  private FSDataOutputStream open(Path file, long offset) throws Exception {
    if (offset == 0) {
      return files.create(
          file,
          EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE),
          org.apache.hadoop.fs.Options.CreateOpts.createParent());
    }
    recoverLease(file);
    if (!files.truncate(file, offset)) {
      recoverLease(file);
    }
    return files.create(file, EnumSet.of(CreateFlag.APPEND));
  }

  private Position writeBatch(FSDataOutputStream out, Position from) throws IOException {
    for (int i = 0; i < batch; i++) {
      out.write(record(from.next + i, recordBytes));
    }
    // Both calls must be enough alone.
    if (from.next / batch % 2 == 0) {
      out.hflush();
    } else {
      out.hsync();
    }
    return new Position(from.part, from.offset + (long) batch * recordBytes, from.next + batch);
  }

  private static void acknowledge(Position position) {
    System.out.println("position " + position.part + " " + position.offset + " " + position.next);
  }
}
