// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NodeTurnsTest {
  private final NodeTurns turns = new NodeTurns();

  @Test
  void aDataNodeServesOneCallAtATime() throws Exception {
    AtomicInteger inCall = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Thread[] threads = new Thread[8];
    CountDownLatch all = new CountDownLatch(threads.length);
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          new Thread(
              () -> {
                all.countDown();
                for (int call = 0; call < 500; call++) {
                  try (NodeTurns.Turn turn = turns.take("a")) {
                    most.accumulateAndGet(inCall.incrementAndGet(), Math::max);
                    Thread.yield();
                    inCall.decrementAndGet();
                  } catch (InterruptedIOException e) {
                    most.set(99);
                  }
                }
              });
      threads[i].start();
    }
    all.await();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(most.get()).isEqualTo(1);
  }

  @Test
  void otherDataNodesDoNotWait() throws Exception {
    try (NodeTurns.Turn one = turns.take("a");
        NodeTurns.Turn other = turns.take("b")) {
      assertThat(one).isNotSameAs(other);
    }
    turns.take("a").close();
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    NodeTurns.Turn held = turns.take("a");
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> turns.take("a")).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    held.close();
    turns.take("a").close();
  }
}
