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
 * A separate network for every DataNode and one for clients, each connected to this process's
 * network by a pair of virtual links whose rate Linux limits in both directions. With racks, these
 * links end in the network of a rack, and another pair of links with its own rate connects that
 * network to this one.
 *
 * <p>The network is created in a process that has its own network and mount namespaces, so that the
 * machine's network is not modified and everything is removed when that process ends, even after a
 * crash.
 */
public final class ShapedNetwork implements AutoCloseable {
  /** MiB/s of a link of 1 Mbit/s. */
  public static final double MIB_PER_MBIT = 1e6 / 8 / (1 << 20);

  /** Jumbo frames, as in storage networks: headers then use 1 % of a link instead of 4 %. */
  private static final int MTU = 9000;

  private static final int BURST_BYTES_MIN = 128 << 10;
  private static final int QUEUE_MILLIS = 20;

  private final int datanodes;
  private final int racks;
  private final int delayMicros;
  private final int clientMbit;
  private boolean delayed;

  /** Plans a network with racks and without delays, where all links have the same rate. */
  public ShapedNetwork(int datanodes, int racks) {
    this(datanodes, racks, 0, 0);
  }

  /**
   * Plans a network without creating it.
   *
   * @param racks the number of racks; hosts are assigned to them in turn; 0 for none
   * @param delayMicros delay of each host's link in each direction
   * @param clientMbit rate of the link of the host for clients; 0 for that of DataNodes
   */
  public ShapedNetwork(int datanodes, int racks, int delayMicros, int clientMbit) {
    this.datanodes = datanodes;
    this.racks = racks;
    this.delayMicros = delayMicros;
    this.clientMbit = clientMbit;
  }

  /** Returns how many DataNodes have a network. */
  public int datanodes() {
    return datanodes;
  }

  /** Returns the number of the host for clients: the one after the DataNodes. */
  public int client() {
    return datanodes + 1;
  }

  /** Returns the address of a host, numbered from 1, in its own network. */
  public static String address(int host) {
    return "10.77." + host + ".2";
  }

  /** Returns the number of a host's rack, from 1. */
  public int rack(int host) {
    return 1 + (host - 1) % racks;
  }

  /** Returns the address of this process's network as seen by the given host. */
  public String here(int host) {
    return racks == 0 ? gateway(host) : rackGateway(rack(host));
  }

  private static String gateway(int host) {
    return "10.77." + host + ".1";
  }

  private static String rackGateway(int rack) {
    return "10.78." + rack + ".1";
  }

  /** Returns the command prefix that runs a command in a host's network. */
  public static List<String> prefix(int host) {
    return Arrays.asList("ip", "netns", "exec", name(host));
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
  private String beside(String program, int host) {
    return racks == 0 ? program + " " : program + " -n " + rackName(rack(host)) + " ";
  }

  private static String name(int host) {
    return "dn" + host;
  }

  private static String link(int host) {
    return "to-dn" + host;
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
    for (int i = 1; i <= client(); i++) {
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

  /** Returns whether the host for clients has a rate of its own. */
  boolean limitsClients() {
    return clientMbit > 0;
  }

  /** Returns the commands that limit every host's link in both directions. */
  public List<String> shaping(int mbit) {
    List<String> commands = new ArrayList<>();
    for (int i = 1; i <= client(); i++) {
      commands.addAll(shaping(i, limitsClients() && i == client() ? clientMbit : mbit));
    }
    return commands;
  }

  private List<String> shaping(int host, int mbit) {
    List<String> commands = new ArrayList<>();
    for (String device :
        new String[] {
          beside("tc", host) + "qdisc %s dev " + link(host),
          "tc -n " + name(host) + " qdisc %s dev eth0"
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
    return commands;
  }

  /** Returns the commands that remove the network while the process continues. */
  public List<String> removing() {
    List<String> commands = new ArrayList<>();
    for (int i = 1; i <= client(); i++) {
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

  /** Limits every host's link. */
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
