// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.BlockFingerprints.Outcome;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.testkit.Conditions;

/** Tests what is found in the replicas of a DataNode. */
class ReplicaFingerprintsTest extends ReplicaReads {
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
    FingerprintRequest elsewhere = new FingerprintRequest.Builder("BP-none", right).build();
    refused(
        AgentException.Kind.UNREACHABLE,
        "has not registered for the block pool BP-none",
        () -> reader(0, new SkippingTicker()).read(elsewhere));
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
}
