// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaProbe;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.BlockFingerprints.Outcome;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.natives.Ticker;
import org.stripeline.natives.fingerprint.FingerprintFunction;
import org.stripeline.natives.fingerprint.JavaFingerprints;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentMetrics;
import org.stripeline.testkit.Conditions;

/** Tests the reading of one DataNode's replicas, in virtual time. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ReplicaFingerprintsTest {
  private static final int WINDOW = 64_000;
  private static final long SEED = 0x8000_0000_1234_5678L;

  private AgentCluster cluster;
  private DataNode node;
  private int files;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    cluster = new AgentCluster(dir, new Configuration(false), "/a");
    node = cluster.mini().getDataNodes().get(0);
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  /** A file of one block. */
  private final class Written {
    final org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("/file-" + files++);
    final byte[] data;
    final ExtendedBlock block;

    Written(int length, String checksumType, int bytesPerChecksum) throws IOException {
      data = AgentCluster.bytes(length, files);
      Configuration conf = new Configuration(cluster.fs().getConf());
      conf.set("dfs.checksum.type", checksumType);
      conf.setInt("dfs.bytes-per-checksum", bytesPerChecksum);
      try (FileSystem client = FileSystem.newInstance(cluster.fs().getUri(), conf);
          FSDataOutputStream out =
              client.create(
                  path, true, 4096, (short) 1, (4L << 20) / bytesPerChecksum * bytesPerChecksum)) {
        out.write(data);
      }
      block = located(path).getBlock();
    }

    Written(int length) throws IOException {
      this(length, "CRC32C", 512);
    }

    FingerprintRequest.Builder request() {
      return request(AgentBlock.of(block));
    }

    FingerprintRequest.Builder request(AgentBlock other) {
      return new FingerprintRequest.Builder(block.getBlockPoolId(), other)
          .function(SEED, 2, WINDOW)
          .windows(0, windows(data.length));
    }

    Path file() {
      return probe().file(block.getBlockId()).toPath();
    }

    Path meta() {
      return probe().meta(block.getBlockId()).toPath();
    }

    String storage() {
      return probe().storage(block.getBlockId());
    }
  }

  private static int windows(int length) {
    return Math.max(1, (length + WINDOW - 1) / WINDOW);
  }

  private LocatedBlock located(org.apache.hadoop.fs.Path path) throws IOException {
    return cluster
        .fs()
        .getClient()
        .getLocatedBlocks(path.toUri().getPath(), 0, Long.MAX_VALUE)
        .get(0);
  }

  private ReplicaProbe probe() {
    return new ReplicaProbe(node, cluster.mini().getNamesystem().getBlockPoolId());
  }

  /** A clock that a wait advances at once. */
  private static final class SkippingTicker implements Ticker {
    private long now = -17;
    private Runnable onWait = () -> {};

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public void timedWait(Object monitor, long timeoutNanos) {
      now += timeoutNanos;
      onWait.run();
    }
  }

  private interface Action {
    void run() throws Exception;
  }

  private ReplicaFingerprints reader(long bytesPerSecond, Ticker ticker) {
    return new ReplicaFingerprints(
        node, new AgentMetrics(node), bytesPerSecond, DirectFile::open, ticker);
  }

  private BlockFingerprints read(FingerprintRequest.Builder request) throws IOException {
    return reader(0, new SkippingTicker()).read(request.build());
  }

  /** Reads, and runs an action before the second window is read. */
  private ReplicaFingerprints interrupted(Action action) {
    AtomicInteger reads = new AtomicInteger();
    BlockFile.Opener opener =
        (path, buffer) -> {
          BlockFile file = DirectFile.open(path, buffer);
          return new BlockFile() {
            @Override
            public ByteBuffer read(long position, int length) throws IOException {
              if (reads.incrementAndGet() == 2) {
                act(action);
              }
              return file.read(position, length);
            }

            @Override
            public boolean isCached() {
              return file.isCached();
            }

            @Override
            public void close() throws IOException {
              file.close();
            }
          };
        };
    return new ReplicaFingerprints(node, new AgentMetrics(node), 0, opener, new SkippingTicker());
  }

  private static void act(Action action) throws IOException {
    try {
      action.run();
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[][] expected(byte[] data, int first, int count) {
    return JavaFingerprints.of(new FingerprintFunction(SEED, 2, WINDOW), data, first, count);
  }

  private static void overwrite(Path file, long position, byte[] bytes) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.seek(position);
      out.write(bytes);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, CRC32C, 500",
    "499, CRC32, 500",
    "500, CRC32C, 500",
    "64000, CRC32C, 512",
    "64001, CRC32, 1000",
    "63999, NULL, 512",
    "300000, CRC32C, 128",
    "300000, CRC32C, 64000",
    "300000, NULL, 512"
  })
  void fingerprintsAreThoseOfTheBytes(int length, String type, int bytesPerChecksum)
      throws Exception {
    Written file = new Written(length, type, bytesPerChecksum);
    BlockFingerprints answer = read(file.request().windows(0, windows(length) + 2));
    assertThat(answer.outcome).as(answer.message).isEqualTo(Outcome.READ);
    assertThat(answer.message).isEmpty();
    assertThat(answer.length).isEqualTo(length);
    assertThat(answer.generationStamp).isEqualTo(file.block.getGenerationStamp());
    assertThat(answer.checksumType).isEqualTo(type);
    assertThat(answer.badWindows).isEmpty();
    assertThat(answer.badChunkCount).isZero();
    assertThat(answer.fingerprints()).isDeepEqualTo(expected(file.data, 0, windows(length) + 2));
    for (int first = 0; first < windows(length) + 2; first++) {
      assertThat(read(file.request().windows(first, 1)).fingerprints())
          .isDeepEqualTo(expected(file.data, first, 1));
    }
    assertThat(read(file.request().windows(Long.MAX_VALUE / WINDOW - 9, 9)).fingerprints())
        .isDeepEqualTo(new byte[9][128]);
  }

  @Test
  void anEmptyReplicaHasZeros() throws Exception {
    long id = 1L << 40;
    probe().addEmpty(id, 1001);
    Written any = new Written(1);
    BlockFingerprints answer = read(any.request(new AgentBlock(id, 1001, 0)));
    assertThat(answer.outcome).as(answer.message).isEqualTo(Outcome.READ);
    assertThat(answer.fingerprints()).isDeepEqualTo(new byte[1][128]);
  }

  @Test
  void wrongChecksumsAreNamedAndTheBytesStillSummed() throws Exception {
    Written file = new Written(300_000);
    byte[] damaged = file.data.clone();
    for (int at : new int[] {1024, 1537, 130_000, 299_999}) {
      damaged[at] ^= 1;
    }
    overwrite(file.file(), 0, damaged);
    BlockFingerprints answer = read(file.request());
    assertThat(answer.outcome).isEqualTo(Outcome.READ);
    assertThat(answer.badWindows).containsExactly(0L, 2L, 4L);
    assertThat(answer.badChunks).containsExactly(1024L, 1536L, 129_536L, 299_520L);
    assertThat(answer.badChunkCount).isEqualTo(4);
    assertThat(answer.fingerprints()).isDeepEqualTo(expected(damaged, 0, 5));
    assertThat(read(file.request().windows(2, 1)).badChunks).containsExactly(129_536L);
  }

  @Test
  void theListOfWrongChunksIsBounded() throws Exception {
    Written file = new Written(3 * WINDOW, "CRC32C", 128);
    overwrite(file.meta(), 7, new byte[3 * WINDOW / 128 * 4]);
    BlockFingerprints answer = read(file.request());
    assertThat(answer.badChunkCount).isEqualTo(1500);
    assertThat(answer.badChunks).hasSize(BlockFingerprints.BAD_CHUNKS_MAX);
    assertThat(answer.badWindows).containsExactly(0L, 1L, 2L);
    assertThat(answer.fingerprints()).isDeepEqualTo(expected(file.data, 0, 3));
  }

  @Test
  void otherReplicasThanTheRequestedOneAreNotRead() throws Exception {
    Written file = new Written(100_000);
    AgentBlock right = AgentBlock.of(file.block);
    BlockFingerprints answer = read(file.request(new AgentBlock(right.id + 1_000_000, 1, 5)));
    assertThat(answer.outcome).isEqualTo(Outcome.ABSENT);
    assertThat(answer.generationStamp).isZero();
    for (AgentBlock other :
        new AgentBlock[] {
          new AgentBlock(right.id, right.generationStamp + 1, right.length),
          new AgentBlock(right.id, right.generationStamp, right.length - 1),
          new AgentBlock(right.id, right.generationStamp, 0)
        }) {
      answer = read(file.request(other));
      assertThat(answer.outcome).isEqualTo(Outcome.DIFFERENT);
      assertThat(answer.generationStamp).isEqualTo(right.generationStamp);
      assertThat(answer.length).isEqualTo(right.length);
      assertThat(answer.message).contains("requested is " + other);
      assertThat(answer.windows).isZero();
    }
    BlockFingerprints elsewhere =
        reader(0, new SkippingTicker())
            .read(new FingerprintRequest.Builder("BP-none", right).build());
    assertThat(elsewhere.outcome).isEqualTo(Outcome.ABSENT);
  }

  @Test
  void replicasBeingWrittenAreNotRead() throws Exception {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("/open");
    Written any = new Written(1);
    try (FSDataOutputStream out = cluster.fs().create(path)) {
      out.write(new byte[1000]);
      out.hflush();
      ExtendedBlock block = located(path).getBlock();
      block.setNumBytes(1000);
      BlockFingerprints answer = read(any.request(AgentBlock.of(block)));
      assertThat(answer.outcome).isEqualTo(Outcome.UNFINISHED);
      assertThat(answer.message).contains("RBW");
      assertThat(answer.length).isEqualTo(1000);
    }
  }

  @Test
  void damagedFilesAreFindings() throws Exception {
    Written cut = new Written(100_000);
    try (RandomAccessFile data = new RandomAccessFile(cut.file().toFile(), "rw")) {
      data.setLength(70_000);
    }
    BlockFingerprints answer = read(cut.request());
    assertThat(answer.outcome).isEqualTo(Outcome.DIFFERENT);
    assertThat(answer.length).isEqualTo(70_000);

    Written gone = new Written(100_000);
    Files.delete(gone.file());
    unreadable(gone, 0, gone.file().getFileName().toString());

    Written unchecked = new Written(100_000);
    Files.delete(unchecked.meta());
    unreadable(unchecked, 0, unchecked.meta().getFileName().toString());

    Written header = new Written(100_000);
    overwrite(header.meta(), 2, new byte[] {99});
    unreadable(header, 0, "");

    Written fewer = new Written(100_000);
    try (RandomAccessFile meta = new RandomAccessFile(fewer.meta().toFile(), "rw")) {
      meta.setLength(7 + 4 * 150);
    }
    unreadable(fewer, 1, "");
  }

  @Test
  void windowsThatDivideChunksAreAnsweredWithTheirLength() throws Exception {
    for (int bytes : new int[] {32, 768, 65_536}) {
      BlockFingerprints answer = read(new Written(100_000, "CRC32C", bytes).request());
      assertThat(answer.outcome).as(answer.message).isEqualTo(Outcome.UNFITTING);
      assertThat(answer.bytesPerChecksum).isEqualTo(bytes);
      assertThat(answer.windows).isZero();
    }
  }

  private void unreadable(Written file, int windows, String message) throws IOException {
    BlockFingerprints answer = read(file.request());
    assertThat(answer.outcome).as(answer.message).isEqualTo(Outcome.UNREADABLE);
    assertThat(answer.message).contains(message);
    assertThat(answer.windows).isEqualTo(windows);
    assertThat(answer.fingerprints()).isDeepEqualTo(expected(file.data, 0, windows));
  }

  @Test
  void anErrorOfTheDiskKeepsWhatWasRead() throws Exception {
    Written file = new Written(300_000);
    ReplicaFingerprints reader =
        interrupted(
            () -> {
              throw new IOException("Input/output error");
            });
    BlockFingerprints answer = reader.read(file.request().build());
    assertThat(answer.outcome).isEqualTo(Outcome.UNREADABLE);
    assertThat(answer.message).isEqualTo("Input/output error");
    assertThat(answer.fingerprints()).isDeepEqualTo(expected(file.data, 0, 1));
    assertThat(reader.read(file.request().build()).windows).as("another call").isEqualTo(5);
  }

  @Test
  void changesDuringTheReadAreNoticed() throws Exception {
    Written appended = new Written(300_000);
    changed(
        appended,
        () -> {
          try (FSDataOutputStream out = cluster.fs().append(appended.path)) {
            out.write(1);
          }
        },
        "300001 bytes");
    Written open = new Written(300_000);
    FSDataOutputStream[] out = new FSDataOutputStream[1];
    changed(
        open,
        () -> {
          out[0] = cluster.fs().append(open.path);
          out[0].write(1);
          out[0].hflush();
        },
        "RBW");
    out[0].close();
    Written deleted = new Written(300_000);
    changed(
        deleted,
        () -> {
          cluster.fs().delete(deleted.path, false);
          Conditions.await("its deletion", () -> !probe().isThere(deleted.block));
        },
        "now it does not exist");
    Written replaced = new Written(300_000);
    changed(
        replaced,
        () -> {
          Path copy = replaced.file().resolveSibling("copy");
          Files.copy(replaced.file(), copy);
          Files.move(copy, replaced.file(), StandardCopyOption.REPLACE_EXISTING);
        },
        "when opened");
    Written failed = new Written(300_000);
    changed(
        failed,
        () -> {
          cluster.fs().delete(failed.path, false);
          Conditions.await("its deletion", () -> !probe().isThere(failed.block));
          throw new IOException("as if the file had been cut");
        },
        "now it does not exist");
    Conditions.await("the volumes to be released", () -> probe().users() == 0);
  }

  private void changed(Written file, Action action, String message) throws IOException {
    BlockFingerprints answer = interrupted(action).read(file.request().build());
    assertThat(answer.outcome).as(answer.message).isEqualTo(Outcome.CHANGED);
    assertThat(answer.message).contains(message);
    assertThat(answer.windows).isZero();
    assertThat(answer.fingerprints()).isEmpty();
  }

  @Test
  void oneCallReadsAStorageAtATime() throws Exception {
    Written first = new Written(300_000);
    Written same = new Written(1000);
    while (!same.storage().equals(first.storage())) {
      same = new Written(1000);
    }
    Written other = new Written(1000);
    while (other.storage().equals(first.storage())) {
      other = new Written(1000);
    }
    FingerprintRequest busy = same.request().build();
    FingerprintRequest idle = other.request().build();
    ReplicaFingerprints[] reader = new ReplicaFingerprints[1];
    reader[0] =
        interrupted(
            () -> {
              String storage = first.storage();
              refused(AgentException.Kind.BUSY, storage, () -> reader[0].read(busy));
              assertThat(reader[0].read(idle).outcome).isEqualTo(Outcome.READ);
            });
    assertThat(reader[0].read(first.request().build()).windows).isEqualTo(5);
    assertThat(reader[0].read(busy).outcome).isEqualTo(Outcome.READ);
    assertThat(reader[0].bufferBytes()).isEqualTo(2L * DirectFile.BUFFER_BYTES);
  }

  /** A window of 64,000 bytes takes a quarter of a second at 256,000 bytes per second. */
  @Test
  void callsKeepTheRateAndEndInTime() throws Exception {
    Written file = new Written(30 * WINDOW);
    SkippingTicker ticker = new SkippingTicker();
    ReplicaFingerprints reader = reader(256_000, ticker);
    long start = ticker.now;
    BlockFingerprints answer = reader.read(file.request().bytesPerSecond(1 << 30).build());
    assertThat(ticker.now - start).isEqualTo(ReplicaFingerprints.CALL_NANOS);
    assertThat(answer.outcome).isEqualTo(Outcome.READ);
    assertThat(answer.fingerprints()).isDeepEqualTo(expected(file.data, 0, 21));
    answer = reader.read(file.request().windows(21, 9).build());
    assertThat(answer.fingerprints()).isDeepEqualTo(expected(file.data, 21, 9));
    assertThat(ticker.now - start).isEqualTo(29 * TimeUnit.MILLISECONDS.toNanos(250));
  }

  @Test
  void aCallCanAskForALowerRate() throws Exception {
    Written file = new Written(3 * WINDOW);
    SkippingTicker ticker = new SkippingTicker();
    ReplicaFingerprints reader = reader(1L << 30, ticker);
    long start = ticker.now;
    reader.read(file.request().bytesPerSecond(FingerprintRequest.RATE_MIN).build());
    long two = 2 * (WINDOW * TimeUnit.SECONDS.toNanos(1) / FingerprintRequest.RATE_MIN);
    assertThat(ticker.now - start).isEqualTo(two);
    reader.read(file.request().bytesPerSecond(FingerprintRequest.RATE_MIN).build());
    assertThat(ticker.now - start).as("the limit is of each call").isEqualTo(2 * two);
  }

  @Test
  void callsThatWaitEndWhenTheAgentStops() throws Exception {
    Written file = new Written(300_000);
    SkippingTicker ticker = new SkippingTicker();
    ReplicaFingerprints reader = reader(256_000, ticker);
    ticker.onWait = reader::close;
    FingerprintRequest request = file.request().build();
    refused(AgentException.Kind.NO_AGENT, "is being stopped", () -> reader.read(request));
    refused(AgentException.Kind.NO_AGENT, "is being stopped", () -> reader.read(request));
    assertThat(probe().users()).isZero();
  }
}
