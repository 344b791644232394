// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.testkit.Conditions;

/** Users who change files all the time while they are scrubbed: no damage is reported. */
@Tag("full")
@Timeout(600)
class ScrubRaceTest {
  private static final int PASSES = 25;
  private static final int FILES = 20;
  private static final int USERS = 3;

  @TempDir Path directory;
  private final AtomicInteger changes = new AtomicInteger();
  private ConvertCluster cluster;

  @Test
  void changingFilesAreNeverDamaged() throws Exception {
    long seed = new SecureRandom().nextLong();
    System.out.println("seed of the changes: " + seed);
    AtomicBoolean isOver = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(USERS);
    try (ConvertCluster opened = ConvertCluster.withoutScanners(directory)) {
      cluster = opened;
      cluster.fs().enableErasureCodingPolicy("RS-3-2-1024k");
      cluster.fs().mkdirs(path(0).getParent());
      Future<?>[] users = new Future<?>[USERS];
      for (int i = 0; i < USERS; i++) {
        Random random = new Random(seed + i);
        users[i] =
            threads.submit(
                () -> {
                  while (!isOver.get()) {
                    change(cluster.fs(), random);
                  }
                  return null;
                });
      }
      long groups = 0;
      long gone = 0;
      for (int pass = 0; pass < PASSES; pass++) {
        ScrubReport report = ScrubReport.of(cluster.uri() + "/tree", "--json");
        assertThat(report.sum("groupsDamaged")).as("seed %d: %s", seed, report).isZero();
        groups += report.sum("groups");
        gone += report.sum("groupsGone") + report.sum("filesGone");
      }
      isOver.set(true);
      for (Future<?> user : users) {
        user.get();
      }
      assertThat(groups).isGreaterThan(PASSES);
      assertThat(changes.get()).isGreaterThan(PASSES);
      System.out.println(
          changes + " changes, " + groups + " groups checked, " + gone + " files or groups gone");
      // Recoveries of leases and replicas may still go on.
      Conditions.await(
          "a sound tree", () -> ScrubReport.of(cluster.uri() + "/tree", "--json").status == 0);
    } finally {
      isOver.set(true);
      threads.shutdownNow();
    }
  }

  private static org.apache.hadoop.fs.Path path(int number) {
    return new org.apache.hadoop.fs.Path("/tree/f" + number);
  }

  private void change(DistributedFileSystem fs, Random random) {
    org.apache.hadoop.fs.Path file = path(random.nextInt(FILES));
    byte[] bytes = new byte[1 + random.nextInt(2 * ConvertCluster.BLOCK)];
    random.nextBytes(bytes);
    try {
      switch (random.nextInt(10)) {
        case 0:
          fs.delete(file, false);
          break;
        case 1:
          fs.rename(file, path(random.nextInt(FILES)));
          break;
        case 2:
          fs.truncate(file, fs.getFileStatus(file).getLen() / (1 + random.nextInt(3)));
          break;
        case 3:
        case 4:
          append(fs, file, bytes);
          break;
        case 5:
          fs.setReplication(file, (short) (2 + random.nextInt(2)));
          break;
        case 6:
        case 7:
          try (FSDataOutputStream out =
              fs.createFile(file).overwrite(true).ecPolicyName("RS-3-2-1024k").build()) {
            out.write(bytes);
          }
          break;
        default:
          try (FSDataOutputStream out = fs.createFile(file).overwrite(true).replicate().build()) {
            out.write(bytes, 0, bytes.length / 2);
            out.hflush();
            out.write(bytes, bytes.length / 2, bytes.length - bytes.length / 2);
          }
          break;
      }
      changes.incrementAndGet();
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      // Another user changes the file, or has deleted it. Hadoop's streams throw the same exception
      // again when they are closed, which becomes an IllegalArgumentException.
    }
  }

  private static void append(DistributedFileSystem fs, org.apache.hadoop.fs.Path file, byte[] bytes)
      throws IOException {
    try (FSDataOutputStream out = fs.append(file)) {
      out.write(bytes, 0, bytes.length / 3);
      out.hflush();
      out.write(bytes, 0, bytes.length / 3);
    }
  }
}
