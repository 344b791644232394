// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.time.Clock;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentException;
import org.stripeline.natives.Ticker;

class BlockOwnersTest {
  private long now;

  /** Every wait takes a third of its time. */
  private final Ticker ticker =
      new Ticker() {
        @Override
        public long nanos() {
          return now;
        }

        @Override
        public void timedWait(Object monitor, long timeoutNanos) {
          now += Math.max(1, timeoutNanos / 3);
        }
      };

  @Test
  void aCallWaitsForABlockThatAnotherChangesForAsLongAsItsLimit() throws Exception {
    BlockOwners owners = new BlockOwners(ticker, Clock.systemUTC());
    ExtendedBlock block = new ExtendedBlock("pool", 1, 100, 1);
    try (BlockOwners.BlockLock held = owners.lock(block)) {
      owners.lock(new ExtendedBlock("pool", 2, 100, 1)).close();
      assertThat(now).isZero();
      refused(AgentException.Kind.BUSY, "another call", () -> owners.lock(block));
      assertThat(now).isEqualTo(TimeUnit.SECONDS.toNanos(15));
      held.setOwner("writer");
    }
    assertThat(owners.lock(block).owner()).isEqualTo("writer");
  }
}
