// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.ear;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.FlowGraph;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;
import org.stripeline.placement.ear.PendingCounts.Event;

class PendingStripesTest {
  private static final CodeShape RS_6_3 = CodeShape.ofDataAndParity(6, 3);
  private static final RackRule RULE = RackRule.atMost(1).spread();
  private static final int NO_NODE = ReplicaDraw.NO_NODE;

  private final Topology topology = Topology.uniform(12, 6);
  private final SplittableRandom random = new SplittableRandom(99);

  @Test
  void blocksOfAnOwnerMakeWholeStripes() {
    PendingStripes pending = store(10);
    for (int stripe = 0; stripe < 4; stripe++) {
      FlowGraph graph = new FlowGraph(RS_6_3, topology, RULE, null);
      for (int block = 0; block < 6; block++) {
        Advice advice = place(pending, "/a", 7, 0).get();
        assertThat(advice.position()).isEqualTo(block);
        assertThat(advice.coreRack()).isEqualTo(1);
        assertThat(advice.nodes()[0]).isEqualTo(7);
        assertThat(graph.add(advice.nodes())).isTrue();
      }
    }
    assertThat(pending.size()).isEqualTo(1);
    assertThat(pending.counts().of(Event.SEALED)).isEqualTo(3);
    assertThat(pending.counts().of(Event.ADVISED)).isEqualTo(24);
    assertThat(pending.counts().of(Event.TRIED)).isGreaterThanOrEqualTo(24);
  }

  @Test
  void stripesCanReserveTheCoreRack() {
    PendingStripes pending = PendingStripes.sparingCore(RS_6_3, RULE, 10, 100, 50);
    BitSet others = new BitSet();
    others.set(0, 12);
    others.clear(1);
    FlowGraph graph = new FlowGraph(RS_6_3, topology, RULE, others);
    for (int block = 0; block < 6; block++) {
      assertThat(graph.add(place(pending, "/a", 7, 0).get().nodes())).isTrue();
    }
  }

  @Test
  void ownersAndCoreRacksHaveStripesOfTheirOwn() {
    PendingStripes pending = store(10);
    assertThat(place(pending, "/a", 7, 0).get().position()).isZero();
    assertThat(place(pending, "/b", 7, 0).get().position()).isZero();
    assertThat(place(pending, "/a", 13, 0).get().position()).isZero();
    assertThat(place(pending, "/a", 8, 0).get().position()).isEqualTo(1);
    assertThat(pending.size()).isEqualTo(3);
  }

  @Test
  void aFileHasOneStripeWhoeverWritesIt() {
    PendingStripes pending = store(10);
    for (int block = 0; block < 12; block++) {
      int writer = block % 6 == 0 ? 13 : 7 * (block % 5);
      Advice advice = pending.placeInOrder("/a", topology, writer, 3, n -> false, 0, random).get();
      assertThat(advice.position()).isEqualTo(block % 6);
      assertThat(advice.coreRack()).isEqualTo(topology.rackOf(13));
    }
    assertThat(pending.size()).isEqualTo(1);
    assertThat(pending.counts().of(Event.OPENED)).isEqualTo(2);
  }

  @Test
  void aFilesStripesStayInStepWithItsGroups() {
    Topology small = Topology.uniform(3, 3);
    PendingStripes pending = new PendingStripes(RS_6_3, RackRule.atMost(1), 4, 100, 5);
    for (int block = 0; block < 24; block++) {
      // Every fifth call has a topology in which nodes outside the core rack are in other racks.
      Topology seen = block % 5 == 4 ? Topology.ofRackSizes(3, 4, 2) : small;
      Advice advice = pending.placeInOrder("/a", seen, 0, 3, n -> false, 0, random).get();
      assertThat(advice.position()).isEqualTo(block % 6);
      assertThat(advice.coreRack()).isZero();
      assertThat(advice.nodes()[0]).isZero();
      // The core rack and one other rack retain a block each, for any choice of nodes.
      assertThat(advice.canStay() || advice.position() > 1).isTrue();
    }
    PendingCounts counts = pending.counts();
    assertThat(counts.of(Event.CLOSED_SHORT)).isZero();
    assertThat(counts.of(Event.SEALED)).isEqualTo(3);
    assertThat(counts.of(Event.WITHOUT_PLACE)).as("three racks hold three").isGreaterThan(8);
  }

  @Test
  void aBlockOfAFileWithoutAdviceCounts() {
    PendingStripes pending = store(4);
    assertThat(pending.placeInOrder("/a", topology, 0, 3, n -> false, 0, random)).isPresent();
    assertThat(pending.placeInOrder("/a", topology, 0, 3, n -> n < 6 && n > 2, 0, random))
        .isPresent();
    assertThat(pending.placeInOrder("/a", topology, 0, 8, n -> false, 0, random)).isEmpty();
    Optional<Advice> next = pending.placeInOrder("/a", topology, 0, 3, n -> false, 0, random);
    assertThat(next.get().position()).isEqualTo(3);
  }

  @Test
  void aWriterThatIsNoNodeKeepsToOneRandomRack() {
    PendingStripes pending = store(10);
    int core = place(pending, "/a", NO_NODE, 0).get().coreRack();
    for (int block = 1; block < 6; block++) {
      Advice advice = place(pending, "/a", 4711, 0).get();
      assertThat(advice.coreRack()).isEqualTo(core);
      assertThat(topology.rackOf(advice.nodes()[0])).isEqualTo(core);
    }
  }

  @Test
  void stripesAreBoundedInNumberAndAge() {
    PendingStripes pending = store(8);
    for (int owner = 0; owner < 1000; owner++) {
      assertThat(place(pending, "/" + owner, NO_NODE, 0)).isPresent();
      assertThat(pending.size()).isLessThanOrEqualTo(8);
    }
    assertThat(pending.counts().of(Event.EVICTED)).isEqualTo(1000 - pending.size());
    int kept = pending.size();
    pending.expire(100);
    assertThat(pending.size()).isEqualTo(kept);
    pending.expire(101);
    assertThat(pending.size()).isZero();
    assertThat(pending.counts().of(Event.AGED_OUT)).isEqualTo(kept);
  }

  @Test
  void oldStripesAreRemovedWhenOthersAreWritten() {
    PendingStripes pending = store(1);
    place(pending, "/a", 7, 0);
    assertThat(place(pending, "/a", 7, 101).get().position()).isZero();
    assertThat(pending.counts().of(Event.AGED_OUT)).isEqualTo(1);
    // A clock that goes backwards does not discard stripes.
    assertThat(place(pending, "/a", 7, -5).get().position()).isEqualTo(1);
  }

  @Test
  void anAbandonedBlockIsRemoved() {
    PendingStripes pending = store(10);
    for (int stripe = 0; stripe < 3; stripe++) {
      for (int block = 0; block < 6; block++) {
        int[] abandoned = place(pending, "/a", 7, 0).get().nodes();
        Optional<Advice> again =
            pending.place("/a", topology, 7, 3, n -> n == abandoned[1], 0, random);
        assertThat(again.get().position()).as("the place of the abandoned one").isEqualTo(block);
        assertThat(again.get().nodes()).doesNotContain(abandoned[1]);
      }
    }
    assertThat(pending.counts().of(Event.WITHDRAWN)).isEqualTo(18);
    assertThat(pending.counts().of(Event.SEALED)).isEqualTo(2);
  }

  @Test
  void inconsistentStateGivesNoAdvice() {
    PendingStripes pending = store(10);
    assertThat(pending.place("/a", topology, 7, 1, n -> false, 0, random)).isEmpty();
    assertThat(pending.place("/a", topology, 7, 7, n -> false, 0, random))
        .as("six nodes on one other rack")
        .isPresent();
    assertThat(pending.place("/b", topology, 7, 8, n -> false, 0, random)).isEmpty();
    assertThat(pending.place("/b", topology, 7, 1000, n -> false, 0, random)).isEmpty();
    assertThat(pending.place("/b", topology, 7, 3, n -> true, 0, random)).isEmpty();
    assertThat(pending.place("/b", Topology.ofRackSizes(5), 2, 3, n -> false, 0, random)).isEmpty();
    assertThat(pending.place("/b", Topology.ofRackSizes(), 2, 3, n -> false, 0, random)).isEmpty();
    assertThat(pending.size()).as("nothing is kept of what failed").isEqualTo(1);
    assertThat(pending.counts().of(Event.NOT_ADVISED)).isEqualTo(6);
    // The writer's rack takes no block.
    assertThat(
            pending.place("/c", topology, 7, 3, n -> n < 12 && n > 5, 0, random).get().coreRack())
        .isNotEqualTo(1);
  }

  /** Idle stripes must not keep the topologies of a NameNode that has a new one every 3 s. */
  @Test
  void stripesGoOnWithoutTheTopologyOfTheirLastBlock() {
    List<List<Advice>> advices = new ArrayList<>();
    for (boolean forgets : new boolean[] {false, true}) {
      PendingStripes pending = PendingStripes.sparingCore(RS_6_3, RULE, 10, 100, 50);
      SplittableRandom same = new SplittableRandom(5);
      List<Advice> placed = new ArrayList<>();
      Advice last = null;
      for (int block = 0; block < 30; block++) {
        // Every fourth block is placed again, first while its topology is forgotten.
        int refused = block % 4 == 3 ? last.nodes()[1] : NO_NODE;
        Topology now = Topology.uniform(9, 6);
        last = pending.placeInOrder("/a", now, 7, 3, n -> n == refused, 0, same).get();
        placed.add(last);
        if (forgets) {
          pending.forgetTopologies();
          pending.forgetTopologies();
        }
      }
      assertThat(pending.counts().of(Event.WITHDRAWN)).isEqualTo(7);
      advices.add(placed);
    }
    assertThat(advices.get(0)).hasToString(advices.get(1).toString());
  }

  @Test
  void closedStripesAreCounted() {
    PendingStripes pending = store(10);
    place(pending, "/a", 7, 0);
    for (int block = 0; block < 6; block++) {
      place(pending, "/b", 7, 0);
    }
    pending.closeAll();
    assertThat(pending.size()).isZero();
    assertThat(pending.counts().of(Event.CLOSED_SHORT)).isEqualTo(1);
    assertThat(pending.counts().of(Event.SEALED)).isEqualTo(1);
  }

  @Test
  void aStripeIsClosedIncompleteIfNoNodeCanTakeItsNextBlock() {
    Topology small = Topology.uniform(3, 3);
    PendingStripes pending = new PendingStripes(RS_6_3, RackRule.atMost(1), 4, 100, 5);
    for (int block = 0; block < 30; block++) {
      Advice advice = pending.place("/a", small, 0, 3, n -> false, 0, random).get();
      assertThat(advice.position()).isEqualTo(block % 3);
    }
    assertThat(pending.counts().of(Event.CLOSED_SHORT)).isEqualTo(9);
  }

  @Test
  void aStripeContinuesOnlyIfItFitsTheNewTopology() {
    PendingStripes pending = store(10);
    place(pending, "/a", 7, 0);
    Topology same = Topology.uniform(12, 6);
    for (int block = 1; block < 4; block++) {
      assertThat(pending.place("/a", same, 7, 3, n -> false, 0, random).get().position())
          .isEqualTo(block);
    }
    // Node 7 is in another rack of this topology, so a new stripe begins; the old one is kept.
    Topology moved = Topology.uniform(20, 3);
    assertThat(pending.place("/a", moved, 7, 3, n -> false, 0, random).get().position()).isZero();
    // Node 7 is in its old rack again, but three racks cannot hold four blocks.
    assertThat(
            pending
                .place("/a", Topology.ofRackSizes(6, 6, 60), 7, 3, n -> false, 0, random)
                .get()
                .position())
        .isZero();
    assertThat(pending.counts().of(Event.CLOSED_SHORT)).isEqualTo(1);
  }

  @Test
  void boundsMustBePositive() {
    assertThatThrownBy(() -> new PendingStripes(RS_6_3, RULE, 0, 1, 1))
        .hasMessage("Cannot keep 0 stripes for 1 with 1 tries a block: each must be at least 1");
  }

  /**
   * Simulates handlers of a NameNode: some write their own files, all share the stripes of a
   * directory.
   */
  @Test
  void manyHandlersGetStripesThatFit() throws Exception {
    int stripesMax = 300;
    int threads = 8;
    int blocks = 3000;
    PendingStripes pending = store(stripesMax);
    AtomicInteger number = new AtomicInteger();
    CyclicBarrier start = new CyclicBarrier(threads);
    ExecutorService handlers = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        tasks.add(
            () -> {
              int me = number.getAndIncrement();
              start.await(30, TimeUnit.SECONDS);
              write(pending, me, blocks);
              return null;
            });
      }
      for (Future<Void> done : handlers.invokeAll(tasks, 60, TimeUnit.SECONDS)) {
        done.get();
      }
    } finally {
      handlers.shutdownNow();
      assertThat(handlers.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
    PendingCounts counts = pending.counts();
    assertThat(pending.size()).isLessThanOrEqualTo(stripesMax);
    assertThat(counts.of(Event.ADVISED) + counts.of(Event.NOT_ADVISED))
        .isEqualTo((long) threads * blocks * 2);
    assertThat(counts.of(Event.NOT_ADVISED)).isZero();
    assertThat(counts.of(Event.OPENED))
        .isEqualTo(
            pending.size()
                + counts.of(Event.SEALED)
                + counts.of(Event.CLOSED_SHORT)
                + counts.of(Event.AGED_OUT)
                + counts.of(Event.EVICTED));
  }

  private void write(PendingStripes pending, int me, int blocks) {
    SplittableRandom mine = new SplittableRandom(me);
    FlowGraph graph = new FlowGraph(RS_6_3, topology, RULE, null);
    for (int block = 0; block < blocks; block++) {
      Advice own = pending.place("/own" + me, topology, me, 3, n -> false, block / 100, mine).get();
      assertThat(own.position()).isEqualTo(block % 6);
      if (own.position() == 0) {
        graph = new FlowGraph(RS_6_3, topology, RULE, null);
      }
      assertThat(graph.add(own.nodes())).isTrue();
      int writer = mine.nextInt(topology.nodes());
      int[] nodes =
          pending.place("/shared", topology, writer, 2, n -> false, 0, mine).get().nodes();
      assertThat(IntStream.of(nodes).map(topology::rackOf).distinct().count()).isEqualTo(2);
      assertThat(nodes[0]).isEqualTo(writer);
    }
  }

  private PendingStripes store(int stripesMax) {
    return new PendingStripes(RS_6_3, RULE, stripesMax, 100, 8);
  }

  private Optional<Advice> place(PendingStripes pending, String owner, int writer, long now) {
    return pending.place(owner, topology, writer, 3, n -> false, now, random);
  }
}
