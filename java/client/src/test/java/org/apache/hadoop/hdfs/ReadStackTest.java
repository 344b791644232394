// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.testkit.Conditions;

/** Tests readers at the end of their stack, which share queues and buffers with all others. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ReadStackTest {
  private static final int CELL = 64 << 10;
  private static final int LENGTH = 9 * CELL + 777;
  private static final int ROUNDS = 10;

  @TempDir private static Path folder;
  private static WriteCluster cluster;
  private static DistributedFileSystem ours;
  private static org.apache.hadoop.fs.Path file;
  private static byte[] data;

  @BeforeAll
  static void start() throws Exception {
    cluster = new WriteCluster(folder, 5, 4 * CELL, any -> {});
    ours =
        cluster.open(
            "functional-partitioned", conf -> conf.setBoolean(ClientKeys.READ_ENABLED, true));
    file = new org.apache.hadoop.fs.Path(cluster.directory("rs", 3, 2, CELL), "file");
    data = WriteCluster.bytes(1, LENGTH);
    StripedCluster.write(ours, file, data);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** A call of a stream, from an offset of the file. */
  enum Call {
    SEQUENTIAL {
      @Override
      int read(FSDataInputStream in, int from, byte[] into) throws IOException {
        in.seek(from);
        return in.read(into, 0, into.length);
      }
    },
    POSITIONAL {
      @Override
      int read(FSDataInputStream in, int from, byte[] into) throws IOException {
        return in.read(from, into, 0, into.length);
      }
    };

    abstract int read(FSDataInputStream in, int from, byte[] into) throws IOException;
  }

  @ParameterizedTest
  @EnumSource(Call.class)
  void readsAtTheEndOfTheStackDoNoHarm(Call call) throws Exception {
    long before = ReadContext.usedBufferBytes();
    for (int round = 0; round < ROUNDS; round++) {
      FSDataInputStream in = ours.open(file);
      EndOfStack end = new EndOfStack(in, call, round);
      Thread thread = new Thread(null, end, "end of stack", 256 << 10);
      thread.start();
      thread.join();
      assertThat(end.wrong).isNull();
      assertThat(end.count).isPositive();
      assertReads(in);
      in.close();
      FSDataInputStream other = ours.open(file);
      assertReads(other);
      other.close();
    }
    Conditions.await("buffers to be back", () -> ReadContext.usedBufferBytes() == before);
  }

  private static void assertReads(FSDataInputStream in) throws Exception {
    FutureTask<byte[]> read =
        new FutureTask<>(
            () -> {
              byte[] back = new byte[LENGTH];
              in.readFully(0, back);
              in.seek(0);
              byte[] again = new byte[LENGTH];
              in.readFully(again);
              assertThat(again).isEqualTo(back);
              return back;
            });
    Thread thread = new Thread(read, "reader");
    thread.setDaemon(true);
    thread.start();
    assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(data);
  }

  /** Reads from each frame at the end of a stack, until some reads have returned. */
  private static final class EndOfStack implements Runnable {
    int count;
    String wrong;
    private final FSDataInputStream in;
    private final Call call;
    private final byte[] bytes = new byte[5000];
    private int skipped;
    private int next;

    EndOfStack(FSDataInputStream in, Call call, int skipped) {
      this.in = in;
      this.call = call;
      this.skipped = skipped;
    }

    @Override
    public void run() {
      descend(0);
    }

    private void descend(int depth) {
      try {
        descend(depth + 1);
      } catch (StackOverflowError e) {
        // This frame has more room than the one that it called.
      }
      if (count >= 3 || wrong != null || skipped-- > 0) {
        return;
      }
      next = (next + 3 * CELL + 5001) % (LENGTH - bytes.length);
      try {
        int got = call.read(in, next, bytes);
        boolean isRight =
            got > 0
                && Arrays.equals(
                    Arrays.copyOf(bytes, got), Arrays.copyOfRange(data, next, next + got));
        wrong = isRight ? null : got + " bytes at " + next;
        count++;
      } catch (IOException e) {
        // An Error on the way, such as in the call of the NameNode.
      }
    }
  }
}
