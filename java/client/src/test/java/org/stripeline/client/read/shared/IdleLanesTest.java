// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.stripeline.client.VirtualTicker;
import org.stripeline.natives.Ticker;

class IdleLanesTest {
  private static final class WithoutReader implements IdleLanes.Idle {
    @Override
    public boolean putAway() {
      return false;
    }

    @Override
    public String node() {
      return null;
    }
  }

  private static final class At implements IdleLanes.Idle {
    private final String node;
    private boolean isClosed;

    At(String node) {
      this.node = node;
    }

    @Override
    public boolean putAway() {
      isClosed = true;
      return true;
    }

    @Override
    public String node() {
      return node;
    }
  }

  private volatile boolean mayStart;

  @Test
  void lanesAreParkedOnceThreadsCanBeStartedAgain() {
    IdleLanes idle =
        new IdleLanes(
            10,
            1,
            Ticker.SYSTEM,
            task ->
                new Thread(task, "stripeline-idle") {
                  @Override
                  public synchronized void start() {
                    if (!mayStart) {
                      throw new OutOfMemoryError("unable to create native thread");
                    }
                    super.start();
                  }
                });
    assertThatThrownBy(() -> idle.add(new WithoutReader())).isInstanceOf(OutOfMemoryError.class);
    mayStart = true;
    idle.add(new WithoutReader());
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (idle.size() > 0) {
      assertThat(System.nanoTime() - deadline).as("time left").isNegative();
      Thread.onSpinWait();
    }
  }

  @Test
  void aLaneIsPutAwayWhenItsPeriodIsOver() {
    VirtualTicker ticker = new VirtualTicker();
    IdleLanes idle = new IdleLanes(10, 3_600_000, ticker, Thread::new);
    try {
      idle.add(new WithoutReader());
      ticker.advance(1, TimeUnit.MINUTES);
      idle.add(new WithoutReader());
      ticker.advance(TimeUnit.MINUTES.toNanos(59) - 1, TimeUnit.NANOSECONDS);
      idle.sweep();
      assertThat(idle.size()).isEqualTo(2);
      ticker.advance(1, TimeUnit.NANOSECONDS);
      idle.sweep();
      assertThat(idle.size()).isEqualTo(1);
    } finally {
      idle.thread().shutdownNow();
    }
  }

  @Test
  void theOldestLaneOfADataNodeMakesRoom() {
    IdleLanes idle = new IdleLanes(10, 3_600_000, new VirtualTicker(), Thread::new);
    try {
      List<At> lanes = List.of(new At("a"), new At("b"), new At("a"), new At("b"));
      idle.add(new WithoutReader());
      lanes.forEach(idle::add);
      assertThat(idle.putAwayOldest("b")).isTrue();
      assertThat(lanes)
          .extracting(lane -> lane.isClosed)
          .containsExactly(false, true, false, false);
      assertThat(idle.putAwayOldest("b")).isTrue();
      assertThat(idle.putAwayOldest("b")).isFalse();
      assertThat(lanes).extracting(lane -> lane.isClosed).containsExactly(false, true, false, true);
      assertThat(idle.size()).isEqualTo(3);
    } finally {
      idle.thread().shutdownNow();
    }
  }

  @Test
  void theBoundFollowsTheFilesThatMayBeOpen() {
    assertThat(IdleLanes.lanesMax(1 << 20)).isEqualTo(8_192);
    assertThat(IdleLanes.lanesMax(65_536)).isEqualTo(8_192);
    assertThat(IdleLanes.lanesMax(4_096)).isEqualTo(1_024);
    assertThat(IdleLanes.lanesMax(100)).isEqualTo(256);
  }

  /**
   * Streams that read in turns and have more lanes than the bound would open a reader for every
   * read.
   */
  @Test
  void lanesOfHundredsOfStreamsAreKept() {
    IdleLanes idle =
        new IdleLanes(IdleLanes.lanesMax(65_536), 3_600_000, Ticker.SYSTEM, Thread::new);
    try {
      for (int stream = 0; stream < 200; stream++) {
        for (int unit = 0; unit < 6; unit++) {
          idle.add(new WithoutReader());
        }
      }
      assertThat(idle.size()).isEqualTo(200 * 6);
      for (int i = 0; i < 10_000; i++) {
        idle.add(new WithoutReader());
      }
      assertThat(idle.size()).isEqualTo(8_192);
    } finally {
      idle.thread().shutdownNow();
    }
  }
}
