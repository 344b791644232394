// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/**
 * A DataNode in a separate process, which can be paused to simulate a hung machine or run in its
 * own network. It ends with the process that started it.
 */
public final class DataNodeProcess implements AutoCloseable {
  private static final long END_SECONDS = 10;

  private final Process process;
  private final Place place;
  private final long pid;

  /** Continues this DataNode if this process is killed while it is paused; null before a pause. */
  private volatile Process guard;

  private DataNodeProcess(Process process, Place place, long pid) {
    this.process = process;
    this.place = place;
    this.pid = pid;
  }

  /** The location of a DataNode's process and the cluster it belongs to. */
  public static final class Place {
    private final Path directory;
    private final String nameNode;
    private final String address;
    private final List<String> prefix;

    /**
     * Creates a place.
     *
     * @param directory an empty or missing directory for blocks, configuration and log
     * @param nameNode address and port of the NameNode's RPC server, as seen from there
     * @param address the DataNode's own address, without a port
     * @param prefix a command that runs the command which follows it, or empty
     */
    public Place(Path directory, String nameNode, String address, List<String> prefix) {
      this.directory = directory;
      this.nameNode = nameNode;
      this.address = address;
      this.prefix = new ArrayList<>(prefix);
    }
  }

  /**
   * Starts a DataNode and waits until its process runs; it may not be registered with the NameNode
   * yet.
   *
   * @param place the place
   * @return the process
   * @throws IOException if it ends immediately
   */
  public static DataNodeProcess start(Place place) throws IOException {
    Files.createDirectories(place.directory);
    Path site = place.directory.resolve("datanode.xml");
    try (OutputStream out = Files.newOutputStream(site)) {
      configuration(place).writeXml(out);
    }
    Path log = place.directory.resolve("datanode.log");
    ProcessBuilder builder =
        ChildJvm.of(
            place.prefix,
            Arrays.asList("-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-Xss512k"),
            DataNodeMain.class,
            Collections.singletonList(site.toString()));
    builder.environment().put("MALLOC_ARENA_MAX", "2");
    builder.redirectError(log.toFile());
    Process process = builder.start();
    BufferedReader said =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String pid = said.readLine();
    if (pid == null) {
      process.destroyForcibly();
      throw new ClusterException("Cannot start DataNode on " + place.address + ": see " + log);
    }
    return new DataNodeProcess(process, place, Long.parseLong(pid));
  }

  private static Configuration configuration(Place place) {
    Configuration conf = new Configuration(false);
    conf.set("fs.defaultFS", "hdfs://" + place.nameNode);
    conf.set("dfs.namenode.rpc-address", place.nameNode);
    conf.set("hadoop.tmp.dir", place.directory.resolve("tmp").toString());
    conf.set("dfs.datanode.data.dir", place.directory.resolve("data").toUri().toString());
    HdfsSettings.setDataNodeAddress(conf, place.address);
    HdfsSettings.setAgent(conf);
    conf.setInt("dfs.datanode.handler.count", 3);
    conf.setInt("dfs.block.scanner.volume.bytes.per.second", 0);
    conf.set("fs.getspaceused.classname", "org.apache.hadoop.fs.DFCachingGetSpaceUsed");
    conf.setInt("dfs.blockreport.initialDelay", 0);
    conf.setInt("dfs.heartbeat.interval", 1);
    return conf;
  }

  /**
   * Returns the DataNode's own address.
   *
   * @return an address without a port
   */
  public String address() {
    return place.address;
  }

  /**
   * Returns the directory of its blocks.
   *
   * @return a directory
   */
  public Path directory() {
    return place.directory;
  }

  /**
   * Returns the id of the process.
   *
   * @return process id
   */
  public long pid() {
    return pid;
  }

  /**
   * Pauses the process: its connections stay open, but do not respond.
   *
   * @throws IOException if the signal cannot be sent
   */
  public void pause() throws IOException {
    // If this process is killed, the input of `read` ends: the DataNode continues, and then ends.
    guard = silent("sh", "-c", "trap '' INT HUP; read -r line; kill -CONT " + pid);
    signal("STOP");
  }

  /**
   * Resumes a paused process.
   *
   * @throws IOException if the signal cannot be sent
   */
  public void resume() throws IOException {
    signal("CONT");
    endGuard();
  }

  private void endGuard() {
    if (guard != null) {
      guard.destroy();
    }
  }

  private static Process silent(String... command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(new File("/dev/null"))
        .start();
  }

  private void signal(String name) throws IOException {
    Process kill = silent("kill", "-" + name, Long.toString(pid));
    try {
      if (kill.waitFor() != 0) {
        throw new ClusterException("Cannot send " + name + " to DataNode process " + pid);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("Cannot send " + name + " to DataNode: interrupted", e);
    }
  }

  /** Ends the process, even if it is paused. */
  @Override
  public void close() throws IOException {
    endGuard();
    process.destroyForcibly();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        throw new ClusterException("Cannot end DataNode process " + pid + ": it still runs");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
