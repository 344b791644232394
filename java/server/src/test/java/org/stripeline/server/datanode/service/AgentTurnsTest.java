// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.net.StandardSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.Agents;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentKeys;
import org.stripeline.testkit.Conditions;

/** Two scrubs that ask one DataNode for fingerprints. */
class AgentTurnsTest {
  private static final int WINDOW = 64 << 10;

  /** A call reads for half a second. */
  private static final int WINDOWS = 8;

  /** With it, Hadoop does not use the same client as for others in this process. */
  public static final class OtherSockets extends StandardSocketFactory {}

  @Test
  @Timeout(value = 3, unit = TimeUnit.MINUTES)
  void aScrubThatAsksAllTheTimeLetsAnotherIn(@TempDir Path dir) throws Exception {
    Configuration conf = new Configuration(false);
    conf.setLong(AgentKeys.SCRUB_BANDWIDTH, 1 << 20);
    try (AgentCluster cluster = new AgentCluster(dir, conf, "/a")) {
      FingerprintRequest request = cluster.fingerprints(WINDOW, WINDOWS);
      DatanodeInfo node = cluster.nodes()[0];
      Configuration other = new Configuration(cluster.fs().getConf());
      other.set("hadoop.rpc.socket.factory.class.default", OtherSockets.class.getName());
      AtomicInteger calls = new AtomicInteger();
      AtomicBoolean isOver = new AtomicBoolean();
      try (Agents first = Agents.connect(cluster.fs().getConf());
          Agents second = Agents.connect(other)) {
        Thread busy =
            new Thread(
                () -> {
                  while (!isOver.get()) {
                    try {
                      first.fingerprint(node, request);
                      calls.incrementAndGet();
                    } catch (IOException e) {
                      throw new AssertionError(e);
                    }
                  }
                });
        busy.start();
        try {
          Conditions.await("the first call", () -> calls.get() > 0);
          for (int i = 0; i < 4; i++) {
            int before = calls.get();
            second.fingerprint(node, request);
            // For 5 s, ten calls, it has no precedence, and for longer on a machine so busy that
            // it asks less than once a second.
            assertThat(calls.get() - before).isLessThan(40);
          }
        } finally {
          isOver.set(true);
          busy.join();
        }
      }
    }
  }
}
