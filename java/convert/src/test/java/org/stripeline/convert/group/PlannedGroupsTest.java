// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.WatchedFileSystem;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorageReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.KnownJobs;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.natives.Ticker;

/** Tests that the memory of a driver does not grow with groups times DataNodes. */
class PlannedGroupsTest {
  private static final int BLOCK = 64 << 10;
  private static final int GROUPS = 30;

  /** The latest state of the cluster, that of the group, and some in the frames of threads. */
  private static final int STATES_MAX = 5;

  @TempDir java.nio.file.Path directory;

  /** Each group is planned with another state of the cluster, which names all DataNodes. */
  @Test
  void groupsThatAreEncodedHoldNoStateOfTheCluster() throws Exception {
    List<WeakReference<Object>> states = new ArrayList<>();
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger held = new AtomicInteger();
    AtomicLong ahead = new AtomicLong();
    Ticker ticker = () -> System.nanoTime() + ahead.get();
    StepListener listener =
        (step, path) -> {
          if (step == Step.GROUP_NAMED) {
            ahead.addAndGet(AgentNodes.REFRESH_NANOS + TimeUnit.SECONDS.toNanos(1));
            if (begun.incrementAndGet() == GROUPS) {
              held.set(held(states));
            }
          }
        };
    DistributedFileSystem client =
        new WatchedFileSystem(
            call -> {},
            answer -> {
              if (answer instanceof DatanodeStorageReport[]) {
                synchronized (states) {
                  states.add(new WeakReference<>(answer));
                }
              }
            });
    try (ConvertCluster cluster =
        new ConvertCluster(
            directory, 6, 3, conf -> conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN))) {
      Configuration conf = new Configuration(cluster.conf());
      // As HdfsConnection sets it.
      conf.set("dfs.checksum.combine.mode", "COMPOSITE_CRC");
      client.initialize(cluster.uri(), conf);
      try (FSDataOutputStream out =
          cluster.fs().create(new Path("/groups/a"), true, 4096, (short) 3, BLOCK)) {
        out.write(ConvertCluster.bytes(1, GROUPS * 3 * BLOCK));
      }
      JobSettings settings = ConvertCluster.contiguous("/groups", "RS-3-2");
      settings.groupsAtOnce = 1;
      String root = JobDirectory.ROOT_DEFAULT;
      try (Driver driver =
          new Driver(client, root, JobObserver.NONE, listener, new KnownJobs(), ticker)) {
        assertThat(driver.execute(settings, "groups").failures()).isEmpty();
      }
    }
    assertThat(begun).hasValue(GROUPS);
    assertThat(states).hasSizeGreaterThanOrEqualTo(GROUPS);
    assertThat(held.get()).isBetween(1, STATES_MAX);
  }

  private static int held(List<WeakReference<Object>> states) {
    System.gc();
    synchronized (states) {
      return (int) states.stream().filter(state -> state.get() != null).count();
    }
  }
}
