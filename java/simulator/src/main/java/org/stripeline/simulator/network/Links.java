// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import java.util.Arrays;
import org.stripeline.placement.Topology;

/**
 * The links and disks of a cluster of two levels: nodes hang on their rack's switch, racks on a
 * core without bound. Gives the routes between nodes.
 */
public final class Links {
  private final Topology topology;
  private final LinkRates rates;
  private final Port[] nodeUp;
  private final Port[] nodeDown;
  private final Port[] rackUp;
  private final Port[] rackDown;
  private final Port[] disks;

  /** Of each node's link, less where others take some of it for good. */
  private final double[] upRates;

  private final double[] downRates;

  /** Creates the links of all nodes, idle. */
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

  /** Leaves no more than a rate, in bytes per second, on the way from one node to another. */
  public void limit(int source, int target, double rate) {
    if (!(rate > 0)) {
      throw new IllegalArgumentException(
          "Cannot leave " + rate + " bytes per second of a link: must be positive");
    }
    upRates[source] = Math.min(upRates[source], rate);
    downRates[target] = Math.min(downRates[target], rate);
  }

  /** Returns the way of a block from the disks of one node to the memory of another or its own. */
  public Route read(int source, int target) {
    Route.Builder route = new Route.Builder().via(disks[source], rates.diskRead());
    addNetwork(route, source, target);
    return route.build();
  }

  /** Returns the way of a block from the memory of one node to the disks of another or its own. */
  public Route write(int source, int target) {
    Route.Builder route = new Route.Builder();
    addNetwork(route, source, target);
    return route.via(disks[target], rates.diskWrite()).build();
  }

  /** Returns the way of a block from the disks of one node to those of another, not its own. */
  public Route copy(int source, int target) {
    Route.Builder route = new Route.Builder().via(disks[source], rates.diskRead());
    addNetwork(route, source, target);
    return route.via(disks[target], rates.diskWrite()).build();
  }

  /** Returns the way from memory to memory. */
  public Route send(int source, int target) {
    Route.Builder route = new Route.Builder();
    addNetwork(route, source, target);
    return route.build();
  }

  /** Returns the way of a block that a client on a node writes through one node to the next. */
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

  /** Returns the bytes that came into racks. */
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

  /** Returns for what share of the time the rack links were held, the mean of both directions. */
  public double rackUse(double seconds) {
    double busy = 0;
    for (int rack = 0; rack < rackUp.length; rack++) {
      busy += rackUp[rack].busySeconds() + rackDown[rack].busySeconds();
    }
    return seconds > 0 ? busy / (2 * rackUp.length * seconds) : 0;
  }
}
