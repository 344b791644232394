// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Kills the region servers of an HBase while they write, and reads what they acknowledged. HBase
 * asks HDFS for replicated write-ahead logs, so these do not depend on the client; through viewfs
 * it cannot, and the logs are files of their directory.
 */
public final class HbaseTrial implements ServerKill.Service {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("");

  /** Several regions, so that all servers write. */
  private static final byte[][] SPLITS = {{0x40}, {(byte) 0x80}, {(byte) 0xC0}};

  private static final ServerKill.Kills KILLS = new ServerKill.Kills(2, 3, 15_000);

  private final Trial trial;
  private final Case sizes;
  private final int port;
  private final TableName name;
  private final Jvm.Setting servers;
  private Connection connection;
  private Table table;

  private HbaseTrial(Trial trial, Case sizes, int port) {
    this.trial = trial;
    this.sizes = sizes;
    this.port = port;
    this.name = TableName.valueOf("t");
    this.servers = trial.setting("-Xmx640m");
  }

  /** Provider and directory of the logs, bytes of a put, puts of a batch and before the kill. */
  private record Case(
      String name,
      String provider,
      boolean view,
      int bytes,
      int batch,
      ServerKill.Kills kills,
      boolean late)
      implements ServerKill.Case {
    Case(String name, String provider, boolean view, int bytes, int batch, long kill) {
      this(name, provider, view, bytes, batch, new ServerKill.Kills(1, 1, kill), false);
    }
  }

  /** Runs with the name of the client. */
  public static void main(String[] arguments) {
    List<Case> cases =
        List.of(
            new Case("asyncfs-some-cells", "asyncfs", false, 500, 100, 10_000),
            new Case("filesystem-some-cells", "filesystem", false, 500, 100, 10_000),
            new Case("viewfs-below-a-cell", "filesystem", true, 100, 20, 1_000),
            new Case("viewfs-some-stripes", "filesystem", true, 2_000, 500, 15_000),
            new Case("viewfs-several-logs", "filesystem", true, 2_000, 500, 40_000),
            new Case("all-killed", "filesystem", true, 2_000, 500, KILLS, false),
            new Case("all-killed-late", "filesystem", true, 2_000, 500, KILLS, true));
    ServerKill.runAll(
        arguments[0], cases, (trial, sizes, port) -> new HbaseTrial(trial, sizes, port).run());
  }

  private void run() throws Exception {
    trial.configure(sizes.late ? Trial.lateSyncs() : Map.of());
    String root = trial.address() + "/" + sizes.name;
    String logs = sizes.view ? "viewfs://applications/" + sizes.name : root;
    StringBuilder site = new StringBuilder("<configuration>");
    Trial.property(site, "hbase.rootdir", root + "/root");
    Trial.property(site, "hbase.wal.dir", logs + "/logs");
    Trial.property(site, "fs.viewfs.mounttable.applications.link./" + sizes.name, root);
    Trial.property(site, "hbase.wal.provider", sizes.provider);
    Trial.property(site, "hbase.regionserver.hlog.blocksize", Integer.toString(48 << 20));
    // The stock client's streams lack the capability, and HBase would not start.
    Trial.property(
        site, "hbase.unsafe.stream.capability.enforce", Boolean.toString(trial.isOurs()));
    Trial.property(site, "hbase.cluster.distributed", "true");
    Trial.property(site, "hbase.zookeeper.quorum", "localhost");
    Trial.property(site, "hbase.zookeeper.property.clientPort", Integer.toString(port));
    Trial.property(site, "zookeeper.znode.parent", "/" + sizes.name);
    Trial.property(site, "zookeeper.session.timeout", "20000");
    Trial.property(site, "hbase.client.retries.number", "1000");
    Trial.property(site, "hbase.client.operation.timeout", "400000");
    Trial.property(site, "hbase.client.meta.operation.timeout", "400000");
    for (String server : List.of("master", "regionserver")) {
      Trial.property(site, "hbase." + server + ".port", "0");
      Trial.property(site, "hbase." + server + ".info.port", "-1");
    }
    Files.writeString(trial.folder().resolve("site/hbase-site.xml"), site + "</configuration>");
    try (Jvm master = servers.startServer("org.apache.hadoop.hbase.master.HMaster", "start")) {
      ServerKill.run(trial, "HBase: " + sizes.name, this, sizes.batch, sizes.kills);
    }
  }

  @Override
  public Jvm startServer() throws IOException {
    if (table != null) {
      System.out.println("logs: " + logs());
    }
    return servers.startServer("org.apache.hadoop.hbase.regionserver.HRegionServer", "start");
  }

  /** Returns how many write-ahead logs are replicated, and how many are erasure-coded. */
  private String logs() throws IOException {
    int replicated = 0;
    int striped = 0;
    FileSystem fs = FileSystem.get(new Configuration());
    for (RemoteIterator<LocatedFileStatus> files =
            fs.listFiles(new Path("/" + sizes.name + "/logs/WALs"), true);
        files.hasNext(); ) {
      if (files.next().isErasureCoded()) {
        striped++;
      } else {
        replicated++;
      }
    }
    return replicated + " replicated, " + striped + " erasure-coded";
  }

  @Override
  public void write(long from, long to) throws Exception {
    if (table == null) {
      connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
      connection
          .getAdmin()
          .createTable(
              TableDescriptorBuilder.newBuilder(name)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                  .build(),
              SPLITS);
      table = connection.getTable(name);
    }
    List<Put> puts = new ArrayList<>();
    for (long i = from; i < to; i++) {
      Put put = new Put(Bytes.toBytes(Long.reverse(i))).setDurability(Durability.FSYNC_WAL);
      puts.add(put.addColumn(FAMILY, QUALIFIER, value(i)));
    }
    table.put(puts);
  }

  @Override
  public long count(long end) throws Exception {
    long found = 0;
    try (ResultScanner results = table.getScanner(new Scan().setCaching(1000))) {
      for (Result result : results) {
        long number = Long.reverse(Bytes.toLong(result.getRow()));
        if (number < end && Bytes.equals(value(number), result.getValue(FAMILY, QUALIFIER))) {
          found++;
        }
      }
    }
    return found;
  }

  private byte[] value(long number) {
    return Bytes.toBytes(ServerKill.value(number, sizes.bytes));
  }
}
