// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Path;
import org.stripeline.applications.PartFileWriter.Position;

/**
 * A writer of part files that uses FileContext is killed several times and goes on from the last
 * position that it printed. Every record must be in the parts once.
 */
public final class FilesTrial {
  private static final Position BEGINNING = new Position(0, 0, 0);

  private final Trial trial;
  private final Case sizes;
  private final Path folder;
  private String remark = "";

  private FilesTrial(Trial trial, Case sizes) {
    this.trial = trial;
    this.sizes = sizes;
    this.folder = new Path("/parts/" + sizes.name.replace(' ', '-'));
  }

  /**
   * Sizes of records, batches and parts in records, and how many records are written between kills.
   */
  private record Case(String name, int recordBytes, int batch, long part, long kill) {}

  /** Runs with the name of the client. */
  public static void main(String[] arguments) {
    Case[] cases = {
      new Case("part below a cell", 100, 10, 100_000, 100),
      new Case("part of some cells", 1_000, 100, 100_000, 3_000),
      new Case("part of some stripes", 10_000, 100, 100_000, 2_000),
      new Case("parts renamed on the way", 10_000, 100, 700, 2_000),
      new Case("first sync after 100 MB", 100_000, 1_000, 100_000, 1_000)
    };
    Trial.run(
        arguments[0],
        trial -> {
          for (Case sizes : cases) {
            new FilesTrial(trial, sizes).run();
          }
        });
  }

  private void run() throws Exception {
    Position position = BEGINNING;
    for (int round = 1; round <= 3; round++) {
      position = writeAndKill(position, round * sizes.kill);
      long read = records(position.part());
      trial.report(
          "files: " + sizes.name + ", kill " + round,
          position.next(),
          Math.min(read, position.next()),
          remark);
      if (read < position.next()) {
        return;
      }
    }
    long end = position.next() + sizes.batch;
    try (Jvm writer = start(position, end)) {
      Trial.lineAfter(writer.output(), "complete");
      writer.waitForEnd();
    }
    long parts = FileContext.getFileContext().util().listStatus(folder).length;
    long read = records((int) parts);
    trial.report("files: " + sizes.name + ", end", end, read, parts + " parts");
    if (read != end) {
      throw new AssertionError("Not every record is there once: " + read);
    }
  }

  private Jvm start(Position position, long end) throws IOException {
    return trial
        .setting("-Xmx256m")
        .start(
            PartFileWriter.class.getName(),
            folder.toString(),
            Integer.toString(sizes.recordBytes),
            Integer.toString(sizes.batch),
            Long.toString(sizes.part),
            Long.toString(end),
            position.part() + " " + position.offset() + " " + position.next());
  }

  /** Returns the last position that the writer printed before it was dead. */
  private Position writeAndKill(Position from, long enough) throws Exception {
    Position position = from;
    try (Jvm writer = start(from, Long.MAX_VALUE)) {
      while (position.next() < enough) {
        position = Position.parse(Trial.lineAfter(writer.output(), "position "));
      }
      writer.kill();
      for (String line = writer.output().readLine(); line != null; ) {
        position = Position.parse(line.substring("position ".length()));
        line = writer.output().readLine();
      }
    }
    return position;
  }

  private void recoverLease(Path file) throws Exception {
    try {
      PartFileWriter.recoverLease(file);
    } catch (IOException e) {
      if (trial.isOurs()) {
        throw e;
      }
      remark = "the file cannot be closed";
    }
  }

  /** Counts the records of all parts, up to the first wrong byte. */
  private long records(int parts) throws Exception {
    FileContext files = FileContext.getFileContext();
    long next = 0;
    for (int part = 0; part <= parts; part++) {
      Path file = PartFileWriter.part(folder, part, true);
      if (!files.util().exists(file)) {
        file = PartFileWriter.part(folder, part, false);
        if (!files.util().exists(file)) {
          return next;
        }
        recoverLease(file);
      }
      try (FSDataInputStream in = files.open(file)) {
        byte[] found = new byte[sizes.recordBytes];
        for (long length = files.getFileStatus(file).getLen(); in.getPos() < length; next++) {
          in.readFully(found);
          if (!Arrays.equals(found, PartFileWriter.record(next, sizes.recordBytes))) {
            return next;
          }
        }
      } catch (EOFException e) {
        // The end of the last record was not synced.
        continue;
      }
    }
    return next;
  }
}
