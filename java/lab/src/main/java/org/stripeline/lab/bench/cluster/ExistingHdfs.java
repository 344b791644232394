// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.VersionInfo;
import org.stripeline.natives.Ticker;

/**
 * A cluster of the user. Files are written in a directory of its own, which is deleted at the end;
 * nothing else of the cluster is changed, and no policy is enabled.
 */
public final class ExistingHdfs implements BenchHdfs {
  private static final List<String> SITES = Arrays.asList("core-site.xml", "hdfs-site.xml");

  /** Settings that distinguish contestants, which the user's must not change. */
  private static final Pattern OF_CONTESTANTS =
      Pattern.compile(
          "stripeline\\..*|io\\.erasurecode\\.codec\\..*|dfs\\.client-write-packet-size"
              + "|dfs\\.replication|fs\\.hdfs\\.impl(\\.disable\\.cache)?");

  /** Properties of this JVM without which clients may not log in or connect. */
  private static final Pattern OF_JVM =
      Pattern.compile(
          "(java|javax|sun)\\.security\\..*|javax\\.net\\.ssl\\..*|java\\.library\\.path");

  private static final int REPORT_TRIES = 50;
  private static final long REPORT_NANOS = 200_000_000;

  private final java.nio.file.Path sites;
  private final Map<String, String> settings;
  private final DistributedFileSystem fs;
  private final Path root;
  private boolean isClosed;

  private ExistingHdfs(
      java.nio.file.Path sites, Map<String, String> settings, DistributedFileSystem fs, Path root) {
    this.sites = sites;
    this.settings = settings;
    this.fs = fs;
    this.root = root;
  }

  /**
   * Opens the cluster that a configuration directory names, and creates a directory in it.
   *
   * @param sites the directory with core-site.xml and hdfs-site.xml
   * @param parent the absolute path of an HDFS directory in which the user may write
   * @throws IOException if one of them cannot be used
   */
  public static ExistingHdfs open(java.nio.file.Path sites, String parent) throws IOException {
    Map<String, String> settings = settings(sites);
    DistributedFileSystem fs = connect(settings, parent);
    Path root = new Path(parent, "stripeline-bench-" + UUID.randomUUID());
    ExistingHdfs hdfs = new ExistingHdfs(sites, settings, fs, root);
    try {
      if (!fs.mkdirs(root)) {
        throw new IOException("the NameNode did not create it");
      }
      return hdfs;
    } catch (IOException e) {
      IOException refused =
          new IOException("Cannot create " + fs.getUri() + root + ": " + firstLine(e), e);
      try {
        // It may have been created nevertheless.
        hdfs.close();
      } catch (IOException notDeleted) {
        refused.addSuppressed(notDeleted);
      }
      throw refused;
    }
  }

  /**
   * Checks that the cluster answers and has the directory.
   *
   * @throws IOException if not
   */
  public static void check(java.nio.file.Path sites, String parent) throws IOException {
    connect(settings(sites), parent).close();
  }

  private static Map<String, String> settings(java.nio.file.Path sites) throws IOException {
    Configuration own = new Configuration(false);
    for (String name : SITES) {
      java.nio.file.Path site = sites.resolve(name);
      if (!Files.isReadable(site)) {
        String why = Files.exists(site) ? " cannot be read" : " does not exist";
        throw new IOException("Cannot use --conf=" + sites + ": " + site + why);
      }
      own.addResource(new Path(site.toUri()));
    }
    Map<String, String> settings = new LinkedHashMap<>();
    try {
      for (Map.Entry<String, String> entry : own) {
        if (!OF_CONTESTANTS.matcher(entry.getKey()).matches()) {
          settings.put(entry.getKey(), entry.getValue());
        }
      }
    } catch (RuntimeException malformed) {
      throw new IOException("Cannot use --conf=" + sites + ": " + firstLine(malformed), malformed);
    }
    if (!settings.containsKey(FileSystem.FS_DEFAULT_NAME_KEY)) {
      throw new IOException(
          "Cannot use --conf=" + sites + ": it does not set " + FileSystem.FS_DEFAULT_NAME_KEY);
    }
    settings.put("fs.hdfs.impl", DistributedFileSystem.class.getName());
    settings.put("dfs.blocksize", String.valueOf(IoCluster.BLOCK_BYTES));
    return settings;
  }

  /** Returns the configuration without the site files of the class path, as clients have it. */
  private static Configuration configuration(Map<String, String> settings) {
    HdfsConfiguration.init();
    Configuration conf = new Configuration(false);
    conf.addResource("core-default.xml");
    conf.addResource("hdfs-default.xml");
    settings.forEach(conf::set);
    // Hadoop would close it when a signal ends the process, before the files are deleted.
    conf.setBoolean("fs.automatic.close", false);
    return conf;
  }

  /** Returns the settings of a client that gives up after seconds instead of minutes. */
  private static Map<String, String> brief(Map<String, String> settings) {
    Map<String, String> brief = new LinkedHashMap<>(settings);
    brief.put("ipc.client.connect.max.retries", "2");
    brief.put("ipc.client.connect.max.retries.on.timeouts", "1");
    brief.put("ipc.client.connect.timeout", "10000");
    brief.put("dfs.client.failover.max.attempts", "4");
    return brief;
  }

  /** Asks once for the directory, without Hadoop's many retries, and then opens a client. */
  private static DistributedFileSystem connect(Map<String, String> settings, String parent)
      throws IOException {
    UserGroupInformation.setConfiguration(configuration(settings));
    try (DistributedFileSystem asked = client(brief(settings))) {
      if (!parent.matches("/|(/[^/]+)+/?")) {
        throw new IOException("it is no absolute path of HDFS");
      }
      if (!asked.getFileStatus(new Path(parent)).isDirectory()) {
        throw new IOException("it is not a directory");
      }
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          "Cannot use --path="
              + parent
              + " on "
              + settings.get(FileSystem.FS_DEFAULT_NAME_KEY)
              + ": "
              + firstLine(e),
          e);
    }
    return client(settings);
  }

  private static DistributedFileSystem client(Map<String, String> settings) throws IOException {
    Configuration conf = configuration(settings);
    FileSystem fs = FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf);
    if (fs instanceof DistributedFileSystem) {
      return (DistributedFileSystem) fs;
    }
    fs.close();
    throw new IOException(fs.getUri() + " is no HDFS");
  }

  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).split("\\R", 2)[0];
  }

  @Override
  public Map<String, String> clientSettings() {
    return new LinkedHashMap<>(settings);
  }

  @Override
  public List<String> clientPrefix() {
    return Collections.emptyList();
  }

  @Override
  public List<String> clientArguments() {
    return System.getProperties().stringPropertyNames().stream()
        .filter(name -> OF_JVM.matcher(name).matches())
        .sorted()
        .map(name -> "-D" + name + "=" + System.getProperty(name))
        .collect(Collectors.toList());
  }

  @Override
  public List<java.nio.file.Path> clientClassPath() {
    // Other files of it, such as ssl-client.xml.
    return Collections.singletonList(sites);
  }

  @Override
  public synchronized DistributedFileSystem open(Map<String, String> all) throws IOException {
    if (isClosed) {
      throw new IOException("Cannot continue in " + root + ": it is being deleted");
    }
    return client(all);
  }

  @Override
  public DistributedFileSystem fs() {
    return fs;
  }

  @Override
  public Path root() {
    return root;
  }

  @Override
  public String absence(Path directory, String policy, int bytes, int wanted) {
    Path probe = new Path(directory, "probe");
    try {
      fs.mkdirs(directory);
      fs.setErasureCodingPolicy(directory, policy == null ? "REPLICATION" : policy);
      try (FSDataOutputStream out =
          fs.createNonRecursive(
              probe,
              FsPermission.getFileDefault(),
              EnumSet.of(CreateFlag.CREATE),
              bytes,
              (short) (policy == null ? wanted : 1),
              IoCluster.BLOCK_BYTES,
              null)) {
        out.write(new byte[bytes]);
      }
      int found = locations(probe);
      // DataNodes report what they have received later.
      for (int tries = 0; found < wanted && tries < REPORT_TRIES; tries++) {
        Ticker.SYSTEM.sleep(REPORT_NANOS);
        found = locations(probe);
      }
      fs.delete(probe, false);
      return found == wanted
          ? null
          : "HDFS stores a file on " + found + " DataNodes, not on " + wanted;
    } catch (IOException e) {
      return firstLine(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  private int locations(Path file) throws IOException {
    LocatedBlock block = fs.getClient().getLocatedBlocks(file.toString(), 0).get(0);
    return block.getLocations().length;
  }

  @Override
  public long free() throws IOException {
    return fs.getStatus().getRemaining();
  }

  @Override
  public void enable(ErasureCodingPolicy policy) {}

  @Override
  public List<Long> processes() {
    return Collections.emptyList();
  }

  @Override
  public Map<String, String> inside() {
    return Collections.emptyMap();
  }

  @Override
  public void delete(Collection<String> files) throws IOException {
    for (String file : files) {
      fs.delete(new Path(file), false);
    }
  }

  @Override
  public String hadoopVersion() {
    return VersionInfo.getVersion() + " (client)";
  }

  /** Deletes the directory; a second call does nothing. */
  @Override
  public synchronized void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    // First, so that nothing is created after the deletion.
    fs.close();
    try (DistributedFileSystem last = client(brief(settings))) {
      if (!last.delete(root, true) && last.exists(root)) {
        throw new IOException("the NameNode did not delete it");
      }
    } catch (IOException e) {
      throw new IOException("Cannot delete " + this + ", delete it yourself: " + firstLine(e), e);
    }
  }

  @Override
  public String toString() {
    return fs.getUri() + root.toString();
  }
}
