// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.net.NetworkTopology;

/**
 * Maps the addresses of DataNodes to racks for the NameNode: in turn for the cluster's loopback
 * addresses, by a table for all others.
 */
public final class RackTable implements DNSToSwitchMapping, Configurable {
  /** Rack paths in order of DataNode numbers, starting over at the end. */
  static final String RACKS_KEY = "stripeline.cluster.racks";

  /** Racks of DataNodes in separate processes: {@code address=/rack}, separated by commas. */
  public static final String PLACES_KEY = "stripeline.cluster.places";

  /** DataNode 1 has the address 127.0.0.11, so that 127.0.0.1 is reserved for clients. */
  private static final String ADDRESS_PREFIX = "127.0.0.";

  private static final int ADDRESS_OFFSET = 10;

  private Configuration conf;

  static String address(int number) {
    return ADDRESS_PREFIX + (ADDRESS_OFFSET + number);
  }

  static String rack(List<String> racks, int number) {
    return racks.get((number - 1) % racks.size());
  }

  @Override
  public List<String> resolve(List<String> names) {
    List<String> racks = new ArrayList<>(conf.getTrimmedStringCollection(RACKS_KEY));
    Map<String, String> places = places();
    List<String> resolved = new ArrayList<>(names.size());
    for (String name : names) {
      int number = number(name);
      String otherwise = places.getOrDefault(name, NetworkTopology.DEFAULT_RACK);
      resolved.add(number < 1 || racks.isEmpty() ? otherwise : rack(racks, number));
    }
    return resolved;
  }

  private Map<String, String> places() {
    Map<String, String> places = new HashMap<>();
    for (String place : conf.getTrimmedStringCollection(PLACES_KEY)) {
      int equals = place.indexOf('=');
      places.put(place.substring(0, equals), place.substring(equals + 1));
    }
    return places;
  }

  private static int number(String name) {
    if (!name.startsWith(ADDRESS_PREFIX)) {
      return 0;
    }
    try {
      return Integer.parseInt(name.substring(ADDRESS_PREFIX.length())) - ADDRESS_OFFSET;
    } catch (NumberFormatException foreign) {
      return 0;
    }
  }

  @Override
  public void reloadCachedMappings() {
    // Nothing is cached.
  }

  @Override
  public void reloadCachedMappings(List<String> names) {
    // Nothing is cached.
  }

  @Override
  public void setConf(Configuration conf) {
    this.conf = conf;
  }

  @Override
  public Configuration getConf() {
    return conf;
  }
}
