// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.bench.io;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A network of its own for every DataNode, joined to this process's network by a pair of virtual
 * links whose rate Linux limits in both directions.
 *
 * <p>It is made in a process that has network and mounts of its own already, so that nothing of the
 * machine's network is touched, and all of it is gone when that process is, however it ends.
 */
final class ShapedNetwork implements AutoCloseable {
  /** Jumbo frames, as storage networks have: headers then take 1 % of a link, not 4 %. */
  private static final int MTU = 9000;

  private static final int BURST_BYTES_MIN = 128 << 10;
  private static final int QUEUE_MILLIS = 20;

  private final int datanodes;
  private final int delayMicros;
  private boolean delayed;

  ShapedNetwork(int datanodes, int delayMicros) {
    this.datanodes = datanodes;
    this.delayMicros = delayMicros;
  }

  /** Address of a DataNode, numbered from 1, in its own network. */
  static String address(int datanode) {
    return "10.77." + datanode + ".2";
  }

  /** Address of the NameNode and of clients as that DataNode sees them. */
  static String gateway(int datanode) {
    return "10.77." + datanode + ".1";
  }

  /** What runs the command that follows it in a DataNode's network. */
  static List<String> prefix(int datanode) {
    return Arrays.asList("ip", "netns", "exec", name(datanode));
  }

  private static String name(int datanode) {
    return "dn" + datanode;
  }

  private static String link(int datanode) {
    return "to-dn" + datanode;
  }

  /** Commands that make the network. */
  List<String> making() {
    List<String> commands = new ArrayList<>();
    commands.add("mkdir -p /run/netns");
    commands.add("mount -t tmpfs tmpfs /run/netns");
    commands.add("ip link set lo up");
    // DataNodes speak to each other too; this switch belongs to this network alone.
    commands.add("sysctl -q -w net.ipv4.ip_forward=1");
    for (int i = 1; i <= datanodes; i++) {
      String inside = "ip -n " + name(i) + " ";
      commands.add("ip netns add " + name(i));
      commands.add(
          "ip link add " + link(i) + " mtu " + MTU + " type veth peer name eth0 mtu " + MTU
              + " netns " + name(i));
      commands.add("ip addr add " + gateway(i) + "/30 dev " + link(i));
      commands.add("ip link set " + link(i) + " up");
      commands.add(inside + "addr add " + address(i) + "/30 dev eth0");
      commands.add(inside + "link set lo up");
      commands.add(inside + "link set eth0 up");
      commands.add(inside + "route add default via " + gateway(i));
    }
    return commands;
  }

  /** Commands that give every link a rate in both directions. */
  List<String> shaping(int mbit) {
    List<String> commands = new ArrayList<>();
    long burst = Math.max(BURST_BYTES_MIN, mbit * 125L);
    for (int i = 1; i <= datanodes; i++) {
      for (String device :
          new String[] {"tc qdisc %s dev " + link(i), "tc -n " + name(i) + " qdisc %s dev eth0"}) {
        commands.add(
            String.format(device, "replace") + " root handle 1: tbf rate " + mbit + "mbit burst "
                + burst + " latency " + QUEUE_MILLIS + "ms");
        if (delayed) {
          commands.add(
              String.format(device, "replace") + " parent 1:1 handle 10: netem delay "
                  + delayMicros + "us limit 100000");
        }
      }
    }
    return commands;
  }

  /** Commands that remove the network while the process goes on. */
  List<String> removing() {
    List<String> commands = new ArrayList<>();
    for (int i = 1; i <= datanodes; i++) {
      commands.add("ip netns del " + name(i));
    }
    commands.add("umount /run/netns");
    return commands;
  }

  void make() throws IOException {
    for (String command : making()) {
      run(command);
    }
    delayed = delayMicros > 0 && canDelay();
  }

  /** Whether a delay was asked for and this kernel has none. */
  boolean lacksDelay() {
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

  void setRate(int mbit) throws IOException {
    for (String command : shaping(mbit)) {
      run(command);
    }
  }

  /** Runs a command of words without blanks in them. */
  private static void run(String command) throws IOException {
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
        throw new IOException("Cannot shape the network: '" + command + "' said" + said);
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
