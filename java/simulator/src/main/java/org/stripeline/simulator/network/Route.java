// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The ports that bytes pass, in order, each once and with its rate. Immutable. */
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

  /** Returns the rate of a port on this route, in bytes per second. */
  double rate(int index) {
    return rates[index];
  }

  /** Returns the ports in a given order, each once. */
  Port[] ports(Comparator<Port> order) {
    Port[] sorted = ports.clone();
    Arrays.sort(sorted, order);
    return sorted;
  }

  /** Returns the rate of the slowest port in bytes per second, infinity if there is no port. */
  double slowest() {
    double least = Double.POSITIVE_INFINITY;
    for (double rate : rates) {
      least = Math.min(least, rate);
    }
    return least;
  }

  /** Returns how many hops of this route are within a rack. */
  public int hopsInRack() {
    return hopsInRack;
  }

  /** Returns how many hops of this route are between racks. */
  public int hopsAcross() {
    return hopsAcross;
  }

  /** Builds a route. */
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
