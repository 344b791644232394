// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.Agents;
import org.stripeline.cli.Stripeline;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.HadoopProcess;
import org.stripeline.natives.Ticker;
import org.stripeline.scrub.access.ClusterAccess;
import org.stripeline.scrub.check.CheckSettings;
import org.stripeline.scrub.check.Finding;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.ledger.Ledger;
import org.stripeline.scrub.ledger.LedgerTable;
import org.stripeline.testkit.Conditions;

/** Files that change, and a signal, while {@code stripeline scrub} runs. */
@Timeout(300)
class ScrubChangesTest {
  @TempDir Path directory;
  private ConvertCluster cluster;
  private final Map<String, String> findings = new TreeMap<>();
  private int filesMax = 1000;

  @BeforeEach
  void start() throws IOException {
    cluster = ConvertCluster.withoutScanners(directory);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** Changes files. */
  private interface Change {
    void run() throws Exception;
  }

  private static org.apache.hadoop.fs.Path path(String name) {
    return new org.apache.hadoop.fs.Path(name);
  }

  /**
   * Runs a scrub of one group at a time.
   *
   * @param afterListing runs when the tree has been listed
   * @param afterGroups runs when a group of the named file has been checked
   */
  private ScrubTotals scrub(Change afterListing, Map<String, Change> afterGroups)
      throws IOException {
    ScrubObserver observer =
        new ScrubObserver() {
          @Override
          public void listed(long files, long bytes) {
            make(afterListing);
          }

          @Override
          public void unread(String path, String reason) {
            findings.put(path, reason);
          }

          @Override
          public void leftOut(long bytes) {}

          @Override
          public void checked(
              String path, long number, String block, long bytes, GroupResult result) {
            for (Finding finding : result.findings()) {
              findings.merge(path, finding.toString(), (one, other) -> one + "; " + other);
            }
            if (afterGroups.containsKey(path)) {
              make(afterGroups.get(path));
            }
          }
        };
    try (DistributedFileSystem fs = cluster.client();
        Agents agents = Agents.connect(fs.getConf())) {
      ClusterAccess access = new ClusterAccess(fs, agents, Ticker.SYSTEM);
      Selection selection = new Selection(List.of(), System::currentTimeMillis, 0, 0);
      ScrubRun.GroupWork work = ScrubRun.checks(new CheckSettings(7, 0));
      ScrubRun run = new ScrubRun(fs, access, work, 1, Ledger.none(), selection, observer);
      run.filesMax = filesMax;
      return run.run(List.of(path("/tree")));
    }
  }

  private static void make(Change change) {
    try {
      change.run();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void changedFilesAreNeitherDamagedNorHealthy() throws Exception {
    // The oldest, which is checked first: it is open then, and closed when it is tried again.
    cluster.write("/tree/closed", 1000);
    for (String name : List.of("deleted", "recreated", "converted", "cut", "reduced", "renamed")) {
      cluster.write("/tree/" + name, 3 * ConvertCluster.BLOCK);
    }
    cluster.write("/tree/appended", 1000);
    DistributedFileSystem fs = cluster.fs();
    FSDataOutputStream[] open = new FSDataOutputStream[2];
    Change afterListing =
        () -> {
          assertThat(fs.delete(path("/tree/deleted"), false)).isTrue();
          cluster.write("/tree/recreated", ConvertCluster.BLOCK);
          try (Driver driver = cluster.driver()) {
            driver.execute(ConvertCluster.contiguous("/tree/converted", "RS-3-2"), "converted");
          }
          assertThat(fs.rename(path("/tree/renamed"), path("/other"))).isTrue();
          fs.setReplication(path("/tree/reduced"), (short) 2);
          Conditions.await(
              "the removal of replicas",
              () ->
                  cluster.blocks("/tree/reduced").stream()
                      .allMatch(block -> block.getLocations().length == 2));
          open[0] = fs.append(path("/tree/appended"));
          open[1] = fs.append(path("/tree/closed"));
          for (FSDataOutputStream each : open) {
            each.write(new byte[1000]);
            each.hsync();
          }
        };
    Map<String, Change> afterGroups =
        Map.of(
            "/tree/cut", () -> fs.truncate(path("/tree/cut"), ConvertCluster.BLOCK),
            "/tree/reduced", () -> open[1].close());

    ScrubTotals totals = scrub(afterListing, afterGroups);

    open[0].close();
    assertThat(findings).containsOnlyKeys("/tree/appended");
    assertThat(findings.get("/tree/appended")).isEqualTo("NOT_CHECKED: it is open for writing");
    assertThat(totals.filesGone).as("deleted, recreated, converted").isEqualTo(3);
    assertThat(totals.files).isEqualTo(5);
    assertThat(totals.groupsGone).as("of the file that was cut").isEqualTo(2);
    assertThat(totals.groupsNotChecked).isEqualTo(1);
    assertThat(totals.groupsHealthy).as("cut, reduced, renamed, closed").isEqualTo(1 + 3 + 3 + 1);
    assertThat(totals.groups).isEqualTo(11);
    assertThat(totals.groupsDamaged).isZero();
  }

  @Test
  void filesOfDirectoriesThatAreRenamedMeanwhileAreListedOnce() throws Exception {
    for (String name : List.of("a", "b", "c", "d")) {
      cluster.write("/tree/" + name + "/file", 1000);
    }
    List<String> found = new ArrayList<>();
    TreeListing.Visitor visitor =
        new TreeListing.Visitor() {
          @Override
          public void file(HdfsFileStatus file, String path) {
            if (found.isEmpty()) {
              make(() -> cluster.fs().rename(path("/tree/a"), path("/other")));
              make(() -> cluster.fs().rename(path("/tree/b"), path("/tree/c/b")));
            }
            found.add(path);
          }

          @Override
          public void unread(String path, String reason) {
            found.add(path + ": " + reason);
          }
        };
    DistributedFileSystem fs = cluster.fs();
    List<FileStatus> trees = TreeListing.find(fs, List.of(path("/tree")));
    new TreeListing(fs, List.of(path("/tree/e")), visitor).list(trees);
    assertThat(found)
        .containsExactly("/tree/d/file", "/tree/c/file", "/tree/b/file", "/tree/a/file");
  }

  @Test
  void ofADirectoryWithALedgerOnlyItsFilesAreLeftOut() throws Exception {
    for (String name : List.of("file", "ledger", "ledger.next", "lease", "log", "below/log")) {
      cluster.write("/tree/" + name, 1000);
    }
    Coverage listed = new Coverage(new LedgerTable(), 0, findings::put);
    List<FileStatus> trees = TreeListing.find(cluster.fs(), List.of(path("/")));
    new TreeListing(cluster.fs(), Ledger.files(path("/tree")), listed).list(trees);
    assertThat(listed.report().files).as("file, below/log").isEqualTo(2);
  }

  @Test
  void aTreeThatIsRenamedBetweenListingsIsChecked() throws Exception {
    for (String name : List.of("a", "b", "c")) {
      cluster.write("/tree/" + name, 1000);
    }
    filesMax = 1;
    // The last file is listed after this.
    Change rename = () -> cluster.fs().rename(path("/tree"), path("/other"));
    assertThat(scrub(() -> {}, Map.of("/tree/a", rename)).groupsHealthy).isEqualTo(3);
  }

  @Test
  void aSignalEndsTheScrubWithTheSumsSoFar() throws Exception {
    cluster.write("/tree/file", 4 * ConvertCluster.BLOCK);
    Path log = directory.resolve("scrub").resolve(HadoopProcess.LOG);
    Process process =
        HadoopProcess.launch(
            Stripeline.class,
            cluster.conf(),
            log.getParent(),
            "scrub",
            cluster.uri() + "/tree",
            "--rate-per-node=256KiB",
            "--json");
    try {
      Conditions.await(
          "the listing", () -> java.nio.file.Files.readString(log).contains("1 file, 4.00 MiB"));
      HadoopProcess.signal(process, "TERM");
      assertThat(process.waitFor()).isEqualTo(143);
    } finally {
      process.destroyForcibly();
    }
    String last = "";
    for (String line : java.nio.file.Files.readAllLines(log)) {
      last = line.startsWith("{") ? line : last;
    }
    JsonObject sums = JsonParser.parseString(last).getAsJsonObject();
    assertThat(sums.get("interrupted").getAsBoolean()).isTrue();
    assertThat(sums.get("groupsDamaged").getAsLong()).isZero();
    assertThat(sums.get("groups").getAsLong()).isLessThan(4);
  }
}
