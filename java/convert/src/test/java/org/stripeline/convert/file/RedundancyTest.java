// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.test.MetricsAsserts;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.natives.Ticker;
import org.stripeline.testkit.Conditions;

/** Tests how often the NameNode is queried for the blocks of files that are being completed. */
@Tag("full")
class RedundancyTest {
  private static final int BLOCK = 512;
  private static final int BLOCKS = 2 * Redundancy.BLOCKS_AT_ONCE + 10;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory,
            2,
            1,
            conf -> {
              // All blocks are replicated as fast as possible.
              conf.setInt("dfs.namenode.replication.work.multiplier.per.iteration", BLOCKS);
              conf.setInt("dfs.namenode.replication.max-streams", BLOCKS);
              conf.setInt("dfs.namenode.replication.max-streams-hard-limit", BLOCKS);
            });
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Returns the number of calls of a method that the NameNode has answered. */
  private static long calls(String method) {
    String source = "RpcDetailedActivityForPort" + cluster.uri().getPort();
    return MetricsAsserts.getLongCounterWithoutCheck(
        method + "NumOps", MetricsAsserts.getMetrics(source));
  }

  private static long questions() {
    return calls("GetBlockLocations");
  }

  @Test
  void requestsRangesAndNotAgainIfTheyAreComplete() throws Exception {
    Path file = new Path("/many");
    try (FSDataOutputStream out = cluster.fs().create(file, true, 4096, (short) 1, BLOCK)) {
      out.write(new byte[BLOCKS * BLOCK]);
    }
    DFSClient client = cluster.fs().getClient();
    // On Hadoop 3.3 the counter exists only after the first call.
    client.getLocatedBlocks("/many", 0);
    long before = questions();
    Redundancy.await(client, "/many", null, 1, Ticker.SYSTEM);
    assertThat(questions() - before).isEqualTo(3);

    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      before = questions();
      long start = System.nanoTime();
      Future<?> whole =
          thread.submit(
              () -> {
                Redundancy.await(client, "/many", null, 2, Ticker.SYSTEM);
                return null;
              });
      // Wait until it has queried without success.
      long begun = before;
      Conditions.await("questions", () -> questions() > begun + 2);
      cluster.fs().setReplication(file, (short) 2);
      whole.get();
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
      // Pauses double up to 2 s: ten queries before that, then one per pause.
      assertThat(questions() - before).isLessThanOrEqualTo(3 + 10 + seconds / 2);
    } finally {
      thread.shutdownNow();
    }
  }

  @Test
  void pausedDriversPollOncePerSecondTogether() throws Exception {
    JobDirectory job =
        JobDirectory.create(
            cluster.fs(), "/jobs", "paused", ConvertCluster.striped("/x", "RS-3-2"));
    cluster.fs().create(job.pauseFile()).close();
    // Hadoop 3.3 has no such counter before the first call.
    job.contents();
    long before = listings();
    InstantWaits ticker = new InstantWaits();
    List<Boolean> answers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      answers.add(job.request(ticker) == JobDirectory.Request.PAUSE);
      ticker.sleep(TimeUnit.MILLISECONDS.toNanos(9));
    }
    assertThat(answers).containsOnly(true);
    assertThat(listings() - before).isOne();

    cluster.fs().delete(job.pauseFile(), false);
    assertThat(job.request(ticker)).isEqualTo(JobDirectory.Request.PAUSE);
    ticker.sleep(1);
    assertThat(job.request(ticker)).isEqualTo(JobDirectory.Request.NONE);
  }

  private static long listings() {
    return calls("GetListing");
  }
}
