// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoOutputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.write.SharedPool;
import org.stripeline.testkit.Conditions;

/** Writes of a few bytes, and writes that are interrupted or fail part-way. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SmallWritesTest {
  private static final String OURS = "functional-partitioned";
  private static final int K = 3;
  private static final int M = 2;
  private static final int CELL = 64 << 10;
  private static final int STRIPE = K * CELL;
  private static final int WRITERS = 3;
  private static final int FILES = 5;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private WriteCluster cluster;
  private org.apache.hadoop.fs.Path dir;

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    cluster = new WriteCluster(temporary, K + M, 4 * CELL, WriteCluster.keys(temporary));
    dir = cluster.directory("rs", K, M, CELL);
  }

  @AfterAll
  void stop() {
    threads.shutdownNow();
    cluster.close();
  }

  private org.apache.hadoop.fs.Path file(String name) {
    return new org.apache.hadoop.fs.Path(dir, name);
  }

  private static DFSStripedOutputStream stream(FSDataOutputStream out) {
    return (DFSStripedOutputStream) out.getWrappedStream();
  }

  /** The ends of cells, of checksum chunks and of the unchecked bytes are at arbitrary offsets. */
  @ParameterizedTest
  @CsvSource({"1024, 1, CRC32", "1024, 16, CRC32C", "3072, 1024, CRC32C", "1024, 512, NULL"})
  void cellsAndChecksumsOfFewBytes(int cell, int chunk, String type) throws IOException {
    org.apache.hadoop.fs.Path small = cluster.directory("rs", K, M, cell);
    Consumer<Configuration> sizes =
        WriteCluster.checksum(type, chunk).andThen(conf -> conf.setLong("dfs.blocksize", 2 * cell));
    byte[] data = WriteCluster.bytes(chunk, 5 * K * cell + cell + 1);
    org.apache.hadoop.fs.Path byOurs = new org.apache.hadoop.fs.Path(small, "ours-" + chunk);
    org.apache.hadoop.fs.Path byStock = new org.apache.hadoop.fs.Path(small, "stock-" + chunk);
    Random random = new Random(chunk);
    try (FSDataOutputStream out = cluster.open(OURS, sizes).create(byOurs)) {
      int done = 0;
      while (done < data.length) {
        int mark = random.nextBoolean() ? chunk : cell;
        int toMark = mark - done % mark;
        int length = random.nextBoolean() ? random.nextInt(9) : toMark + random.nextInt(3) - 1;
        length = Math.min(length, data.length - done);
        if (length == 1) {
          out.write(data[done]);
        } else {
          out.write(data, done, length);
        }
        done += length;
      }
      assertThat(out.getPos()).isEqualTo(data.length);
    }
    DistributedFileSystem stock = cluster.open("stock", sizes);
    try (FSDataOutputStream out = stock.create(byStock)) {
      out.write(data);
    }
    assertThat(cluster.readByStock(byOurs)).isEqualTo(data);
    assertThat(stock.getFileChecksum(byOurs)).isEqualTo(stock.getFileChecksum(byStock));
  }

  @ParameterizedTest
  @ValueSource(strings = {OURS, "non-blocking", "blocking"})
  void allBytesOfAllThreadsUntilTheCloseAreInTheFile(String mode) throws Exception {
    FSDataOutputStream out = cluster.open(mode).create(file("threads-" + mode));
    AtomicIntegerArray written = new AtomicIntegerArray(WRITERS);
    List<Future<Exception>> ends = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      int own = writer;
      ends.add(threads.submit(() -> writeUntilClosed(stream(out), own, written)));
    }
    Conditions.await(
        "bytes of each writer, in two groups",
        () -> IntStream.range(0, WRITERS).allMatch(i -> written.get(i) > 2 * STRIPE));
    out.close();
    for (Future<Exception> end : ends) {
      assertThat(end.get()).isInstanceOf(ClosedChannelException.class);
    }
    int[] found = new int[WRITERS];
    for (byte value : cluster.readByStock(file("threads-" + mode))) {
      found[value]++;
    }
    for (int writer = 0; writer < WRITERS; writer++) {
      assertThat(found[writer]).as("bytes of writer %d", writer).isEqualTo(written.get(writer));
    }
  }

  private static Exception writeUntilClosed(
      DFSStripedOutputStream out, int value, AtomicIntegerArray written) {
    Random random = new Random(value);
    byte[] bytes = new byte[600];
    Arrays.fill(bytes, (byte) value);
    try {
      while (true) {
        int length = 1 + random.nextInt(random.nextInt(10) == 0 ? bytes.length : 8);
        if (length == 1) {
          out.write(value);
        } else {
          out.write(bytes, 0, length);
        }
        written.addAndGet(value, length);
      }
    } catch (IOException e) {
      return e;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OURS, "stock"})
  void aClosedStreamSaysSoWhateverTheArguments(String mode) throws IOException {
    FSDataOutputStream out = cluster.open(mode).create(file("arguments-" + mode));
    out.write(1);
    DFSStripedOutputStream stream = stream(out);
    byte[] bytes = new byte[1];
    assertThatThrownBy(() -> stream.write(bytes, -1, 1))
        .isInstanceOf(ArrayIndexOutOfBoundsException.class);
    assertThatThrownBy(() -> stream.write(bytes, 1, 1))
        .isInstanceOf(ArrayIndexOutOfBoundsException.class);
    assertThatThrownBy(() -> stream.write(null, 0, 0)).isInstanceOf(NullPointerException.class);
    out.close();
    assertThatThrownBy(() -> stream.write(bytes, 0, 0)).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> stream.write(bytes, -1, 1)).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> stream.write(null, 0, 0)).isInstanceOf(ClosedChannelException.class);
  }

  /**
   * The clock is stopped, so that the wait for memory ends only when memory is returned or by an
   * interrupt. The writers do not sync durably, because their close would wait by that clock.
   */
  @Test
  void aWriterInterruptedBeforeAnyByteIsTakenCanGoOn() throws Exception {
    byte[] data = WriteCluster.bytes(1, STRIPE);
    try (SharedPool pool = new SharedPool(twoStripesLessOneByte(), () -> 0)) {
      DistributedFileSystem fs = cluster.notDurable(OURS);
      FSDataOutputStream large = fs.create(file("large"), true);
      large.write(data, 0, 1);
      FSDataOutputStream waiting = fs.create(file("waiting"));
      int done = 0;
      for (; done < CELL; done++) {
        waiting.write(data[done]);
      }
      large.write(data, 1, CELL);
      assertThat(interruptedWrite(waiting, () -> waiting.write(data[CELL]))).isZero();
      assertThat(interruptedWrite(waiting, () -> waiting.write(data, CELL, 2))).isZero();
      large.close();
      for (; done < data.length; done++) {
        waiting.write(data[done]);
      }
      waiting.close();
      Conditions.await("all memory to be back", () -> pool.reservedBytes() == 0);
    }
    assertThat(cluster.readByStock(file("large"))).isEqualTo(Arrays.copyOf(data, CELL + 1));
    assertThat(cluster.readByStock(file("waiting"))).isEqualTo(data);
  }

  private interface Write {
    void run() throws IOException;
  }

  private static int interruptedWrite(FSDataOutputStream out, Write write) {
    Thread.currentThread().interrupt();
    try {
      write.run();
    } catch (InterruptedIOException e) {
      return e.bytesTransferred;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("Not interrupted writing " + out);
  }

  /**
   * Hadoop's encrypting stream does not write bytes again that Stripeline's stream did not accept.
   */
  @Test
  void anInterruptedWriterOfAnEncryptedFileIsRefusedToGoOn() throws Exception {
    org.apache.hadoop.fs.Path file =
        new org.apache.hadoop.fs.Path(cluster.zone(file("written")), "f");
    byte[] data = WriteCluster.bytes(2, STRIPE);
    try (SharedPool pool = new SharedPool(twoStripesLessOneByte(), () -> 0)) {
      DistributedFileSystem fs = cluster.notDurable(OURS);
      FSDataOutputStream large = fs.create(file("large"), true);
      large.write(data, 0, CELL + 1);
      FSDataOutputStream encrypted = fs.create(file);
      assertThat(encrypted.getWrappedStream()).isInstanceOf(CryptoOutputStream.class);
      int done = interruptedWrite(encrypted, () -> encrypted.write(data));
      large.close();
      assertThatThrownBy(() -> encrypted.write(data, done, data.length - done))
          .isInstanceOf(IOException.class);
      assertThatThrownBy(encrypted::close).isInstanceOf(IOException.class);
      Conditions.await("all memory to be back", () -> pool.reservedBytes() == 0);
    }
    assertThat(cluster.cluster.getFileSystem().isFileClosed(file)).isFalse();
  }

  private static long twoStripesLessOneByte() {
    return 2 * SharedPool.stripeBytes(K, M, CELL) - 1;
  }

  /** Part of the bytes is in the stripe when there is no memory for the next cell. */
  @Test
  void anErrorWithinAWriteEndsTheStream() throws Exception {
    AtomicBoolean fails = new AtomicBoolean();
    OutOfMemoryError refusal = new OutOfMemoryError("no memory for the next cell");
    Thread writer = Thread.currentThread();
    FSDataOutputStream out;
    try (SharedPool ignored =
        new SharedPool(
            Long.MAX_VALUE,
            () -> {
              if (fails.get() && Thread.currentThread() == writer) {
                throw refusal;
              }
              return 0;
            })) {
      out = cluster.open(OURS).create(file("error"));
    }
    out.write(new byte[STRIPE + 1]);
    fails.set(true);
    assertThatThrownBy(() -> out.write(new byte[2 * CELL])).isSameAs(refusal);
    fails.set(false);
    assertThatThrownBy(() -> out.write(1)).isInstanceOf(IOException.class).hasRootCause(refusal);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class).hasRootCause(refusal);
    assertThat(cluster.cluster.getFileSystem().isFileClosed(file("error"))).isFalse();
  }

  /** The wait for memory that the JVM has refused is interrupted before the next cell. */
  @Test
  void aWriterInterruptedBeforeItsNextCellIsAllocatedCanGoOn() throws Exception {
    byte[] data = WriteCluster.bytes(3, 2 * STRIPE);
    Thread writer = Thread.currentThread();
    AtomicBoolean interrupts = new AtomicBoolean();
    FSDataOutputStream out;
    try (SharedPool ignored =
        new SharedPool(
            Long.MAX_VALUE,
            () -> {
              if (Thread.currentThread() == writer && interrupts.get()) {
                SharedPool.<RuntimeException>sneak(new InterruptedIOException("no memory"));
              }
              return 0;
            })) {
      out = cluster.open(OURS).create(file("cells"));
    }
    int done = STRIPE + CELL;
    out.write(data, 0, done);
    int next = done;
    interrupts.set(true);
    assertThat(interruptedWrite(out, () -> out.write(data[next]))).isZero();
    assertThat(interruptedWrite(out, () -> out.write(data, next, CELL))).isZero();
    interrupts.set(false);
    assertThat(Thread.interrupted()).isTrue();
    out.write(data[next]);
    out.write(data, next + 1, data.length - next - 1);
    out.close();
    assertThat(cluster.readByStock(file("cells"))).isEqualTo(data);
  }

  /**
   * Hadoop's encrypting stream does not close the stream below it if it cannot write its last
   * bytes.
   */
  @Test
  void anInterruptedCloseOfAnEncryptedFileLeavesNothing() throws Exception {
    org.apache.hadoop.fs.Path zone = cluster.zone(file("closed"));
    byte[] data = WriteCluster.bytes(4, CELL + 1);
    try (SharedPool pool = new SharedPool(twoStripesLessOneByte(), () -> 0)) {
      DistributedFileSystem fs = cluster.notDurable(OURS);
      FSDataOutputStream large = fs.create(file("large"), true);
      large.write(1);
      FSDataOutputStream encrypted = fs.create(new org.apache.hadoop.fs.Path(zone, "f"));
      encrypted.write(data);
      large.write(new byte[CELL]);
      assertThat(interruptedWrite(encrypted, encrypted::close)).isZero();
      DFSStripedOutputStream stream =
          (DFSStripedOutputStream)
              ((CryptoOutputStream) encrypted.getWrappedStream()).getWrappedStream();
      for (int unit = 0; unit < K + M; unit++) {
        assertThat(stream.getStripedDataStreamer(unit).isAlive()).isFalse();
      }
      assertThat(pool.reservedBytes()).isEqualTo(SharedPool.stripeBytes(K, M, CELL));
      large.close();
      assertThat(fs.getClient().isFilesBeingWrittenEmpty()).isTrue();
      encrypted.close();
      Conditions.await("all memory to be back", () -> pool.reservedBytes() == 0);
    }
  }

  /** A write must not be added in part, and the next one behind it, wherever the stack ends. */
  @ParameterizedTest
  @CsvSource({"true, 65535", "true, 196607", "false, 65535", "false, 196607"})
  void aWriteAtTheEndOfTheStackIsWholeOrEndsTheStream(boolean single, int before) throws Exception {
    DistributedFileSystem fs = cluster.open(OURS);
    for (int round = 0; round < 6; round++) {
      org.apache.hadoop.fs.Path file = file("stack-" + single + before + "-" + round);
      FSDataOutputStream out = fs.create(file);
      out.write(new byte[before]);
      EndOfStack end = new EndOfStack(stream(out), single, 5 * round);
      Thread thread = new Thread(null, end, "end of stack", 256 << 10);
      thread.start();
      thread.join();
      try {
        stream(out).write(-1);
        out.close();
        byte[] expected = new byte[before + end.count + 1];
        System.arraycopy(end.written, 0, expected, before, end.count);
        expected[before + end.count] = -1;
        assertThat(cluster.readByStock(file)).isEqualTo(expected);
      } catch (IOException e) {
        assertThatThrownBy(out::close).isInstanceOf(IOException.class);
        assertThat(cluster.cluster.getFileSystem().isFileClosed(file)).isFalse();
      }
    }
  }

  /** Writes from each frame at the end of a stack, until some writes have returned. */
  private static final class EndOfStack implements Runnable {
    final byte[] written = new byte[1024];
    int count;
    private final DFSStripedOutputStream out;
    private final boolean single;
    private final byte[] bytes = new byte[10];
    private int skipped;
    private boolean done;

    EndOfStack(DFSStripedOutputStream out, boolean single, int skipped) {
      this.out = out;
      this.single = single;
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
      if (done || skipped-- > 0) {
        return;
      }
      int next = count;
      try {
        if (single) {
          out.write(next);
          written[next] = (byte) next;
          count = next + 1;
        } else {
          bytes[0] = (byte) next;
          bytes[9] = (byte) next;
          out.write(bytes, 0, 10);
          written[next] = (byte) next;
          written[next + 9] = (byte) next;
          count = next + 10;
        }
        done = count >= 100;
      } catch (IOException e) {
        done = true;
      }
    }
  }

  /** Without the pipeline, close ends with an exception before the last stripe is sent. */
  @Test
  void aCloseAfterAnErrorInCloseDoesNotCompleteTheFile() throws Exception {
    org.apache.hadoop.fs.Path file = file("twice");
    FSDataOutputStream out = cluster.open(OURS).create(file);
    out.write(new byte[STRIPE + 1]);
    Field field = StripelineOutputStream.class.getDeclaredField("pipeline");
    field.setAccessible(true);
    Object pipeline = field.get(out.getWrappedStream());
    field.set(out.getWrappedStream(), null);
    assertThatThrownBy(() -> stream(out).close()).isInstanceOf(NullPointerException.class);
    field.set(out.getWrappedStream(), pipeline);
    assertThatThrownBy(() -> stream(out).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("an earlier close ended with an Error");
    assertThat(cluster.cluster.getFileSystem().isFileClosed(file)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    OURS + ", delete", "blocking, delete", "stock, delete",
    OURS + ", recover", "blocking, recover", "stock, recover"
  })
  void closeFailsIfTheFileWasDeletedOrItsLeaseRecovered(String mode, String how) throws Exception {
    org.apache.hadoop.fs.Path file = file(how + "-" + mode);
    FSDataOutputStream out = cluster.open(mode).create(file);
    out.write(new byte[STRIPE + CELL + 1]);
    DistributedFileSystem other = cluster.cluster.getFileSystem();
    if (how.equals("delete")) {
      other.delete(file, false);
    } else {
      other.recoverLease(file);
    }
    assertThatThrownBy(
            () -> {
              out.write(new byte[2 * CELL]);
              out.close();
            })
        .isInstanceOf(IOException.class);
    for (int unit = 0; unit < K + M; unit++) {
      StripedDataStreamer streamer = stream(out).getStripedDataStreamer(unit);
      Conditions.await("a streamer to end", () -> !streamer.isAlive());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OURS, "non-blocking", "blocking", "stock"})
  void aFileRenamedDuringTheWriteIsComplete(String mode) throws Exception {
    byte[] data = WriteCluster.bytes(6, 9 * STRIPE + CELL + 1);
    org.apache.hadoop.fs.Path file = file("before-" + mode);
    org.apache.hadoop.fs.Path renamed = file("after-" + mode);
    try (FSDataOutputStream out = cluster.open(mode).create(file)) {
      out.write(data, 0, STRIPE + CELL);
      assertThat(cluster.cluster.getFileSystem().rename(file, renamed)).isTrue();
      out.write(data, STRIPE + CELL, data.length - STRIPE - CELL);
    }
    assertThat(cluster.readByStock(renamed)).isEqualTo(data);
  }

  /** Interrupts come at arbitrary times, also during close. */
  @ParameterizedTest
  @CsvSource({OURS + ", false", OURS + ", true", "non-blocking, true", "blocking, false"})
  void interruptsNeitherLoseNorRepeatBytes(String mode, boolean buffers) throws Exception {
    DistributedFileSystem fs = cluster.open(mode, conf -> conf.setLong(ClientKeys.WRITE_WINDOW, 1));
    for (int seed = 0; seed < FILES; seed++) {
      Random random = new Random(seed);
      byte[] data = WriteCluster.bytes(seed, 5 * STRIPE + random.nextInt(5 * STRIPE));
      org.apache.hadoop.fs.Path file = file("interrupts-" + mode + buffers + seed);
      FSDataOutputStream plain = fs.create(file);
      OutputStream out =
          buffers ? new BufferedOutputStream(plain, 1 + random.nextInt(2 * STRIPE)) : plain;
      boolean written;
      boolean interruptsClose = random.nextBoolean();
      boolean closed = false;
      try (Interrupts ignored = new Interrupts(1 + random.nextInt(20_000_000))) {
        written = writeAll(out, data, random);
        if (interruptsClose) {
          closed = closes(plain);
        }
      }
      if (!interruptsClose) {
        closed = closes(plain);
      }
      assertThat(closed).as("%s closed", file).isIn(written, false);
      if (closed) {
        assertThat(cluster.readByStock(file)).isEqualTo(data);
      } else {
        assertThatThrownBy(() -> plain.write(1)).isInstanceOf(IOException.class);
      }
    }
  }

  /** Repeats writes that were interrupted before any byte was taken. */
  private static boolean writeAll(OutputStream out, byte[] data, Random random) {
    int done = 0;
    while (true) {
      int length = random.nextInt(4) == 0 ? random.nextInt(2 * STRIPE) : random.nextInt(1000);
      length = Math.min(1 + length, data.length - done);
      try {
        if (length == 0) {
          out.flush();
          return true;
        } else if (length == 1) {
          out.write(data[done]);
        } else {
          out.write(data, done, length);
        }
        done += length;
      } catch (InterruptedIOException e) {
        if (e.bytesTransferred > 0) {
          return false;
        }
      } catch (IOException e) {
        return false;
      }
    }
  }

  private static boolean closes(FSDataOutputStream out) {
    try {
      stream(out).close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Interrupts the thread that creates it, again and again, until it is closed. */
  private static final class Interrupts implements AutoCloseable {
    private final Thread target = Thread.currentThread();
    private final Thread thread;
    private volatile boolean stopped;

    Interrupts(long pauseNanos) {
      thread =
          new Thread(
              () -> {
                while (!stopped) {
                  LockSupport.parkNanos(pauseNanos);
                  target.interrupt();
                }
              },
              "interrupts");
      thread.start();
    }

    @Override
    public void close() {
      stopped = true;
      boolean joined = false;
      while (!joined) {
        try {
          thread.join();
          joined = true;
        } catch (InterruptedException e) {
          // One of the last interrupts.
        }
      }
      Thread.interrupted();
    }
  }
}
