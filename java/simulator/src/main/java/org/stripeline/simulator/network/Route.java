// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The ports that bytes go through, in order, each once and with its rate. Immutable. */
public final class Route {
  private final Port[] ports;
  private final double[] rates;
  private final int hopsInRack;
  private final int hopsAcross;

  private Route(Builder builder) {
    ports = builder.ports.toArray(new Port[0]);
    rates = Arrays.copyOf(builder.rates, ports.length);
    hopsInRack = builder.hopsInRack;
    hopsAcross = builder.hopsAcross;
  }

  int length() {
    return ports.length;
  }

  Port port(int index) {
    return ports[index];
  }

  /** Returns the bytes per second of a port on this route. */
  double rate(int index) {
    return rates[index];
  }

  /** Returns the ports in an order, each once. */
  Port[] ports(Comparator<Port> order) {
    Port[] sorted = ports.clone();
    Arrays.sort(sorted, order);
    return sorted;
  }

  /** Returns the bytes per second of the slowest port, without bound if there is none. */
  double slowest() {
    double least = Double.POSITIVE_INFINITY;
    for (double rate : rates) {
      least = Math.min(least, rate);
    }
    return least;
  }

  /** Returns how many times the bytes go from one node to another of its rack. */
  public int hopsInRack() {
    return hopsInRack;
  }

  /** Returns how many times the bytes go from one rack to another. */
  public int hopsAcross() {
    return hopsAcross;
  }

  /** Collects ports. */
  static final class Builder {
    private final List<Port> ports = new ArrayList<>(8);
    private double[] rates = new double[8];
    private int hopsInRack;
    private int hopsAcross;

    Builder via(Port port, double bytesPerSecond) {
      if (ports.contains(port)) {
        throw new IllegalArgumentException(
            "Cannot go through " + port + " twice: a transfer would wait for itself");
      }
      if (ports.size() == rates.length) {
        rates = Arrays.copyOf(rates, 2 * rates.length);
      }
      rates[ports.size()] = bytesPerSecond;
      ports.add(port);
      return this;
    }

    Builder hop(boolean isAcross) {
      hopsAcross += isAcross ? 1 : 0;
      hopsInRack += isAcross ? 0 : 1;
      return this;
    }

    Route build() {
      return new Route(this);
    }
  }
}
