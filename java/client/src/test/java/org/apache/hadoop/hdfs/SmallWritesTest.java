// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
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
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoOutputStream;
import org.apache.hadoop.crypto.key.JavaKeyStoreProvider;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.client.HdfsAdmin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.write.SharedPool;

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

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private WriteCluster cluster;
  private org.apache.hadoop.fs.Path dir;

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    cluster =
        new WriteCluster(
            temporary,
            K + M,
            4 * CELL,
            conf ->
                conf.set(
                    CommonConfigurationKeysPublic.HADOOP_SECURITY_KEY_PROVIDER_PATH,
                    JavaKeyStoreProvider.SCHEME_NAME + "://file" + temporary.resolve("keys.jks")));
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
   * interrupt.
   */
  @Test
  void aWriterInterruptedBeforeAnyByteIsTakenCanGoOn() throws Exception {
    byte[] data = WriteCluster.bytes(1, STRIPE);
    try (SharedPool pool = new SharedPool(twoStripesLessOneByte(), () -> 0)) {
      DistributedFileSystem fs = cluster.open(OURS);
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
    org.apache.hadoop.fs.Path zone = file("zone");
    cluster.cluster.getFileSystem().mkdirs(zone);
    DFSTestUtil.createKey("key", cluster.cluster, cluster.conf());
    new HdfsAdmin(cluster.cluster.getURI(0), cluster.conf()).createEncryptionZone(zone, "key");
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(zone, "f");
    byte[] data = WriteCluster.bytes(2, STRIPE);
    try (SharedPool pool = new SharedPool(twoStripesLessOneByte(), () -> 0)) {
      DistributedFileSystem fs = cluster.open(OURS);
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
    FSDataOutputStream out;
    try (SharedPool ignored =
        new SharedPool(
            Long.MAX_VALUE,
            () -> {
              if (fails.get()) {
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
}
