// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.QuarantinedReplica;
import org.stripeline.server.datanode.AgentKeys;
import org.stripeline.server.datanode.AgentMetrics;
import org.stripeline.server.datanode.AgentSettings;

class QuarantineTest extends ReplicaReads {
  private static final long DAY = TimeUnit.DAYS.toMillis(1);

  private Configuration conf;
  private final List<ExtendedBlock> removed = new ArrayList<>();
  private long millis = 1_000_000_000_000L;

  private final Clock clock =
      new Clock() {
        @Override
        public Instant instant() {
          return Instant.ofEpochMilli(millis);
        }

        @Override
        public ZoneOffset getZone() {
          return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(java.time.ZoneId zone) {
          return this;
        }
      };

  @BeforeEach
  void reset() {
    conf = new Configuration(false);
    removed.clear();
  }

  private Quarantine quarantine() {
    return quarantine(block -> removed.add(block));
  }

  private Quarantine quarantine(Quarantine.Remover remover) {
    return new Quarantine(
        node(), new AgentMetrics(node()), remover, new AgentSettings(conf), clock);
  }

  private QuarantinedReplica keep(Quarantine quarantine, Written file) throws IOException {
    return quarantine.keep(file.block.getBlockPoolId(), AgentBlock.of(file.block), false);
  }

  private static List<Path> files(String directory) throws IOException {
    List<Path> files = new ArrayList<>();
    try (java.util.stream.Stream<Path> all = Files.list(Paths.get(directory))) {
      all.sorted().forEach(files::add);
    }
    return files;
  }

  @Test
  void keepsBothFilesOnceByLinks() throws IOException {
    Written file = new Written(100_000);
    Quarantine quarantine = quarantine();

    QuarantinedReplica kept = keep(quarantine, file);

    assertThat(kept.bytes).isEqualTo(100_000);
    assertThat(kept.isRemoved).isFalse();
    List<Path> files = files(kept.directory);
    assertThat(files).hasSize(2);
    assertThat(Files.isSameFile(files.get(0), file.file())).isTrue();
    assertThat(Files.isSameFile(files.get(1), file.meta())).isTrue();
    assertThat(kept.directory).doesNotContain("/current/");
    millis += 5;
    assertThat(keep(quarantine, file).directory).isEqualTo(kept.directory);
    assertThat(removed).isEmpty();
  }

  @Test
  void removesOnlyWhatIsKept() throws IOException {
    Written file = new Written(1000);
    String pool = file.block.getBlockPoolId();

    refused(
        AgentException.Kind.CHANGED,
        "not in quarantine",
        () -> quarantine().keep(pool, AgentBlock.of(file.block), true));
    assertThat(removed).isEmpty();

    keep(quarantine(), file);
    assertThat(quarantine().keep(pool, AgentBlock.of(file.block), true).isRemoved).isTrue();
    assertThat(removed).containsExactly(file.block);

    AgentBlock older =
        new AgentBlock(file.block.getBlockId(), file.block.getGenerationStamp() - 1, 1000);
    refused(
        AgentException.Kind.CHANGED,
        "generation stamp",
        () -> quarantine().keep(pool, older, true));
    assertThat(removed).hasSize(1);
  }

  @Test
  void removesNoRightReplicaThatTookThePlaceOfAWrongOne() throws IOException {
    Written file = new Written(1000);
    keep(quarantine(), file);
    byte[] bytes = Files.readAllBytes(file.file());
    Files.delete(file.file());
    Files.write(file.file(), bytes);

    refused(
        AgentException.Kind.CHANGED,
        "not in quarantine",
        () -> quarantine().keep(file.block.getBlockPoolId(), AgentBlock.of(file.block), true));
    assertThat(removed).isEmpty();
  }

  @Test
  void saysThatThereIsNoReplica() throws IOException {
    Written file = new Written(1000);
    AgentBlock other = new AgentBlock(file.block.getBlockId() + 1_000_000, 1001, 5);

    QuarantinedReplica kept = quarantine().keep(file.block.getBlockPoolId(), other, true);

    assertThat(kept.directory).isNull();
    assertThat(removed).isEmpty();
  }

  @Test
  void refusesMoreThanItsSize() throws IOException {
    conf.setLong(AgentKeys.QUARANTINE_SIZE, 0);
    Written file = new Written(1000);
    refused(
        AgentException.Kind.FAILED,
        AgentKeys.QUARANTINE_SIZE + " is 0",
        () -> keep(quarantine(), file));
  }

  @Test
  void deletesWhatIsOldEnough() throws IOException {
    conf.set(AgentKeys.QUARANTINE_PERIOD, "3d");
    Quarantine quarantine = quarantine();
    Written first = new Written(1000);
    String directory = keep(quarantine, first).directory;
    Path foreign = Files.createDirectory(Paths.get(directory).resolveSibling("notes-2024"));

    millis += 2 * DAY;
    quarantine.expireHourly();
    assertThat(Paths.get(directory)).isDirectory();

    millis += 2 * DAY;
    quarantine.expireHourly();
    assertThat(Paths.get(directory)).doesNotExist();
    assertThat(first.file()).isRegularFile();
    assertThat(foreign).isDirectory();
    Files.delete(foreign);
  }

  @Test
  void keepsAReplicaWithoutChecksums() throws IOException {
    Written file = new Written(1000);
    Files.delete(file.meta());

    QuarantinedReplica kept = keep(quarantine(), file);

    assertThat(files(kept.directory)).hasSize(1);
  }

  /** A repair asks again before it reports the replica, and goes on only if the answer is equal. */
  @Test
  void keepsAReplicaWithoutDataOnce() throws IOException {
    Written file = new Written(1000);
    Files.delete(file.file());

    QuarantinedReplica kept = keep(quarantine(), file);
    millis++;

    assertThat(files(kept.directory)).hasSize(1);
    assertThat(keep(quarantine(), file).directory).isEqualTo(kept.directory);
  }

  @Test
  void keepsAgainWhatWasKeptWithoutItsChecksums() throws IOException {
    Written file = new Written(1000);
    QuarantinedReplica first = keep(quarantine(), file);
    Files.delete(Paths.get(first.directory).resolve(file.meta().getFileName()));
    millis++;

    QuarantinedReplica kept = keep(quarantine(), file);

    assertThat(kept.directory).isNotEqualTo(first.directory);
    assertThat(files(kept.directory)).hasSize(2);
  }

  @Test
  void aCallDoesNotWaitForOneThatHangs() throws Exception {
    Written file = new Written(1000);
    Written other = new Written(1000);
    String pool = file.block.getBlockPoolId();
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch ends = new CountDownLatch(1);
    Quarantine quarantine =
        quarantine(
            block -> {
              hangs.countDown();
              try {
                return ends.await(1, TimeUnit.MINUTES);
              } catch (InterruptedException e) {
                throw new InterruptedIOException();
              }
            });
    keep(quarantine, file);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<QuarantinedReplica> removed =
          thread.submit(() -> quarantine.keep(pool, AgentBlock.of(file.block), true));
      hangs.await();
      refused(AgentException.Kind.BUSY, "disk hangs", () -> keep(quarantine, other));
      ends.countDown();
      assertThat(removed.get().isRemoved).isTrue();
      assertThat(keep(quarantine, other).directory).isNotNull();
    } finally {
      ends.countDown();
      thread.shutdownNow();
    }
  }
}
