// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.stripeline.server.datanode.AgentCluster.refused;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentException;

class ScrubTurnsTest {
  private static final byte[] ONE = {1};
  private static final byte[] OTHER = {2};

  private final AtomicLong nanos = new AtomicLong();
  private final ScrubTurns turns = new ScrubTurns(nanos::get);

  private void ask(byte[] client, int times) {
    for (int i = 0; i < times; i++) {
      turns.refused(client);
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(200));
    }
  }

  @Test
  void aCallerThatWaitsForSecondsComesFirst() throws Exception {
    ask(OTHER, 20);
    turns.require(ONE);
    ask(OTHER, 6);
    refused(AgentException.Kind.BUSY, "another caller", () -> turns.require(ONE));
    turns.refused(ONE);
    turns.require(OTHER);
    turns.served(OTHER);
    turns.require(ONE);
    ask(ONE, 26);
    refused(AgentException.Kind.BUSY, "another caller", () -> turns.require(OTHER));
  }

  @Test
  void callersDoNotWaitForOneThatHasStoppedAsking() throws Exception {
    ask(OTHER, 26);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    turns.require(ONE);
    ask(ONE, 26);
    refused(AgentException.Kind.BUSY, "another caller", () -> turns.require(OTHER));
    turns.require(ONE);
  }
}
