// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.Agents;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.natives.Ticker;
import org.stripeline.scrub.check.NotAskedException;

class SilentNodesTest {
  private long nanos;
  private long callNanos;
  private AgentException.Kind kind;
  private int calls;
  private final Ticker ticker = () -> nanos;

  private final Agents agents =
      (Agents)
          Proxy.newProxyInstance(
              Agents.class.getClassLoader(),
              new Class<?>[] {Agents.class},
              (proxy, method, arguments) -> fingerprint((FingerprintRequest) arguments[1]));

  private final ClusterAccess access = new ClusterAccess(null, agents, ticker);

  private BlockFingerprints fingerprint(FingerprintRequest request) throws IOException {
    calls++;
    nanos += callNanos;
    if (kind != null) {
      throw new AgentException(kind, "as the test wants");
    }
    return new BlockFingerprints.Builder(request).end(BlockFingerprints.Outcome.ABSENT, "");
  }

  private void call(String uuid) throws IOException {
    DatanodeInfo node =
        new DatanodeInfo.DatanodeInfoBuilder()
            .setDatanodeUuid(uuid)
            .setIpAddr("10.0.0.1")
            .setXferPort(9866)
            .build();
    FingerprintRequest request =
        new FingerprintRequest.Builder("pool", new AgentBlock(1, 1, 1)).build();
    access.fingerprint(node, null, request, new AtomicBoolean());
  }

  private void fails(AgentException.Kind expected, long seconds) {
    kind = expected;
    callNanos = TimeUnit.SECONDS.toNanos(seconds);
    assertThatThrownBy(() -> call("slow"))
        .isInstanceOfSatisfying(
            AgentException.class, e -> assertThat(e.kind()).isEqualTo(expected));
  }

  private void answers(String uuid) throws IOException {
    kind = null;
    callNanos = 0;
    call(uuid);
  }

  @Test
  void aDataNodeThatDidNotAnswerInTimeIsNotAskedForAWhile() throws IOException {
    fails(AgentException.Kind.UNREACHABLE, 120);
    assertThatThrownBy(() -> call("slow"))
        .isInstanceOf(NotAskedException.class)
        .hasMessageContaining("10.0.0.1:9866");
    nanos += TimeUnit.SECONDS.toNanos(599);
    assertThatThrownBy(() -> call("slow")).isInstanceOf(NotAskedException.class);
    assertThat(calls).isEqualTo(1);
    answers("other");

    // The call that hangs still occupies the agent.
    nanos += TimeUnit.SECONDS.toNanos(1);
    fails(AgentException.Kind.BUSY, 60);
    assertThatThrownBy(() -> call("slow")).isInstanceOf(NotAskedException.class);

    nanos += TimeUnit.SECONDS.toNanos(600);
    answers("slow");
    fails(AgentException.Kind.BUSY, 60);
    answers("slow");
  }

  /** Also one that is being restarted has no agent for a while. */
  @Test
  void aDataNodeThatHadNoAgentIsAskedAgainAfterAWhile() throws IOException {
    kind = AgentException.Kind.NO_AGENT;
    for (int i = 0; i < 2; i++) {
      // The client, which is used instead, has no cluster in this test.
      assertThatThrownBy(() -> call("restarted")).isInstanceOf(NullPointerException.class);
    }
    assertThat(calls).isEqualTo(1);

    nanos += TimeUnit.MINUTES.toNanos(10) + 1;
    answers("restarted");
    answers("restarted");
    assertThat(calls).isEqualTo(3);
  }

  @Test
  void aDataNodeThatRefusesAtOnceOrIsBusyIsAskedAgain() throws IOException {
    fails(AgentException.Kind.UNREACHABLE, 1);
    fails(AgentException.Kind.BUSY, 60);
    answers("slow");
  }
}
