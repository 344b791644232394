// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.accumulo.core.client.Accumulo;
import org.apache.accumulo.core.client.AccumuloClient;
import org.apache.accumulo.core.client.BatchWriter;
import org.apache.accumulo.core.client.BatchWriterConfig;
import org.apache.accumulo.core.client.Durability;
import org.apache.accumulo.core.client.Scanner;
import org.apache.accumulo.core.data.Key;
import org.apache.accumulo.core.data.Mutation;
import org.apache.accumulo.core.data.Value;
import org.apache.accumulo.core.security.Authorizations;

/** Kills the tablet server of an Accumulo while it writes, and scans for what it acknowledged. */
public final class AccumuloTrial {
  private static final String TABLE = "t";
  private static final String PASSWORD = "secret";

  private final Trial trial;
  private final Case sizes;
  private final String zooKeepers;
  private final Jvm.Setting servers;
  private final AtomicLong acknowledged = new AtomicLong();
  private volatile boolean stopped;

  private AccumuloTrial(Trial trial, Case sizes, String zooKeepers) throws IOException {
    this.trial = trial;
    this.sizes = sizes;
    this.zooKeepers = zooKeepers;
    Map<String, String> properties =
        Map.of(
            "instance.volumes", trial.address() + "/" + sizes.name,
            "instance.zookeeper.host", zooKeepers,
            "instance.zookeeper.timeout", "5s",
            "instance.secret", PASSWORD,
            "manager.recovery.delay", "1s",
            "tserver.memory.maps.native.enabled", "false",
            "tserver.memory.maps.max", "192M",
            "tserver.wal.max.size", sizes.logBytes,
            "tserver.cache.data.size", "16M",
            "tserver.cache.index.size", "16M");
    Path file = trial.folder().resolve(sizes.name + ".properties");
    Files.write(file, properties.entrySet().stream().map(Object::toString).toList());
    servers = trial.setting("-Xmx640m", "-Daccumulo.properties=" + file.toUri());
  }

  /** How many bytes a mutation has, how many are flushed at once, and when the server is killed. */
  private record Case(String name, int bytes, int batch, long kill, String logBytes) {}

  /** Runs with the name of the client. */
  public static void main(String[] arguments) throws Exception {
    Case[] cases = {
      new Case("below-a-cell", 100, 20, 1_000, "1G"),
      new Case("some-cells", 500, 100, 10_000, "1G"),
      new Case("some-stripes", 2_000, 500, 15_000, "1G"),
      new Case("several-logs", 2_000, 500, 40_000, "32M")
    };
    try (Trial trial = Trial.start(arguments[0])) {
      int port = Trial.freePort();
      try (Jvm zooKeeper =
          trial
              .setting("-Xmx128m", "-Dzookeeper.admin.enableServer=false")
              .startLogged(
                  "org.apache.zookeeper.server.ZooKeeperServerMain",
                  Integer.toString(port),
                  trial.folder().resolve("zookeeper").toString())) {
        for (Case sizes : cases) {
          new AccumuloTrial(trial, sizes, "localhost:" + port).run();
        }
      }
      trial.finish(true);
    }
  }

  private void run() throws Exception {
    try (Jvm init =
        servers.startLogged(
            "org.apache.accumulo.server.init.Initialize",
            "--instance-name",
            sizes.name,
            "--password",
            PASSWORD)) {
      init.waitForEnd();
    }
    try (Jvm manager = servers.startLogged("org.apache.accumulo.manager.Manager");
        Jvm first = startTabletServer();
        AccumuloClient client =
            Accumulo.newClient().to(sizes.name, zooKeepers).as("root", PASSWORD).build()) {
      client.tableOperations().create(TABLE);
      Thread writer = new Thread(() -> write(client));
      writer.setDaemon(true);
      writer.start();
      Trial.await("mutations", () -> acknowledged.get() >= sizes.kill || !writer.isAlive());
      first.kill();
      long expected = acknowledged.get();
      String remark = "";
      long found = 0;
      try (Jvm second = startTabletServer()) {
        try {
          Trial.await("recovery", trial.isOurs() ? 180 : 60, () -> acknowledged.get() > expected);
          stopped = true;
          writer.join();
          found = scan(client);
        } catch (IOException e) {
          if (trial.isOurs()) {
            throw e;
          }
          remark = "no tablet is served after 60 s";
        }
      }
      long total = acknowledged.get();
      trial.report("Accumulo: " + sizes.name, total, Math.min(found, total), remark);
    }
  }

  private Jvm startTabletServer() throws IOException {
    return servers.startLogged("org.apache.accumulo.tserver.TabletServer");
  }

  private void write(AccumuloClient client) {
    BatchWriterConfig config = new BatchWriterConfig().setDurability(Durability.SYNC);
    try (BatchWriter writer = client.createBatchWriter(TABLE, config)) {
      for (long next = 0; !stopped; next += sizes.batch) {
        for (long i = next; i < next + sizes.batch; i++) {
          writer.addMutation(new Mutation(row(i)).at().family("f").qualifier("").put(value(i)));
        }
        writer.flush();
        acknowledged.set(next + sizes.batch);
      }
    } catch (Exception e) {
      e.printStackTrace();
    }
  }

  /** Counts the acknowledged mutations that are there with their value. */
  private long scan(AccumuloClient client) throws Exception {
    long found = 0;
    try (Scanner scanner = client.createScanner(TABLE, Authorizations.EMPTY)) {
      for (Map.Entry<Key, Value> entry : scanner) {
        long number = Long.parseLong(entry.getKey().getRow().toString());
        if (number < acknowledged.get() && value(number).equals(entry.getValue().toString())) {
          found++;
        }
      }
    }
    return found;
  }

  private static String row(long number) {
    return String.format("%012d", number);
  }

  private String value(long number) {
    return Long.toString(number).repeat(sizes.bytes).substring(0, sizes.bytes);
  }
}
