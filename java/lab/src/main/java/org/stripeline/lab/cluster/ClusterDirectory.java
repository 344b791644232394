// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Quantity;

/**
 * The directory that holds one cluster.
 *
 * <pre>
 * cluster.json       the description of the cluster: DataNodes, racks, ports; kept between runs
 * conf/              client configuration for HADOOP_CONF_DIR
 * name/  data/dnN/   NameNode and DataNode storage, exactly as HDFS writes it
 * log/cluster.log    log of the last run
 * run/state.json     the running process and its control token; readable by the owner only
 * run/lock           locked while a process runs
 * </pre>
 */
final class ClusterDirectory {
  /** The default of dfs.blocksize. */
  private static final long BLOCK_DEFAULT = 128L << 20;

  /** The default of dfs.namenode.resource.du.reserved. */
  private static final long NAME_NODE_RESERVED_DEFAULT = 100L << 20;

  private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

  /** The stored description of a cluster. */
  static final class Description {
    int datanodes;
    List<String> racks = new ArrayList<>();
    int port;
    int webPort;

    /** Returns whether the cluster has been ready at least once. */
    boolean hasStarted() {
      return port != 0;
    }

    /** Returns the description without ports, which are stored once the cluster is ready. */
    Description withFreePorts() {
      Description copy = new Description();
      copy.datanodes = datanodes;
      copy.racks.addAll(racks);
      return copy;
    }
  }

  /** The running process. */
  static final class RunState {
    ProcessIdentity process;
    int controlPort;
    String token;

    /** With what it was started; null if an earlier build started it, which did not note this. */
    ClusterPlan plan;
  }

  /** Patterns of the names that an interrupted first start may leave in the directory. */
  private static final String OWN = "conf|conf-stripeline|log|run";

  /** Those in {@code run}; the name of a plan has a random part. */
  private static final String OWN_IN_RUN =
      "lock|hosts|log4j\\.properties|hadoop-metrics2\\.properties|plan.*";

  private final Path root;

  ClusterDirectory(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  Path root() {
    return root;
  }

  Path conf() {
    return root.resolve("conf");
  }

  /** Returns the client configuration directory with our pipelines. */
  Path confStripeline() {
    return root.resolve("conf-stripeline");
  }

  Path name() {
    return root.resolve("name");
  }

  Path data(int number) {
    return root.resolve("data").resolve("dn" + number);
  }

  Path temporary() {
    return root.resolve("run").resolve("tmp");
  }

  Path log() {
    return root.resolve("log").resolve("cluster.log");
  }

  Path lock() {
    return root.resolve("run").resolve("lock");
  }

  /** Returns whether a process runs or starts a cluster here, in whichever container. */
  boolean isLocked() throws IOException {
    if (!Files.exists(lock())) {
      return false;
    }
    try (FileChannel file = FileChannel.open(lock(), StandardOpenOption.WRITE);
        FileLock free = file.tryLock()) {
      return free == null;
    } catch (OverlappingFileLockException ofThisProcess) {
      return true;
    }
  }

  Path hosts() {
    return root.resolve("run").resolve("hosts");
  }

  private Path state() {
    return root.resolve("run").resolve("state.json");
  }

  private Path description() {
    return root.resolve("cluster.json");
  }

  /** Refuses a file in place of the directory; the directory may be missing. */
  void requireNoFile() {
    if (Files.exists(root) && !Files.isDirectory(root)) {
      throw new CommandException(
          ExitStatus.USAGE, "Cannot use directory " + root + ": it is not a directory");
    }
  }

  /**
   * Refuses a disk on which HDFS would write no block. A directory that holds a cluster already is
   * accepted, since its files can still be read.
   *
   * @param settings Hadoop settings of the cluster
   */
  void requireSpace(Map<String, String> settings) throws IOException {
    if (Files.exists(description())) {
      return;
    }
    Configuration conf = new HdfsConfiguration();
    settings.forEach(conf::set);
    // The NameNode chooses no DataNode with less room than a block, and stops writing to a name
    // directory with less room than it reserves.
    long reserved = conf.getLongBytes("dfs.datanode.du.reserved", 0);
    long block = conf.getLongBytes("dfs.blocksize", BLOCK_DEFAULT);
    long ofNameNode =
        conf.getLongBytes("dfs.namenode.resource.du.reserved", NAME_NODE_RESERVED_DEFAULT);
    Path disk = root;
    while (!Files.exists(disk)) {
      disk = disk.getParent();
    }
    long needed = Math.max(reserved + block, ofNameNode);
    long free = Files.getFileStore(disk).getUsableSpace();
    if (free < needed) {
      throw new ClusterException(
          "Cannot start cluster in "
              + root
              + ": its disk has "
              + Quantity.bytes(free)
              + " ("
              + free
              + " bytes) free, and HDFS writes no block with less than "
              + Quantity.bytes(needed)
              + " ("
              + needed
              + " bytes: dfs.datanode.du.reserved and a block of dfs.blocksize, or"
              + " dfs.namenode.resource.du.reserved); free space, or name a directory on another"
              + " disk with --dir");
    }
  }

  /** Creates the directory, or refuses one that contains other files. */
  void prepare() throws IOException {
    if (Files.isDirectory(root) && !Files.exists(description()) && !looksOwn()) {
      throw new CommandException(
          ExitStatus.USAGE,
          "Cannot use directory "
              + root
              + ": it contains other files and no cluster; name an empty or new directory");
    }
    try {
      for (Path directory :
          new Path[] {conf(), confStripeline(), log().getParent(), lock().getParent()}) {
        Files.createDirectories(directory);
      }
      Files.setPosixFilePermissions(
          lock().getParent(), PosixFilePermissions.fromString("rwx------"));
    } catch (IOException e) {
      throw new ClusterException("Cannot use directory " + root + ": " + e, e);
    }
  }

  /**
   * Returns whether the directory contains only what an interrupted first start leaves. Client
   * configuration is written after the description, so any that is here belongs to others.
   */
  private boolean looksOwn() throws IOException {
    return containsOnly(root, OWN)
        && containsOnly(conf(), "")
        && containsOnly(confStripeline(), "")
        && containsOnly(log().getParent(), "cluster\\.log")
        && containsOnly(lock().getParent(), OWN_IN_RUN);
  }

  private static boolean containsOnly(Path directory, String names) throws IOException {
    if (!Files.isDirectory(directory)) {
      return true;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (!entry.getFileName().toString().matches(names)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns the description, null if the directory contains no cluster yet. */
  Description readDescription() throws IOException {
    return read(description(), Description.class);
  }

  void writeDescription(Description description) throws IOException {
    write(description(), description);
  }

  /** Returns the state of the process, null if there is none. */
  RunState readState() throws IOException {
    RunState state = read(state(), RunState.class);
    if (state != null && (state.process == null || state.token == null)) {
      throw new ClusterException(
          "Cannot read " + state() + ": it is incomplete; remove it if no cluster runs here");
    }
    return state;
  }

  void writeState(RunState state) throws IOException {
    write(state(), state);
  }

  void removeState() throws IOException {
    Files.deleteIfExists(state());
  }

  /** Returns the last lines of the log, for error messages. */
  List<String> logTail(int lines) throws IOException {
    if (!Files.exists(log())) {
      return new ArrayList<>();
    }
    byte[] bytes = Files.readAllBytes(log());
    String[] all = new String(bytes, StandardCharsets.UTF_8).split("\n");
    List<String> tail = new ArrayList<>();
    for (int i = Math.max(0, all.length - lines); i < all.length; i++) {
      tail.add(all[i]);
    }
    return tail;
  }

  static <T> T read(Path path, Class<T> type) throws IOException {
    try {
      byte[] bytes = Files.readAllBytes(path);
      T value = GSON.fromJson(new String(bytes, StandardCharsets.UTF_8), type);
      if (value == null) {
        throw new ClusterException("Cannot read " + path + ": the file is empty");
      }
      return value;
    } catch (NoSuchFileException none) {
      return null;
    } catch (JsonParseException e) {
      throw new ClusterException("Cannot read " + path + ": " + e.getMessage(), e);
    }
  }

  /** Replaces the file atomically, readable by its owner only. */
  static void write(Path path, Object value) throws IOException {
    Path next =
        Files.createTempFile(
            path.getParent(),
            path.getFileName().toString(),
            ".new",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.write(next, (GSON.toJson(value) + "\n").getBytes(StandardCharsets.UTF_8));
      Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(next);
    }
  }
}
