// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.placement.Topology;

/**
 * Compares the network models with cases computed by hand. Racks 0, 1, 2 have nodes {0, 1}, {2, 3},
 * {4, 5}; links transfer 10 bytes per second, disks read 20 and write 5.
 */
class NetworkTest {
  private static final double TINY = 1e-9;

  private final Clock clock = new Clock();
  private final Topology topology = Topology.uniform(3, 2);
  private final Links links = new Links(topology, new LinkRates(10, 10, 20, 5));
  private final TreeMap<String, Double> arrived = new TreeMap<>();
  private Network network;

  private static Network network(String model, Clock clock) {
    Digest digest = new Digest();
    switch (model) {
      case "sender-first":
        return new ReservingNetwork(clock, digest, ReservingNetwork.Order.SENDER_FIRST);
      case "receiver-first":
        return new ReservingNetwork(clock, digest, ReservingNetwork.Order.RECEIVER_FIRST);
      case "first-fit":
        return new CircuitNetwork(clock, digest);
      default:
        return new StoreAndForwardNetwork(clock, digest, 10, 4);
    }
  }

  private void send(String name, Route route, long bytes) {
    network.send(
        new Transfer(Purpose.BACKGROUND, route, bytes, () -> arrived.put(name, clock.now())));
  }

  private void expect(Object... namesAndTimes) {
    clock.run();
    for (int i = 0; i < namesAndTimes.length; i += 2) {
      assertThat(arrived.get(namesAndTimes[i]))
          .as("%s of %s", namesAndTimes[i], arrived)
          .isEqualTo(((Number) namesAndTimes[i + 1]).doubleValue(), within(TINY));
    }
    assertThat(arrived).hasSize(namesAndTimes.length / 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sender-first", "receiver-first", "first-fit"})
  void aCircuitIsAsFastAsItsSlowestPort(String model) {
    network = network(model, clock);
    send("send", links.send(0, 2), 100);
    send("read", links.read(1, 4), 100);
    clock.run();
    // Both need the uplink of rack 0: one after the other.
    assertThat(arrived.values()).containsExactlyInAnyOrder(10.0, 20.0);
    arrived.clear();

    send("local read", links.read(3, 3), 100);
    send("local write", links.write(2, 2), 100);
    send("write across", links.write(0, 5), 100);
    expect("local read", 25.0, "local write", 40.0, "write across", 40.0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sender-first", "receiver-first", "first-fit", "store-and-forward"})
  void transfersThatShareNothingDoNotMeet(String model) {
    network = network(model, clock);
    send("a", links.send(0, 1), 100);
    send("b", links.send(1, 0), 100);
    send("c", links.send(2, 4), 10);
    clock.run();
    assertThat(arrived.get("a")).isEqualTo(arrived.get("b"));
    assertThat(arrived.get("c")).isLessThan(arrived.get("a"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"sender-first", "receiver-first", "first-fit"})
  void twoCircuitsToOneNodeGoOneAfterTheOther(String model) {
    network = network(model, clock);
    send("first", links.send(0, 4), 100);
    send("second", links.send(2, 4), 50);
    expect("first", 10, "second", 15);
  }

  @Test
  void aCircuitThatWaitsForTheReceiverHoldsTheSendersLink() {
    network = network("sender-first", clock);
    send("first", links.send(0, 4), 100);
    // Takes the uplinks of node 2 and rack 1 and waits for rack 2 until 10.
    send("second", links.send(2, 5), 100);
    // All other ports are free, but the second transfer holds its uplink.
    send("third", links.send(3, 1), 100);
    expect("first", 10, "second", 20, "third", 30);
  }

  @Test
  void reservedFromTheReceiverItHoldsNothingWhileItWaits() {
    network = network("receiver-first", clock);
    send("first", links.send(0, 4), 100);
    // Takes the downlink of node 5 and waits for that of rack 2.
    send("second", links.send(2, 5), 100);
    send("third", links.send(3, 1), 100);
    expect("first", 10, "third", 10, "second", 20);
  }

  @Test
  void firstFitStartsAnyTransferThatCanRun() {
    network = network("first-fit", clock);
    send("first", links.send(0, 4), 100);
    send("second", links.send(2, 5), 100);
    send("third", links.send(3, 1), 200);
    // At 10 the second transfer still lacks rack 1's uplink, which the third holds until 20.
    expect("first", 10, "third", 20, "second", 30);
  }

  @Test
  void segmentsFollowEachOtherThroughThePorts() {
    network = network("store-and-forward", clock);
    // 10 segments of 1 s over 4 ports: the last begins at 9 and needs 4 s.
    send("across", links.send(0, 2), 100);
    expect("across", 13);
  }

  @Test
  void theNumberOfSegmentsInFlightIsBounded() {
    network = new StoreAndForwardNetwork(clock, new Digest(), 10, 1);
    send("one by one", links.send(0, 2), 100);
    expect("one by one", 40);
  }

  @Test
  void segmentsOfTwoTransfersTakeTurnsAtAPort() {
    network = network("store-and-forward", clock);
    send("long", links.send(0, 1), 100);
    send("short", links.send(0, 1), 30);
    // The order at node 0's link: long, short, long, short, long, short, then only long.
    expect("short", 7, "long", 14);
  }

  @Test
  void aLastSegmentMayBeShort() {
    network = network("store-and-forward", clock);
    send("short", links.send(0, 1), 15);
    // 1 s and 0.5 s at the first port; the second port gets the last segment at 1.5 and completes
    // it at 2.5.
    expect("short", 2.5);
  }

  @Test
  void aPipelineHoldsTheRoutesOfAllItsHops() {
    network = network("receiver-first", clock);
    send("pipeline", links.pipeline(0, new int[] {0, 2, 3}), 100);
    // Disks write 5 bytes per second.
    send("into the rack", links.send(4, 2), 100);
    expect("pipeline", 20, "into the rack", 30);
    assertThat(network.traffic().across(Purpose.BACKGROUND)).isEqualTo(200);
    assertThat(network.traffic().inRack(Purpose.BACKGROUND)).isEqualTo(100);
  }

  @Test
  void aLimitedRouteIsSlower() {
    network = network("receiver-first", clock);
    links.limit(0, 1, 4);
    send("along", links.send(0, 1), 100);
    send("back", links.send(1, 0), 100);
    expect("along", 25, "back", 10);
    assertThatThrownBy(() -> links.limit(0, 1, 0)).hasMessageContaining("must be positive");
  }

  @Test
  void aRouteOfNoPortsTakesNoTime() {
    network = network("first-fit", clock);
    send("nowhere", links.send(3, 3), 100);
    expect("nowhere", 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sender-first", "receiver-first", "first-fit", "store-and-forward"})
  void whatIsSentArrives(String model) {
    Clock time = new Clock();
    Topology many = Topology.uniform(5, 4);
    Links all = new Links(many, new LinkRates(10, 15, 20, 5));
    Network carrier = network(model, time);
    SplittableRandom random = new SplittableRandom(7);
    List<Long> received = new ArrayList<>();
    long across = 0;
    long sent = 0;
    for (int i = 0; i < 2000; i++) {
      int source = random.nextInt(20);
      int target = random.nextInt(20);
      int other = (target + 1) % 20;
      int bytes = 1 + random.nextInt(100);
      boolean isPipeline = i % 3 == 0 && source != target && source != other;
      Route route =
          isPipeline
              ? all.pipeline(source, new int[] {source, target, other})
              : i % 3 == 1 && source != target
                  ? all.copy(source, target)
                  : all.send(source, target);
      sent += bytes;
      across += (long) bytes * route.hopsAcross();
      time.after(
          random.nextInt(500),
          () ->
              carrier.send(
                  new Transfer(Purpose.WRITE, route, bytes, () -> received.add((long) bytes))));
    }
    time.run();

    assertThat(received.size()).isEqualTo(2000);
    assertThat(received.stream().mapToLong(Long::longValue).sum()).isEqualTo(sent);
    assertThat(carrier.traffic().sent()).isEqualTo(sent);
    assertThat(carrier.traffic().received()).isEqualTo(sent);
    assertThat(all.bytesUp()).isEqualTo(across).isEqualTo(all.bytesDown());
    assertThat(carrier.traffic().across(Purpose.WRITE)).isEqualTo(across);
  }

  @Test
  void refusesInvalidTransfersAndRates() {
    assertThatThrownBy(() -> send("nothing", links.send(0, 1), 0))
        .hasMessageContaining("must be at least 1");
    assertThatThrownBy(() -> links.copy(1, 1)).hasMessageContaining("through DISK 1 twice");
    assertThatThrownBy(() -> new LinkRates(1, 0, 1, 1)).hasMessageContaining("must be positive");
    assertThatThrownBy(() -> new StoreAndForwardNetwork(clock, new Digest(), 1, 0))
        .hasMessageContaining("must be at least 1");
  }
}
