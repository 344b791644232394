// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.lab.cluster.ReplicaFiles;
import org.stripeline.lab.demo.Stage.Side;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Spread;

/**
 * Act 1: flips one bit of one block on a disk. Its checksum fails in the middle of a large
 * positional read, and Hadoop's client then returns decoded cells at wrong positions.
 */
final class FlippedBitAct implements DemoRunner.Act {
  private static final int ROWS = 8;
  private static final int FLIPPED_UNIT = 1;

  /** The bit is in the fifth row of cells, so that the beginning of the read succeeds. */
  private static final int FLIPPED_ROW = 4;

  private static final int FLIPPED_OFFSET = 1_234;
  private static final long BLOCK_BYTES = 128L << 20;

  private final Stage stage;
  private final int cell;
  private final int bytes;
  private int files;

  FlippedBitAct(Stage stage) {
    this.stage = stage;
    this.cell = stage.settings().policy().getCellSize();
    this.bytes = ROWS * stage.settings().dataUnits() * cell;
  }

  @Override
  public void play() throws IOException {
    int rounds = stage.settings().rounds();
    Map<Side, List<Long>> wrong = new EnumMap<>(Side.class);
    Map<Side, String> thrown = new EnumMap<>(Side.class);
    Path directory = stage.codedDirectory("flipped");
    try (Progress.Step step = stage.progress().step("1 flip a bit, read", 2L * rounds * bytes)) {
      for (int round = 0; round < rounds; round++) {
        for (Side side : Stage.inTurn(round)) {
          try {
            long count = wrongBytes(side, new Path(directory, side + "-" + round));
            wrong.computeIfAbsent(side, key -> new ArrayList<>()).add(count);
          } catch (ReadException e) {
            thrown.put(side, e.getCause().toString().split("\n", 2)[0]);
          }
          step.advance(bytes);
        }
      }
      stage.cluster().fs().delete(directory, true);
      judge(wrong, thrown);
      step.succeeded();
    }
  }

  private void judge(Map<Side, List<Long>> wrong, Map<Side, String> thrown) {
    if (thrown.containsKey(Side.OURS)) {
      throw new DemoException(
          "Our client cannot read past a flipped bit: " + thrown.get(Side.OURS));
    }
    Spread ours = Spread.of(wrong.get(Side.OURS), Long::doubleValue);
    if (ours.max > 0) {
      throw new DemoException(
          String.format(
              Locale.ROOT,
              "Wrong bytes: a read of %,d bytes by our client has %,.0f wrong ones after one bit of"
                  + " a block was flipped",
              bytes,
              ours.max));
    }
    Spread stock =
        wrong.containsKey(Side.STOCK) ? Spread.of(wrong.get(Side.STOCK), Long::doubleValue) : null;
    stage
        .report()
        .add(
            new DemoReport.Row(
                1,
                String.format(
                    Locale.ROOT, "wrong bytes in %d MiB read, one bit flipped", bytes >> 20),
                "wrong",
                DemoReport.Unit.BYTES,
                ours,
                stock,
                null));
    if (stock != null && stock.max > 0) {
      stage
          .report()
          .check(
              "1: Hadoop's client returned %,.0f wrong bytes of %,d without an error; ours none",
              stock.median, bytes);
    } else {
      stage
          .report()
          .check(
              "1: Hadoop's client returned no wrong bytes here (%s); neither did ours",
              thrown.getOrDefault(Side.STOCK, "its reads were correct"));
    }
  }

  /**
   * Reads a file and counts wrong bytes. Each read has its own file because the first reader of the
   * fault reports it to the NameNode.
   */
  private long wrongBytes(Side side, Path path) throws IOException {
    int number = files++;
    stage.write(stage.cluster().fs(), path, number, (long) bytes + cell, BLOCK_BYTES);
    flip(path);
    byte[] read = new byte[bytes];
    try (DistributedFileSystem fs = stage.open(side);
        FSDataInputStream in = fs.open(path)) {
      in.readFully(0, read);
    } catch (IOException e) {
      throw new ReadException(e);
    }
    return stage.wrong(number, 0, read, bytes);
  }

  private void flip(Path path) throws IOException {
    LocatedBlock group =
        stage.cluster().fs().getClient().getLocatedBlocks(path.toUri().getPath(), 0).get(0);
    long id = group.getBlock().getBlockId() + FLIPPED_UNIT;
    List<java.nio.file.Path> copies = ReplicaFiles.find(stage.cluster().disks()).filesOf(id);
    if (copies.size() != 1) {
      throw new IOException("Cannot flip a bit of block " + id + ": on disks it is " + copies);
    }
    try (RandomAccessFile file = new RandomAccessFile(copies.get(0).toFile(), "rw")) {
      long at = (long) FLIPPED_ROW * cell + FLIPPED_OFFSET;
      file.seek(at);
      int old = file.read();
      file.seek(at);
      file.write(old ^ 1);
    }
  }

  /** A read that failed with an exception, which does not count as wrong bytes. */
  private static final class ReadException extends IOException {
    private static final long serialVersionUID = 1L;

    ReadException(IOException cause) {
      super(cause);
    }
  }
}
