// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentException;
import org.stripeline.server.datanode.AgentKeys;
import org.stripeline.server.datanode.AgentSettings;

class HandlerShareTest {
  @Test
  void callsAreRefusedBeyondTheShare() throws Exception {
    HandlerShare share = new HandlerShare(2, 1);
    share.beginWork();
    share.beginWork();
    refused(AgentException.Kind.BUSY, AgentKeys.CALLS, share::beginWork);
    assertThat(share.beginWait()).isTrue();
    assertThat(share.beginWait()).isFalse();
    share.endWork();
    share.beginWork();
    share.endWait();
    assertThat(share.beginWait()).isTrue();
  }

  @Test
  void callsThatWaitForADiskLeaveHandlersForOthers() throws Exception {
    HandlerShare share = new HandlerShare(3, 1);
    for (int i = 0; i < 2; i++) {
      share.beginWork();
      share.beginSync();
    }
    share.beginWork();
    refused(AgentException.Kind.BUSY, AgentKeys.CALLS, share::beginSync);
    share.endWork();
    share.beginWork();
    share.endSync();
    share.beginSync();
  }

  @Test
  void scrubsLeaveHandlersForSyncsAndOthers() throws Exception {
    HandlerShare share = new HandlerShare(3, 1);
    share.beginScrub();
    refused(AgentException.Kind.BUSY, AgentKeys.CALLS, share::beginScrub);
    share.beginWork();
    share.beginSync();
    share.beginWork();
    refused(AgentException.Kind.BUSY, AgentKeys.CALLS, share::beginWork);
    share.endScrub();
    refused(AgentException.Kind.BUSY, AgentKeys.CALLS, takeAllWorkers(share, 1)::beginScrub);
    share.endWork();
    share.beginScrub();
    share.endScrub();
    share.endWork();
    share.endSync();
    share.endWork();
    takeAllWorkers(share, 3);
  }

  private static HandlerShare takeAllWorkers(HandlerShare share, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      share.beginWork();
    }
    return share;
  }

  @Test
  void hungCallsAreDistinguishedFromShortCalls() throws Exception {
    AtomicLong minutes = new AtomicLong();
    HandlerShare share = new HandlerShare(2, 1, () -> TimeUnit.MINUTES.toNanos(minutes.get()));
    assertThat(share.isStuck()).isFalse();
    share.beginWork();
    minutes.set(10);
    assertThat(share.isStuck()).as("one place is left").isFalse();
    share.beginWork();
    minutes.set(14);
    assertThat(share.isStuck()).isFalse();
    minutes.set(16);
    assertThat(share.isStuck()).isTrue();
    share.endWork();
    assertThat(share.isStuck()).isFalse();
    share.beginWork();
    assertThat(share.isStuck()).as("they come and go").isFalse();
  }

  @Test
  void hungSyncsAreDistinguishedFromShortOnes() throws Exception {
    AtomicLong minutes = new AtomicLong();
    HandlerShare share = new HandlerShare(3, 1, () -> TimeUnit.MINUTES.toNanos(minutes.get()));
    for (int i = 0; i < 2; i++) {
      share.beginWork();
      share.beginSync();
    }
    minutes.set(4);
    share.beginWork();
    share.endWork();
    assertThat(share.isStuck()).isFalse();
    minutes.set(18);
    assertThat(share.isStuck()).as("two blocks of 1 GiB on slow disks").isFalse();
    minutes.set(21);
    assertThat(share.isStuck()).as("other calls have a permit").isTrue();
    share.endSync();
    assertThat(share.isStuck()).isFalse();
  }

  @Test
  void halfOfTheHandlersAreTheShare() {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.datanode.handler.count", 10);
    check(conf, 3, 2);
    conf.setInt("dfs.datanode.handler.count", 1);
    check(conf, 1, 0);
    conf.setInt(AgentKeys.CALLS, 7);
    check(conf, 4, 3);
  }

  private static void check(Configuration conf, int workers, int waiters) {
    AgentSettings settings = new AgentSettings(conf);
    assertThat(settings.workers).isEqualTo(workers);
    assertThat(settings.waiters).isEqualTo(waiters);
  }
}
