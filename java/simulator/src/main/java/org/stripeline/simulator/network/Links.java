// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import java.util.Arrays;
import org.stripeline.placement.Topology;

/**
 * The links and disks of a cluster with two levels: nodes are connected to the switch of their
 * rack, racks to a core of unlimited rate. Computes the routes between nodes.
 */
public final class Links {
  private final Topology topology;
  private final LinkRates rates;
  private final Port[] nodeUp;
  private final Port[] nodeDown;
  private final Port[] rackUp;
  private final Port[] rackDown;
  private final Port[] disks;

  /** The rate of each node's uplink, which is lower if constant traffic uses a part of it. */
  private final double[] upRates;

  private final double[] downRates;

  /** Creates idle links of all nodes. */
  public Links(Topology topology, LinkRates rates) {
    this.topology = topology;
    this.rates = rates;
    nodeUp = ports(Port.Kind.NODE_UP, topology.nodes());
    nodeDown = ports(Port.Kind.NODE_DOWN, topology.nodes());
    rackUp = ports(Port.Kind.RACK_UP, topology.racks());
    rackDown = ports(Port.Kind.RACK_DOWN, topology.racks());
    disks = ports(Port.Kind.DISK, topology.nodes());
    upRates = new double[topology.nodes()];
    downRates = new double[topology.nodes()];
    Arrays.fill(upRates, rates.node());
    Arrays.fill(downRates, rates.node());
  }

  private static Port[] ports(Port.Kind kind, int count) {
    Port[] ports = new Port[count];
    for (int i = 0; i < count; i++) {
      ports[i] = new Port(kind, i);
    }
    return ports;
  }

  /** Limits the rate, in bytes per second, of the links from one node to another. */
  public void limit(int source, int target, double rate) {
    if (!(rate > 0)) {
      throw new IllegalArgumentException(
          "Cannot leave " + rate + " bytes per second of a link: must be positive");
    }
    upRates[source] = Math.min(upRates[source], rate);
    downRates[target] = Math.min(downRates[target], rate);
  }

  /**
   * Returns the route of a block from the disks of one node to the memory of the same or another
   * node.
   */
  public Route read(int source, int target) {
    Route.Builder route = new Route.Builder().via(disks[source], rates.diskRead());
    addNetwork(route, source, target);
    return route.build();
  }

  /**
   * Returns the route of a block from the memory of one node to the disks of the same or another
   * node.
   */
  public Route write(int source, int target) {
    Route.Builder route = new Route.Builder();
    addNetwork(route, source, target);
    return route.via(disks[target], rates.diskWrite()).build();
  }

  /** Returns the route of a block from the disks of one node to those of a different node. */
  public Route copy(int source, int target) {
    Route.Builder route = new Route.Builder().via(disks[source], rates.diskRead());
    addNetwork(route, source, target);
    return route.via(disks[target], rates.diskWrite()).build();
  }

  /** Returns the route from the memory of one node to that of another. */
  public Route send(int source, int target) {
    Route.Builder route = new Route.Builder();
    addNetwork(route, source, target);
    return route.build();
  }

  /** Returns the route of a block that a client on a node writes through a pipeline of nodes. */
  public Route pipeline(int client, int[] targets) {
    Route.Builder route = new Route.Builder();
    int at = client;
    for (int target : targets) {
      addNetwork(route, at, target);
      route.via(disks[target], rates.diskWrite());
      at = target;
    }
    return route.build();
  }

  private void addNetwork(Route.Builder route, int source, int target) {
    if (source == target) {
      return;
    }
    int from = topology.rackOf(source);
    int to = topology.rackOf(target);
    route.via(nodeUp[source], upRates[source]);
    if (from != to) {
      route.via(rackUp[from], rates.rack()).via(rackDown[to], rates.rack());
    }
    route.via(nodeDown[target], downRates[target]).hop(from != to);
  }

  /** Returns the bytes that left racks. */
  public long bytesUp() {
    return sum(rackUp);
  }

  /** Returns the bytes that entered racks. */
  public long bytesDown() {
    return sum(rackDown);
  }

  private static long sum(Port[] ports) {
    long bytes = 0;
    for (Port port : ports) {
      bytes += port.bytes();
    }
    return bytes;
  }

  /**
   * Returns the share of the time during which the rack links were held, the mean of both
   * directions.
   */
  public double rackUse(double seconds) {
    double busy = 0;
    for (int rack = 0; rack < rackUp.length; rack++) {
      busy += rackUp[rack].busySeconds() + rackDown[rack].busySeconds();
    }
    return seconds > 0 ? busy / (2 * rackUp.length * seconds) : 0;
  }
}
