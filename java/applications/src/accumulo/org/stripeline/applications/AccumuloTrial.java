// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.accumulo.core.client.Accumulo;
import org.apache.accumulo.core.client.AccumuloClient;
import org.apache.accumulo.core.client.BatchWriter;
import org.apache.accumulo.core.client.BatchWriterConfig;
import org.apache.accumulo.core.client.Durability;
import org.apache.accumulo.core.client.Scanner;
import org.apache.accumulo.core.client.admin.NewTableConfiguration;
import org.apache.accumulo.core.data.Key;
import org.apache.accumulo.core.data.Mutation;
import org.apache.accumulo.core.data.Value;
import org.apache.accumulo.core.security.Authorizations;
import org.apache.hadoop.io.Text;

/**
 * Kills the tablet servers of an Accumulo while they write, and scans for what they acknowledged.
 */
public final class AccumuloTrial implements ServerKill.Service {
  private static final String TABLE = "t";

  private final Trial trial;
  private final Case sizes;
  private final String zooKeepers;
  private final AccumuloServers servers;
  private AccumuloClient client;
  private BatchWriter writer;

  private AccumuloTrial(Trial trial, Case sizes, int port) throws IOException {
    this.trial = trial;
    this.sizes = sizes;
    this.zooKeepers = "localhost:" + port;
    servers =
        new AccumuloServers(
            sizes.name,
            zooKeepers,
            trial.address() + "/" + sizes.name,
            Map.of("tserver.wal.max.size", sizes.logBytes),
            trial.setting());
  }

  /** How many bytes a mutation has, how many are flushed at once, and when servers are killed. */
  private record Case(
      String name, int bytes, int batch, ServerKill.Kills kills, String logBytes, boolean late)
      implements ServerKill.Case {
    Case(String name, int bytes, int batch, long kill, String logBytes) {
      this(name, bytes, batch, new ServerKill.Kills(1, 1, kill), logBytes, false);
    }
  }

  /** Runs with the name of the client. */
  public static void main(String[] arguments) {
    List<Case> cases =
        List.of(
            new Case("below-a-cell", 100, 20, 1_000, "1G"),
            new Case("some-cells", 500, 100, 10_000, "1G"),
            new Case("some-stripes", 2_000, 500, 15_000, "1G"),
            new Case("several-logs", 2_000, 500, 40_000, "32M"),
            new Case("all-killed", 2_000, 500, new ServerKill.Kills(3, 4, 15_000), "1G", false),
            new Case("all-killed-late", 2_000, 500, new ServerKill.Kills(2, 3, 15_000), "1G", true),
            new Case("above-a-group", 20_000, 50, new ServerKill.Kills(2, 2, 25_000), "2G", false));
    ServerKill.runAll(
        arguments[0], cases, (trial, sizes, port) -> new AccumuloTrial(trial, sizes, port).run());
  }

  private void run() throws Exception {
    trial.configure(sizes.late ? Trial.lateSyncs() : Map.of());
    servers.initialize();
    try (Jvm manager = servers.startManager()) {
      // Not closed, because a writer may hang in it.
      client =
          Accumulo.newClient()
              .to(sizes.name, zooKeepers)
              .as("root", AccumuloServers.PASSWORD)
              .build();
      ServerKill.run(trial, "Accumulo: " + sizes.name, this, sizes.batch, sizes.kills);
    }
  }

  @Override
  public Jvm startServer() throws IOException {
    return servers.startTabletServer();
  }

  @Override
  public void write(long from, long to) throws Exception {
    if (writer == null) {
      // One tablet for each last digit, so that all servers write.
      SortedSet<Text> splits = new TreeSet<>();
      for (int digit = 1; digit < 10; digit++) {
        splits.add(new Text(Integer.toString(digit)));
      }
      client.tableOperations().create(TABLE, new NewTableConfiguration().withSplits(splits));
      BatchWriterConfig config = new BatchWriterConfig().setDurability(Durability.SYNC);
      writer = client.createBatchWriter(TABLE, config);
    }
    for (long i = from; i < to; i++) {
      writer.addMutation(new Mutation(row(i)).at().family("f").qualifier("").put(value(i)));
    }
    writer.flush();
  }

  @Override
  public long count(long end) throws Exception {
    long found = 0;
    try (Scanner scanner = client.createScanner(TABLE, Authorizations.EMPTY)) {
      for (Map.Entry<Key, Value> entry : scanner) {
        String row = entry.getKey().getRow().toString();
        long number = Long.parseLong(new StringBuilder(row).reverse().toString());
        if (number < end && value(number).equals(entry.getValue().toString())) {
          found++;
        }
      }
    }
    return found;
  }

  private static String row(long number) {
    return new StringBuilder(String.format("%012d", number)).reverse().toString();
  }

  private String value(long number) {
    return ServerKill.value(number, sizes.bytes);
  }
}
