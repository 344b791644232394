// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A separate network for every DataNode, connected to this process's network by a pair of virtual
 * links whose rate Linux limits in both directions. With racks, a DataNode's link ends in the
 * network of its rack, and another pair of links with its own rate connects that network to this
 * one; one of the racks has an additional host for clients.
 *
 * <p>The network is created in a process that has its own network and mount namespaces, so that the
 * machine's network is not modified and everything is removed when that process ends, even after a
 * crash.
 */
public final class ShapedNetwork implements AutoCloseable {
  /** Jumbo frames, as in storage networks: headers then use 1 % of a link instead of 4 %. */
  private static final int MTU = 9000;

  private static final int BURST_BYTES_MIN = 128 << 10;
  private static final int QUEUE_MILLIS = 20;

  private final int datanodes;
  private final int hosts;
  private final int racks;
  private final int delayMicros;
  private boolean delayed;

  /** Plans a network without racks. */
  public ShapedNetwork(int datanodes, int delayMicros) {
    this(datanodes, 0, delayMicros);
  }

  /**
   * Plans a network without creating it.
   *
   * @param racks the number of racks; DataNodes are assigned to them in turn; 0 for none
   * @param delayMicros delay of each DataNode's link in each direction
   */
  public ShapedNetwork(int datanodes, int racks, int delayMicros) {
    this.datanodes = datanodes;
    this.hosts = racks == 0 ? datanodes : datanodes + 1;
    this.racks = racks;
    this.delayMicros = delayMicros;
  }

  /** Returns how many DataNodes have a network. */
  public int datanodes() {
    return datanodes;
  }

  /**
   * Returns the number of the host for clients, if there are racks: the one after the DataNodes.
   */
  public int client() {
    return hosts;
  }

  /** Returns the address of a DataNode, numbered from 1, in its own network. */
  public static String address(int datanode) {
    return "10.77." + datanode + ".2";
  }

  /** Returns the number of a DataNode's rack, from 1. */
  public int rack(int datanode) {
    return 1 + (datanode - 1) % racks;
  }

  /** Returns the address of the NameNode and of clients as seen by the given DataNode. */
  public String here(int datanode) {
    return racks == 0 ? gateway(datanode) : rackGateway(rack(datanode));
  }

  private static String gateway(int datanode) {
    return "10.77." + datanode + ".1";
  }

  private static String rackGateway(int rack) {
    return "10.78." + rack + ".1";
  }

  /** Returns the command prefix that runs a command in a DataNode's network. */
  public static List<String> prefix(int datanode) {
    return Arrays.asList("ip", "netns", "exec", name(datanode));
  }

  private static String rackName(int rack) {
    return "rack" + rack;
  }

  private static String rackLink(int rack) {
    return "to-rack" + rack;
  }

  /**
   * Returns the command {@code ip} or {@code tc} for the network at the other end of the DataNode's
   * link.
   */
  private String beside(String program, int datanode) {
    return racks == 0 ? program + " " : program + " -n " + rackName(rack(datanode)) + " ";
  }

  private static String name(int datanode) {
    return "dn" + datanode;
  }

  private static String link(int datanode) {
    return "to-dn" + datanode;
  }

  /** Returns the commands that create the network. */
  public List<String> making() {
    List<String> commands = new ArrayList<>();
    commands.add("mkdir -p /run/netns");
    commands.add("mount -t tmpfs tmpfs /run/netns");
    // No name server is reachable: each DataNode would wait for it twice before it starts.
    commands.add("mount --bind /dev/null /etc/resolv.conf");
    commands.add("ip link set lo up");
    // DataNodes communicate with each other too; this setting affects only this network namespace.
    commands.add("sysctl -q -w net.ipv4.ip_forward=1");
    for (int rack = 1; rack <= racks; rack++) {
      commands.addAll(makingRack(rack));
    }
    for (int i = 1; i <= hosts; i++) {
      String inside = "ip -n " + name(i) + " ";
      String outside = beside("ip", i);
      commands.add("ip netns add " + name(i));
      commands.add(
          outside
              + "link add "
              + link(i)
              + " mtu "
              + MTU
              + " type veth peer name eth0 mtu "
              + MTU
              + " netns "
              + name(i));
      commands.add(outside + "addr add " + gateway(i) + "/30 dev " + link(i));
      commands.add(outside + "link set " + link(i) + " up");
      if (racks > 0) {
        commands.add(
            "ip route add 10.77."
                + i
                + ".0/30 via 10.78."
                + rack(i)
                + ".2 dev "
                + rackLink(rack(i)));
      }
      commands.add(inside + "addr add " + address(i) + "/30 dev eth0");
      commands.add(inside + "link set lo up");
      commands.add(inside + "link set eth0 up");
      commands.add(inside + "route add default via " + gateway(i));
    }
    return commands;
  }

  private static List<String> makingRack(int rack) {
    List<String> commands = new ArrayList<>();
    String inside = "ip -n " + rackName(rack) + " ";
    commands.add("ip netns add " + rackName(rack));
    commands.add(
        "ip link add "
            + rackLink(rack)
            + " mtu "
            + MTU
            + " type veth peer name uplink mtu "
            + MTU
            + " netns "
            + rackName(rack));
    commands.add("ip addr add " + rackGateway(rack) + "/30 dev " + rackLink(rack));
    commands.add("ip link set " + rackLink(rack) + " up");
    commands.add(inside + "addr add 10.78." + rack + ".2/30 dev uplink");
    commands.add(inside + "link set lo up");
    commands.add(inside + "link set uplink up");
    commands.add(inside + "route add default via " + rackGateway(rack));
    commands.add("ip netns exec " + rackName(rack) + " sysctl -q -w net.ipv4.ip_forward=1");
    return commands;
  }

  private static String limit(String device, int mbit) {
    long burst = Math.max(BURST_BYTES_MIN, mbit * 125L);
    return String.format(device, "replace")
        + " root handle 1: tbf rate "
        + mbit
        + "mbit burst "
        + burst
        + " latency "
        + QUEUE_MILLIS
        + "ms";
  }

  /** Returns the commands that limit every rack's link in both directions. */
  public List<String> shapingRacks(int mbit) {
    List<String> commands = new ArrayList<>();
    for (int rack = 1; rack <= racks; rack++) {
      commands.add(limit("tc qdisc %s dev " + rackLink(rack), mbit));
      commands.add(limit("tc -n " + rackName(rack) + " qdisc %s dev uplink", mbit));
    }
    return commands;
  }

  /** Returns the commands that limit every DataNode's link in both directions. */
  public List<String> shaping(int mbit) {
    List<String> commands = new ArrayList<>();
    for (int i = 1; i <= hosts; i++) {
      for (String device :
          new String[] {
            beside("tc", i) + "qdisc %s dev " + link(i), "tc -n " + name(i) + " qdisc %s dev eth0"
          }) {
        commands.add(limit(device, mbit));
        if (delayed) {
          commands.add(
              String.format(device, "replace")
                  + " parent 1:1 handle 10: netem delay "
                  + delayMicros
                  + "us limit 100000");
        }
      }
    }
    return commands;
  }

  /** Returns the commands that remove the network while the process continues. */
  public List<String> removing() {
    List<String> commands = new ArrayList<>();
    for (int i = 1; i <= hosts; i++) {
      commands.add("ip netns del " + name(i));
    }
    for (int rack = 1; rack <= racks; rack++) {
      commands.add("ip netns del " + rackName(rack));
    }
    commands.add("umount /etc/resolv.conf");
    commands.add("umount /run/netns");
    return commands;
  }

  /** Creates the network, without limits. */
  public void make() throws IOException {
    for (String command : making()) {
      run(command);
    }
    delayed = delayMicros > 0 && canDelay();
  }

  /** Returns whether a delay was requested and this kernel does not support delays. */
  public boolean lacksDelay() {
    return delayMicros > 0 && !delayed;
  }

  private static boolean canDelay() {
    try {
      run("tc qdisc replace dev lo root netem delay 1us");
      run("tc qdisc del dev lo root");
      return true;
    } catch (IOException lacking) {
      return false;
    }
  }

  /** Limits every DataNode's link. */
  public void setRate(int mbit) throws IOException {
    for (String command : shaping(mbit)) {
      run(command);
    }
  }

  /** Limits every rack's link. */
  public void setRackRate(int mbit) throws IOException {
    for (String command : shapingRacks(mbit)) {
      run(command);
    }
  }

  /** Runs a command whose words contain no blanks. */
  static void run(String command) throws IOException {
    Process process =
        new ProcessBuilder(Arrays.asList(command.split(" "))).redirectErrorStream(true).start();
    process.getOutputStream().close();
    StringBuilder said = new StringBuilder();
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        said.append(' ').append(line);
      }
    }
    try {
      if (process.waitFor() != 0) {
        throw new IOException("Cannot shape the network: '" + command + "' reported" + said);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Cannot shape the network: interrupted", e);
    }
  }

  @Override
  public void close() throws IOException {
    for (String command : removing()) {
      run(command);
    }
  }
}
