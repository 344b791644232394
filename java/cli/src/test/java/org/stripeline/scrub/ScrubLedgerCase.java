// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.Agents;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.natives.Ticker;
import org.stripeline.scrub.access.ClusterAccess;
import org.stripeline.scrub.check.CheckSettings;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.ledger.Ledger;

/** Runs {@code stripeline scrub} with a ledger of its own for each test, on a mini cluster. */
abstract class ScrubLedgerCase {
  static final int FILES = 5;

  @TempDir static java.nio.file.Path directory;
  static ConvertCluster cluster;
  private static int number;

  String tree;
  String ledger;
  JsonObject result;
  String error;
  int filesMax = 1000;

  @BeforeAll
  static void start() throws IOException {
    cluster = ConvertCluster.withoutScanners(directory);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void write() throws IOException {
    cluster.mini.setLeasePeriod(500, 3_600_000);
    number++;
    tree = "/tree" + number;
    ledger = "/ledgers" + number;
    for (int i = 0; i < FILES; i++) {
      cluster.write(tree + "/f" + i, ConvertCluster.BLOCK + 1 + i);
      // In this order they are checked.
      cluster.fs().setTimes(new Path(tree + "/f" + i), 1000L * i, -1);
    }
  }

  @AfterEach
  void delete() throws IOException {
    cluster.fs().delete(new Path(tree), true);
    // A scrub of everything would check its files, too.
    cluster.fs().delete(new Path(ledger), true);
  }

  /** Runs the command, and keeps the last object that it prints. */
  int scrub(String... options) {
    List<String> arguments = new ArrayList<>(Arrays.asList(options));
    arguments.add("--ledger=" + ledger);
    arguments.add("--json");
    ScrubReport report = ScrubReport.of(arguments.toArray(new String[0]));
    error = report.err;
    String[] objects = report.out.split("(?m)^(?=\\{)");
    String last = objects[objects.length - 1];
    result = last.isEmpty() ? null : JsonParser.parseString(last).getAsJsonObject();
    return report.status;
  }

  long value(String name) {
    return result.get(name).getAsLong();
  }

  String path(String name) {
    return cluster.uri() + tree + name;
  }

  /** Is told of each group that was checked, after its check is on disk. */
  interface Step {
    void checked(int groups) throws IOException;
  }

  /**
   * Runs a scrub within this process.
   *
   * @param client is closed
   */
  ScrubTotals run(DistributedFileSystem client, Step step) throws IOException {
    return run(client, ScrubRun.checks(new CheckSettings(7, 0)), 1, step);
  }

  ScrubTotals run(
      DistributedFileSystem client, ScrubRun.GroupWork work, int groupsAtOnce, Step step)
      throws IOException {
    AtomicLong nanos = new AtomicLong();
    // Each record is written to disk at once.
    Ticker ticker = () -> nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
    Path directoryOfLedger = new Path(ledger);
    try (DistributedFileSystem fs = client;
        Ledger opened = Ledger.open(fs, directoryOfLedger, ticker, text -> {});
        Agents agents = Agents.connect(fs.getConf())) {
      ScrubObserver observer =
          new ScrubObserver() {
            private int groups;

            @Override
            public void listed(long files, long bytes) {}

            @Override
            public void leftOut(long bytes) {}

            @Override
            public void unread(String path, String reason) {}

            @Override
            public void checked(
                String path, long group, String block, long bytes, GroupResult found) {
              try {
                step.checked(++groups);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            }
          };
      ScrubRun run =
          new ScrubRun(
              fs,
              new ClusterAccess(fs, agents, Ticker.SYSTEM),
              work,
              groupsAtOnce,
              opened,
              new Selection(Ledger.files(directoryOfLedger), System::currentTimeMillis, 0, 0),
              observer);
      run.filesMax = filesMax;
      return run.run(List.of(new Path(tree)));
    }
  }

  /** The kill: an Error, which no clean-up code catches. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** Ends a scrub as kill -9 does: its streams are not closed, and it keeps its leases. */
  void killAfter(int groups) throws IOException {
    DistributedFileSystem client = cluster.client();
    assertThatThrownBy(
            () ->
                run(
                    client,
                    done -> {
                      if (done == groups) {
                        client.getClient().closeAllFilesBeingWritten(true);
                        throw new Killed();
                      }
                    }))
        .isInstanceOf(Killed.class);
  }
}
