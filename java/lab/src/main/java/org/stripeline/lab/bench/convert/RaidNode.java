// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import com.google.gson.Gson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.lab.bench.cluster.ShapedNetwork;
import org.stripeline.lab.cluster.ChildJvm;
import org.stripeline.natives.Ticker;

/**
 * Encodes replicated files as Facebook's HDFS-RAID did: a task on each DataNode's host encodes some
 * of the stripes, parity blocks go to DataNodes at random, and HDFS then deletes all replicas but
 * one. Its description is section IV of the paper on encoding-aware replication.
 *
 * <p>Without what slows the original down: the start of tasks is not part of the reported seconds,
 * blocks that would have to move so that a rack may fail are left where they are, and Hadoop's own
 * Java coder encodes.
 */
final class RaidNode implements AutoCloseable {
  static final String NAME = "hdfs-raid";

  private static final long SEED = 1;

  private final DistributedFileSystem fs;
  private final int dataBlocks;
  private final int parityBlocks;

  /** By the number of the DataNode on whose host they run. */
  private final Map<Integer, Process> tasks = new TreeMap<>();

  private final Map<Integer, BufferedReader> said = new TreeMap<>();
  private final Map<String, String> racks = new HashMap<>();
  private final List<String> nodes = new ArrayList<>();
  private final Result result = new Result();

  /** What is printed as JSON, with the keys that {@code convert} uses. */
  static final class Result {
    double seconds;

    /** Of all tasks, with their start. */
    double cpuSeconds;

    final Traffic traffic = new Traffic();
  }

  /** What crossed racks. */
  static final class Traffic {
    long bytesReadRemote;
    long bytesWrittenRemote;
  }

  private RaidNode(int dataBlocks, int parityBlocks) throws IOException {
    this.dataBlocks = dataBlocks;
    this.parityBlocks = parityBlocks;
    fs = (DistributedFileSystem) FileSystem.get(new HdfsConfiguration());
    for (DatanodeInfo node : fs.getDataNodeStats(HdfsConstants.DatanodeReportType.LIVE)) {
      racks.put(node.getIpAddr(), node.getNetworkLocation());
      nodes.add(node.getXferAddr());
    }
    Collections.sort(nodes);
  }

  /**
   * Encodes all files of a directory and prints a {@link Result}.
   *
   * @param arguments the directory, the numbers of data and parity blocks, that of DataNodes in
   *     networks of a {@link ShapedNetwork}, and whether encoding-aware replication has placed a
   *     replica of each block of a stripe in one rack: then the task runs in that rack
   * @return the exit status
   */
  static int run(String[] arguments) {
    int dataBlocks = Integer.parseInt(arguments[1]);
    try (RaidNode node = new RaidNode(dataBlocks, Integer.parseInt(arguments[2]))) {
      List<RaidStripe> stripes = node.stripes(arguments[0]);
      node.choose(stripes, Integer.parseInt(arguments[3]), Boolean.parseBoolean(arguments[4]));
      node.start(stripes);
      long start = Ticker.SYSTEM.nanos();
      node.encode(stripes);
      node.result.seconds = (Ticker.SYSTEM.nanos() - start) / 1e9;
      System.out.println(new Gson().toJson(node.result));
      return 0;
    } catch (IOException e) {
      System.out.println("Cannot encode: " + e.getMessage());
      return 1;
    }
  }

  /** Returns the stripes of all files of a directory, with DataNodes for their parity. */
  private List<RaidStripe> stripes(String directory) throws IOException {
    Random random = new Random(SEED);
    List<RaidStripe> stripes = new ArrayList<>();
    for (FileStatus file : fs.listStatus(new Path(directory))) {
      for (long offset = 0; offset < file.getLen(); offset += dataBlocks * file.getBlockSize()) {
        RaidStripe stripe = new RaidStripe();
        stripe.source = file.getPath().toUri().getPath();
        stripe.offset = offset;
        stripe.blockBytes = file.getBlockSize();
        Collections.shuffle(nodes, random);
        stripe.parityNodes.addAll(nodes.subList(0, parityBlocks));
        stripes.add(stripe);
      }
    }
    return stripes;
  }

  /** Chooses the host of the task for each stripe. */
  private void choose(List<RaidStripe> stripes, int datanodes, boolean isPlaced)
      throws IOException {
    Map<String, Integer> hosts = new HashMap<>();
    for (int host = 1; host <= datanodes; host++) {
      hosts.put(ShapedNetwork.address(host), host);
    }
    for (int i = 0; i < stripes.size(); i++) {
      RaidStripe stripe = stripes.get(i);
      stripe.host = isPlaced ? hosts.get(inCoreRack(stripe)) : 1 + i % datanodes;
    }
  }

  /** Returns the DataNode with most blocks in the rack that has a replica of each. */
  private String inCoreRack(RaidStripe stripe) throws IOException {
    Map<String, Set<Long>> blocksOfRacks = new TreeMap<>();
    Map<String, Integer> replicas = new TreeMap<>();
    for (LocatedBlock block : blocks(stripe)) {
      for (DatanodeInfo node : block.getLocations()) {
        replicas.merge(node.getIpAddr(), 1, Integer::sum);
        blocksOfRacks
            .computeIfAbsent(node.getNetworkLocation(), rack -> new HashSet<>())
            .add(block.getBlock().getBlockId());
      }
    }
    String chosen = null;
    for (Map.Entry<String, Integer> node : replicas.entrySet()) {
      boolean isCore = blocksOfRacks.get(racks.get(node.getKey())).size() == dataBlocks;
      if (isCore && (chosen == null || node.getValue() > replicas.get(chosen))) {
        chosen = node.getKey();
      }
    }
    if (chosen == null) {
      throw new IOException(
          "no rack has a replica of all blocks of " + stripe.source + " from " + stripe.offset);
    }
    return chosen;
  }

  private List<LocatedBlock> blocks(RaidStripe stripe) throws IOException {
    return fs.getClient()
        .getLocatedBlocks(stripe.source, stripe.offset, dataBlocks * stripe.blockBytes)
        .getLocatedBlocks();
  }

  private void start(List<RaidStripe> stripes) throws IOException {
    List<String> code = Arrays.asList(String.valueOf(dataBlocks), String.valueOf(parityBlocks));
    for (RaidStripe stripe : stripes) {
      if (tasks.containsKey(stripe.host)) {
        continue;
      }
      ProcessBuilder builder =
          ChildJvm.of(
              ShapedNetwork.prefix(stripe.host),
              Arrays.asList("-Xmx256m", "-XX:+UseSerialGC"),
              RaidTask.class,
              code);
      // With the directory of the cluster's configuration.
      builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
      Process task = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
      tasks.put(stripe.host, task);
      said.put(
          stripe.host,
          new BufferedReader(new InputStreamReader(task.getInputStream(), StandardCharsets.UTF_8)));
    }
    for (BufferedReader task : said.values()) {
      String line = line(task);
      if (!line.equals(RaidTask.READY)) {
        throw new IOException("a task said '" + line + "'");
      }
    }
  }

  private void encode(List<RaidStripe> stripes) throws IOException {
    Set<String> files = new LinkedHashSet<>();
    for (RaidStripe stripe : stripes) {
      count(stripe);
      OutputStream to = tasks.get(stripe.host).getOutputStream();
      to.write((new Gson().toJson(stripe) + "\n").getBytes(StandardCharsets.UTF_8));
      to.flush();
      files.add(stripe.source);
    }
    Map<Integer, Double> cpuSeconds = new HashMap<>();
    for (RaidStripe stripe : stripes) {
      String line = line(said.get(stripe.host));
      try {
        cpuSeconds.put(stripe.host, Double.valueOf(line));
      } catch (NumberFormatException e) {
        throw new IOException("a task has failed: " + line, e);
      }
    }
    result.cpuSeconds = cpuSeconds.values().stream().mapToDouble(Double::doubleValue).sum();
    for (String file : files) {
      fs.setReplication(new Path(file), (short) 1);
    }
  }

  /** Counts what crosses racks: readers choose a replica in their own rack if there is one. */
  private void count(RaidStripe stripe) throws IOException {
    String rack = racks.get(ShapedNetwork.address(stripe.host));
    for (LocatedBlock block : blocks(stripe)) {
      if (Arrays.stream(block.getLocations())
          .noneMatch(node -> node.getNetworkLocation().equals(rack))) {
        result.traffic.bytesReadRemote += stripe.blockBytes;
      }
    }
    for (String node : stripe.parityNodes) {
      if (!racks.get(node.substring(0, node.indexOf(':'))).equals(rack)) {
        result.traffic.bytesWrittenRemote += stripe.blockBytes;
      }
    }
  }

  private static String line(BufferedReader task) throws IOException {
    String line = task.readLine();
    if (line == null) {
      throw new IOException("a task has ended");
    }
    return line;
  }

  @Override
  public void close() {
    tasks.values().forEach(Process::destroyForcibly);
  }
}
