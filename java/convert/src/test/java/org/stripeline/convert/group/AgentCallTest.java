// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentException;

class AgentCallTest {
  @Test
  void anAgentThatStaysBusyCountsAsFailed() {
    AtomicInteger asked = new AtomicInteger();

    assertThatThrownBy(
            () ->
                AgentCall.await(
                    () -> {
                      asked.incrementAndGet();
                      throw new AgentException(AgentException.Kind.BUSY, "all calls hang");
                    },
                    50))
        .isInstanceOf(AgentException.class)
        .hasMessage("all calls hang");
    assertThat(asked.get()).isGreaterThan(1);
  }

  @Test
  void aCallToABusyAgentIsRepeated() throws Exception {
    AtomicInteger asked = new AtomicInteger();

    AgentCall.await(
        () -> {
          if (asked.incrementAndGet() < 3) {
            throw new AgentException(AgentException.Kind.BUSY, "later");
          }
        });

    assertThat(asked.get()).isEqualTo(3);
  }
}
