// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.monitoring;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.StripelineFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.server.blockmanagement.EarPlacementPolicy;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.Agents;
import org.stripeline.coder.RsCoderFactory;
import org.stripeline.coder.metrics.PublishedMetrics;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.report.JobReport;

/**
 * Runs a cluster with all of Stripeline in one process, and writes what Hadoop's {@code /prom} and
 * JMX show: {@code healthy} after work without failures, {@code faulty} after injected failures.
 */
public final class MonitoredCluster {
  private static final String POLICY = "RS-3-2-1024k";
  private static final int BLOCK = ConvertCluster.BLOCK;
  private static final org.apache.hadoop.fs.Path STRIPED = new org.apache.hadoop.fs.Path("/ec");

  private final ConvertCluster cluster;
  private final DistributedFileSystem fs;
  private final Path folder;

  private MonitoredCluster(ConvertCluster cluster, DistributedFileSystem fs, Path folder) {
    this.cluster = cluster;
    this.fs = fs;
    this.folder = folder;
  }

  /** Takes the folder for files of the cluster and for the results. */
  public static void main(String[] arguments) throws Exception {
    Path folder = Paths.get(arguments[0]);
    try (ConvertCluster cluster =
            new ConvertCluster(
                folder.resolve("dfs"),
                8,
                4,
                conf -> {
                  conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
                  conf.set("dfs.block.replicator.classname", EarPlacementPolicy.class.getName());
                  conf.set("stripeline.ear.directories", "/warm");
                  conf.set("stripeline.ear.code", "RS-3-2");
                  conf.setBoolean("hadoop.prometheus.endpoint.enabled", true);
                  conf.set("fs.hdfs.impl", StripelineFileSystem.class.getName());
                  conf.setInt("dfs.datanode.scan.period.hours", -1);
                  // Nothing is repaired, so that injected failures stay.
                  conf.setInt("dfs.namenode.replication.max-streams", 0);
                  conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 0);
                });
        FileSystem client = FileSystem.newInstance(cluster.uri(), cluster.conf())) {
      MonitoredCluster run = new MonitoredCluster(cluster, (DistributedFileSystem) client, folder);
      run.work();
      run.record("healthy");
      run.fail();
      run.record("faulty");
    }
  }

  /** Writes, converts and reads files. */
  private void work() throws IOException {
    fs.mkdirs(STRIPED);
    fs.enableErasureCodingPolicy(POLICY);
    fs.setErasureCodingPolicy(STRIPED, POLICY);
    write("/ec/file", 6 * BLOCK);
    read("/ec/file");
    write("/warm/file", 6 * BLOCK);
    try (Driver driver = cluster.driver()) {
      JobReport report = driver.execute(ConvertCluster.contiguous("/warm", "RS-3-2"), "job");
      check(report.failures().isEmpty(), "Cannot convert: " + report.failures());
    }
    read("/warm/file");
  }

  private void fail() throws Exception {
    // A block with wrong bytes, then more lost blocks than parity.
    corrupt("/ec/file", 1);
    read("/ec/file");
    for (int unit : new int[] {0, 1, 2}) {
      corrupt("/ec/file", unit);
    }
    expect(IOException.class, () -> read("/ec/file"));

    // The NameNode refuses the second block group of a file that was deleted.
    org.apache.hadoop.fs.Path gone = new org.apache.hadoop.fs.Path("/ec/gone");
    FSDataOutputStream out = fs.create(gone);
    out.write(new byte[3 * BLOCK]);
    fs.delete(gone, false);
    expect(
        IOException.class,
        () -> {
          out.write(new byte[6 * BLOCK]);
          out.close();
        });
    fs.create(new org.apache.hadoop.fs.Path("/ec/odd"), true, 4096, (short) 1, BLOCK + BLOCK / 2)
        .close();

    RawErasureDecoder decoder = new RsCoderFactory().createDecoder(new ErasureCoderOptions(3, 2));
    decoder.release();
    expect(IOException.class, () -> decoder.decode(new byte[5][8], new int[] {0}, new byte[1][8]));

    DatanodeInfo node = fs.getDataNodeStats(DatanodeReportType.LIVE)[0];
    try (Agents agents = Agents.connect(cluster.conf())) {
      expect(AgentException.class, () -> agents.poll(node, 4711, 0));
    }
  }

  private void write(String path, int length) throws IOException {
    try (FSDataOutputStream out = fs.create(new org.apache.hadoop.fs.Path(path))) {
      out.write(ConvertCluster.bytes(7, length));
    }
  }

  private void read(String path) throws IOException {
    byte[] back = ConvertCluster.read(fs, path);
    check(Arrays.equals(back, ConvertCluster.bytes(7, back.length)), "Wrong bytes");
  }

  /** Overwrites the bytes of an internal block on the disk of its DataNode. */
  private void corrupt(String path, int unit) throws IOException {
    long group =
        fs.getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE).get(0).getBlock().getBlockId();
    try (Stream<Path> files = Files.walk(folder.resolve("dfs"))) {
      List<Path> found =
          files
              .filter(file -> file.getFileName().toString().equals("blk_" + (group + unit)))
              .collect(Collectors.toList());
      check(found.size() == 1, "Cannot find internal block " + unit + ": " + found);
      Files.write(found.get(0), new byte[(int) Files.size(found.get(0))]);
    }
  }

  private static void expect(Class<? extends Exception> type, FailingCall call) {
    try {
      call.run();
    } catch (Exception e) {
      check(type.isInstance(e), "Expected " + type + ", got " + e);
      return;
    }
    throw new AssertionError("Expected " + type);
  }

  private static void check(boolean isRight, String message) {
    if (!isRight) {
      throw new AssertionError(message);
    }
  }

  /** A call that must throw. */
  private interface FailingCall {
    void run() throws Exception;
  }

  /** Writes the scrape as {@code NAME.prom}, and all attributes of our beans as NAME.json. */
  private void record(String name) throws Exception {
    String address = "http://" + cluster.mini.getNameNode().getHttpAddress().getHostString();
    URL url =
        new URL(address + ":" + cluster.mini.getNameNode().getHttpAddress().getPort() + "/prom");
    try (InputStream in = url.openStream();
        OutputStream out = Files.newOutputStream(folder.resolve(name + ".prom"))) {
      IOUtils.copyBytes(in, out, 4096);
    }
    JsonObject all = new JsonObject();
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    for (ObjectName bean : server.queryNames(new ObjectName("Hadoop:service=Stripeline,*"), null)) {
      for (MBeanAttributeInfo info : server.getMBeanInfo(bean).getAttributes()) {
        // Beans of the same name in one process are numbered.
        String key = bean.getKeyProperty("name").replaceAll("-?\\d+$", "") + '.' + info.getName();
        Object value = server.getAttribute(bean, info.getName());
        JsonObject entry = all.has(key) ? all.getAsJsonObject(key) : new JsonObject();
        entry.addProperty(
            "isFailure", info.getDescription().endsWith(PublishedMetrics.FAILURE_MARK));
        if (value instanceof Number) {
          double before = entry.has("sum") ? entry.get("sum").getAsDouble() : 0;
          entry.addProperty("sum", before + ((Number) value).doubleValue());
        } else {
          entry.addProperty("text", (String) value);
        }
        all.add(key, entry);
      }
    }
    Files.write(folder.resolve(name + ".json"), all.toString().getBytes());
  }
}
