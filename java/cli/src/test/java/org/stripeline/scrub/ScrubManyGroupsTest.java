// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.apache.hadoop.io.erasurecode.ErasureCodeConstants;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.terminal.ExitStatus;

/**
 * No damage is reported in thousands of groups that have none. Most groups are in files of many
 * groups of a few KiB, which are cheap to write.
 */
@Tag("full")
@Tag("conformance")
@Timeout(600)
class ScrubManyGroupsTest {
  private static final int GROUPS = 10_000;
  private static final int CELL = 1024;
  private static final int GROUPS_PER_FILE = 50;
  private static final int WRITERS = 8;

  @TempDir Path directory;
  private final AtomicInteger written = new AtomicInteger();
  private ErasureCodingPolicy[] policies;

  @Test
  void undamagedGroupsAreHealthy() throws Exception {
    long seed = new SecureRandom().nextLong();
    System.out.println("seed of the files: " + seed);
    try (ConvertCluster cluster =
        new ConvertCluster(
            directory.resolve("dfs"),
            5,
            5,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.set("stripeline.agent.scrub.bandwidth", "0");
              conf.setInt("dfs.datanode.handler.count", 20);
            })) {
      policies =
          new ErasureCodingPolicy[] {
            policy(cluster.fs(), ErasureCodeConstants.RS_3_2_SCHEMA),
            policy(cluster.fs(), ErasureCodeConstants.XOR_2_1_SCHEMA),
            null
          };
      long began = System.nanoTime();
      writeAll(cluster.fs(), seed);
      long scrubbed = System.nanoTime();
      ScrubReport report = ScrubReport.of(cluster.uri() + "/tree", "--json", "--groups-at-once=32");
      long ended = System.nanoTime();
      System.out.printf(
          "%d groups: written in %d s, scrubbed in %d s%n",
          written.get(), (scrubbed - began) / 1_000_000_000, (ended - scrubbed) / 1_000_000_000);
      assertThat(report.groups()).as("seed %d", seed).isEmpty();
      assertThat(report.status).as("%s", report).isEqualTo(ExitStatus.SOUND);
      assertThat(report.sum("groupsHealthy")).isEqualTo(written.get());
      assertThat(report.sum("windowsByClient")).isZero();
    }
  }

  private static ErasureCodingPolicy policy(DistributedFileSystem fs, ECSchema schema)
      throws IOException {
    ErasureCodingPolicy[] wanted = {new ErasureCodingPolicy(schema, CELL)};
    ErasureCodingPolicy policy = fs.addErasureCodingPolicies(wanted)[0].getPolicy();
    fs.enableErasureCodingPolicy(policy.getName());
    return policy;
  }

  private void writeAll(DistributedFileSystem fs, long seed) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        Random random = new Random(seed + i);
        writers.add(
            threads.submit(
                () -> {
                  for (int file = 0; written.get() < GROUPS; file++) {
                    write(fs, "/tree/" + writer + "/" + file, random);
                  }
                  return null;
                }));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Writes a file of many groups, or, just as often, one of a single group. */
  private void write(DistributedFileSystem fs, String file, Random random) throws IOException {
    ErasureCodingPolicy policy = policies[random.nextInt(policies.length)];
    int perGroup = CELL * (policy == null ? 1 : policy.getNumDataUnits());
    int groups = random.nextBoolean() ? 1 : GROUPS_PER_FILE;
    byte[] bytes = new byte[(groups - 1) * perGroup + 1 + random.nextInt(perGroup)];
    random.nextBytes(bytes);
    var builder = fs.createFile(new org.apache.hadoop.fs.Path(file)).recursive().blockSize(CELL);
    if (policy == null) {
      builder.replicate().replication((short) 2);
    } else {
      builder.ecPolicyName(policy.getName());
    }
    try (FSDataOutputStream out = builder.build()) {
      out.write(bytes);
    }
    written.addAndGet(groups);
  }
}
