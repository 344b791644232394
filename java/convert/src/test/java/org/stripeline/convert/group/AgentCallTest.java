// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentException;
import org.stripeline.convert.fixture.InstantWaits;

class AgentCallTest {
  private final InstantWaits ticker = new InstantWaits();
  private final AtomicInteger asked = new AtomicInteger();

  private AgentCall.Request refused(AgentException.Kind kind, String message) {
    return () -> {
      asked.incrementAndGet();
      throw new AgentException(kind, message);
    };
  }

  @Test
  void anAgentThatStaysBusyCountsAsFailed() {
    AgentCall.Request busy = refused(AgentException.Kind.BUSY, "all calls hang");
    assertThatThrownBy(() -> AgentCall.await(ticker, busy, AgentCall.LINK_BUSY_MS))
        .isInstanceOf(AgentException.class)
        .hasMessage("all calls hang");
    assertThat(ticker.millis()).isBetween(300_000L, 300_500L);
    assertThat(asked.get()).isGreaterThan(600);
  }

  @Test
  void anAgentIsBusyForAnHourAtMost() {
    AgentCall.Request busy = refused(AgentException.Kind.BUSY, "later");
    assertThatThrownBy(() -> AgentCall.await(ticker, busy)).hasMessage("later");
    assertThat(ticker.millis()).isBetween(3_600_000L, 3_600_500L);
  }

  @Test
  void anAgentThatIsNotReadyIsCalledAgainForTwoMinutes() {
    AgentCall.Request early = refused(AgentException.Kind.NOT_READY, "no NameNode");
    assertThatThrownBy(() -> AgentCall.await(ticker, early)).hasMessage("no NameNode");
    assertThat(ticker.millis()).isBetween(120_000L, 120_500L);
  }

  @Test
  void aCallToABusyAgentIsRepeated() throws Exception {
    AgentCall.await(
        ticker,
        () -> {
          if (asked.incrementAndGet() < 3) {
            throw new AgentException(AgentException.Kind.BUSY, "later");
          }
        });

    assertThat(asked.get()).isEqualTo(3);
  }
}
