// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.StringWriter;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/**
 * Tests the command line: its output, what it refuses before anything is changed, and its exit
 * status.
 */
class ConvertCommandTest {
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory, 4, 2, conf -> conf.setInt("dfs.namenode.ec.policies.max.cellsize", 4 << 20));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private int run(String path, String... options) {
    List<String> words = new ArrayList<>(List.of("convert", path));
    words.addAll(List.of(options));
    return ConvertMain.run(cluster, out, err, words);
  }

  private void assertRefused(String message, String path, String... options) throws IOException {
    assertThat(run(path, options)).as(err.toString()).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).contains(message).doesNotContain("Continuing the job");
    err.getBuffer().setLength(0);
  }

  @Test
  void plansByDefaultThenConvertsThenUndoes() throws Exception {
    byte[] bytes = cluster.write("/cli/a", 3 * BLOCK);
    cluster.write("/cli/b", 10);
    cluster.fs().setReplication(new Path("/cli/b"), (short) 2);
    String[] code = {
      "--policy=XOR-2-1", "--layout=striped", "--cell-size=128k", "--allow-rack-loss"
    };

    assertThat(run("/cli", code)).isEqualTo(ExitStatus.SOUND);
    assertThat(err.toString())
        .contains("--execute also needs --allow-stale-readers", "wrong bytes");
    err.getBuffer().setLength(0);
    out.getBuffer().setLength(0);
    assertRefused("add --allow-stale-readers", "/cli", with(code, "--execute"));
    code = with(code, "--allow-stale-readers");

    assertThat(run("/cli", code)).as(err.toString()).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString())
        .contains("convert to XOR-2-1", "3.00 MiB", "9.00 MiB", "4.50 MiB")
        .contains("skip: too small")
        .contains("policy XOR-2-1-128k: to add on the NameNode");
    assertThat(err.toString()).contains("convert with --execute");
    assertThat(cluster.policy("/cli/a")).isNull();
    assertThat(cluster.fs().exists(new Path("/.stripeline/convert/cli"))).isFalse();

    out.getBuffer().setLength(0);
    String[] execute = with(code, "--execute", "--json", "--job=cli");
    assertThat(run("/cli", execute)).isEqualTo(ExitStatus.SOUND);
    List<JsonObject> lines = jsonLines();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0).get("files").getAsInt()).isEqualTo(1);
    assertThat(lines.get(1).get("path").getAsString()).isEqualTo("/cli/a");
    assertThat(lines.get(1).get("outcome").getAsString()).isEqualTo("converted");
    assertThat(lines.get(2).get("convertedBytes").getAsLong()).isEqualTo(3 * BLOCK);
    assertThat(lines.get(2).get("skipped").toString()).isEqualTo("{\"TOO_SMALL\":1}");
    assertThat(cluster.policy("/cli/a")).isEqualTo("XOR-2-1-128k");
    assertThat(cluster.read("/cli/a")).isEqualTo(bytes);

    out.getBuffer().setLength(0);
    assertThat(run("/cli", "--undo", "--execute")).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString())
        .contains("converted 1 file, 3.00 MiB")
        .contains("skipped 1 file: has this layout already");
    assertThat(cluster.policy("/cli/a")).isNull();
    assertThat(cluster.read("/cli/a")).isEqualTo(bytes);
  }

  @Test
  void filesThatAnotherLayoutTreatsBetterAreCounted() throws Exception {
    cluster.write("/few/a", BLOCK);
    cluster.write("/few/b", 2 * BLOCK);
    String[] code = {"--policy=XOR-2-1", "--allow-rack-loss"};

    assertThat(run("/few", code)).as(err.toString()).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString()).contains("1 file with fewer than 2 blocks: --layout=auto treats");
    out.getBuffer().setLength(0);
    assertThat(run("/few", with(code, "--layout=auto"))).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString()).doesNotContain("fewer than");
  }

  @Test
  void convertsSeveralPathsOneAfterTheOtherAndUndoesThem() throws Exception {
    List<String> files = List.of("/many/a/f", "/many/b/f", "/many/c[1]/f");
    for (String file : files) {
      cluster.write(file, 3 * BLOCK);
    }
    String other = cluster.mini.getURI() + "/many/b";
    String[] options = {
      other, "--policy=XOR-2-1", "--layout=striped", "--cell-size=256k", "--allow-rack-loss"
    };
    options = with(options, "--allow-stale-readers");
    assertRefused("/many/none*: nothing matches it", "/many/none*", options);
    assertRefused(
        "Cannot use --job for 3 paths", "/many/*", with(options, "--execute", "--job=many"));

    assertThat(run("/many/[ac]*", options)).as(err.toString()).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString()).contains("/many/a:\n", "/many/c[1]:\n", "/many/b:\n");
    assertThat(run("/many/*", with(options, "--execute"))).isEqualTo(ExitStatus.SOUND);
    for (String file : files) {
      assertThat(cluster.policy(file)).as(file).isEqualTo("XOR-2-1-256k");
    }
    assertThat(run("/many/[ab]", other, "--undo", "--execute")).isEqualTo(ExitStatus.SOUND);
    assertThat(cluster.policy(files.get(0))).isNull();
    assertThat(cluster.policy(files.get(1))).isNull();
    assertThat(cluster.policy(files.get(2))).isEqualTo("XOR-2-1-256k");
  }

  @Test
  void namesThePathsThatWereNotBegun() throws Exception {
    cluster.write("/order/b", 3 * BLOCK);
    String other = cluster.mini.getURI() + "/order/b";
    assertRefused(
        "/order/none: no such file or directory\nNot begun: " + other,
        "/order/none",
        other,
        "--policy=XOR-2-1",
        "--allow-rack-loss");
  }

  private static String[] with(String[] some, String... more) {
    List<String> all = new ArrayList<>(List.of(some));
    all.addAll(List.of(more));
    return all.toArray(new String[0]);
  }

  private List<JsonObject> jsonLines() {
    List<JsonObject> lines = new ArrayList<>();
    for (String line : out.toString().split("\n")) {
      lines.add(JsonParser.parseString(line).getAsJsonObject());
    }
    return lines;
  }

  @Test
  void refusesRequestsThatTheClusterDoesNotAllow() throws Exception {
    cluster.write("/refuse/a", 3 * BLOCK);
    String striped = "--layout=striped";
    assertRefused(
        "it needs 5 DataNodes, 4 are live", "/refuse", "--policy=RS-3-2", striped, "--execute");
    assertRefused(
        "it needs 3 racks to survive the loss of one, there are 2",
        "/refuse",
        "--policy=XOR-2-1",
        striped,
        "--execute");
    assertRefused("no such file", "/absent", "--policy=XOR-2-1", striped, "--allow-rack-loss");
    int cell = 8 << 20;
    try (FSDataOutputStream large =
        cluster.fs().create(new Path("/refuse-cell/a"), true, 4096, (short) 3, cell)) {
      large.write(new byte[2 * cell]);
    }
    assertRefused(
        "set dfs.namenode.ec.policies.max.cellsize to at least 8388608",
        "/refuse-cell",
        "--policy=XOR-2-1",
        "--cell-size=8MiB",
        "--allow-rack-loss",
        "--allow-stale-readers",
        "--execute");
    assertRefused(
        "4 of 4 DataNodes have no suitable agent",
        "/refuse",
        "--policy=XOR-2-1",
        "--allow-rack-loss",
        "--execute");
    assertRefused(
        "none of that name",
        "/refuse",
        "--policy=XOR-2-1",
        striped,
        "--allow-rack-loss",
        "--storage-policy=LUKEWARM");
    assertRefused("file is not HDFS", "file:///tmp", "--policy=XOR-2-1");
    assertRefused("there is no unfinished job on /refuse", "/refuse", "--resume");
    assertThat(cluster.policy("/refuse/a")).isNull();
    assertThat(cluster.read("/refuse/a")).hasSize(3 * BLOCK);
  }

  @Test
  void aDryRunNeedsNoAgentsAndNamesFewDataNodesInOneLine() throws Exception {
    cluster.write("/agentless/a", 4 * BLOCK);
    int status = run("/agentless", "--policy=XOR-2-1", "--allow-rack-loss");
    assertThat(status).as(err.toString()).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString()).contains("convert to XOR-2-1", "12.0 MiB");
    List<String> warnings = new ArrayList<>();
    for (String line : err.toString().split("\n")) {
      if (line.contains("no suitable agent")) {
        warnings.add(line);
      }
    }
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0))
        .startsWith("Warning: 4 of 4 DataNodes have no suitable agent: ")
        .contains(", and 1 more; --execute is refused until they have one");
    assertThat(cluster.policy("/agentless/a")).isNull();
  }

  @Test
  void aCellInTheNameOfThePolicyDoesNotChooseALayout() throws Exception {
    cluster.write("/layout/a", 4 * BLOCK);
    assertThat(run("/layout", "--policy=XOR-2-1-64k", "--allow-rack-loss"))
        .as(err.toString())
        .isEqualTo(ExitStatus.SOUND);
    assertThat(err.toString())
        .contains("Layout contiguous, the default: cells as large as each file's blocks")
        .contains("the cell size in XOR-2-1-64k applies only to copies, with --layout=striped");
    assertThat(out.toString()).contains("policy XOR-2-1-1024k: to enable");

    String[] name = {"--policy=XOR-2-1-64k", "--layout=striped", "--allow-rack-loss"};
    assertThat(run("/layout", name)).as(err.toString()).isEqualTo(ExitStatus.SOUND);
    assertThat(err.toString())
        .contains("Layout striped, as given: every byte is copied, to XOR-2-1-64k");
    String[] cell = {"--policy=XOR-2-1", "--cell-size=64k", "--allow-rack-loss"};
    assertThat(run("/layout", cell)).as(err.toString()).isEqualTo(ExitStatus.SOUND);
    assertThat(err.toString())
        .contains("Layout striped, for --cell-size: every byte is copied, to XOR-2-1-64k");
  }

  @Test
  void refusesInvalidOptions() throws Exception {
    assertRefused("--policy is missing", "/x");
    assertRefused("Cannot use policy 'RS-6'", "/x", "--policy=RS-6");
    assertRefused("at most 16 together", "/x", "--policy=RS-14-4");
    assertRefused("XOR has 1 parity block, not 2", "/x", "--policy=XOR-2-2");
    assertRefused("must stay below 2 GiB", "/x", "--policy=RS-6-3", "--cell-size=512MiB");
    assertRefused("whole KiB", "/x", "--policy=RS-6-3", "--cell-size=1000");
    assertRefused("two cell sizes", "/x", "--policy=RS-6-3-64k", "--cell-size=1MiB");
    assertRefused(
        "it is each file's block size",
        "/x",
        "--policy=RS-6-3",
        "--layout=contiguous",
        "--cell-size=1MiB");
    assertRefused("Cannot read --min-age", "/x", "--policy=RS-6-3", "--min-age=soon");
    assertRefused(
        "give a unit, such as 50MiB", "/x", "--policy=RS-6-3", "--throttle=50", "--execute");
    assertRefused(
        "Cannot use --driver=mapreduce with --layout=contiguous, the default, or auto",
        "/x",
        "--policy=RS-6-3",
        "--layout=auto",
        "--driver=mapreduce");
    assertRefused("1 to 64", "/x", "--policy=RS-6-3", "--files-at-once=0");
    assertRefused("Cannot undo to a code", "/x", "--undo", "--policy=RS-6-3");
    assertRefused("Cannot resume with other settings", "/x", "--resume", "--policy=RS-6-3");
    assertRefused("name an absolute path", "x", "--policy=RS-6-3");
    assertRefused("give both", "/x", "--policy=RS-6-3", "--keytab=/k");
    assertRefused("is not kerberos", "/x", "--policy=RS-6-3", "--keytab=/k", "--principal=hdfs@X");
    assertRefused("it is for --undo", "/x", "--policy=RS-6-3", "--max-replication=2");
    assertRefused("Invalid value for option '--driver'", "/x", "--policy=RS-6-3", "--driver=yarn");
    assertRefused("use --driver=client", "/x", "--policy=RS-6-3", "--driver=mapreduce");
    assertRefused(
        "use --driver=client",
        "/x",
        "--policy=RS-6-3",
        "--layout=contiguous",
        "--driver=mapreduce",
        "--execute");
    assertRefused(
        "set mapreduce.framework.name",
        "/",
        "--policy=XOR-2-1",
        "--layout=striped",
        "--allow-rack-loss",
        "--driver=mapreduce",
        "-D",
        "mapreduce.framework.name=none");
  }

  @Test
  void refusesUsersWhoAreNotSuperusers() throws Exception {
    cluster.write("/others/a", 3 * BLOCK);
    UserGroupInformation bob =
        UserGroupInformation.createUserForTesting("bob", new String[] {"people"});
    bob.doAs(
        (PrivilegedExceptionAction<Void>)
            () -> {
              assertRefused(
                  "dfs.permissions.superusergroup",
                  "/others",
                  "--policy=XOR-2-1",
                  "--layout=striped",
                  "--execute");
              return null;
            });
    assertThat(cluster.policy("/others/a")).isNull();
  }

  @Test
  void reportsThatHdfsRefusesTheWork() throws Exception {
    cluster.write("/safe/a", 3 * BLOCK);
    cluster.fs().setSafeMode(SafeModeAction.SAFEMODE_ENTER);
    try {
      String[] options = {
        "--policy=XOR-2-1",
        "--layout=striped",
        "--cell-size=32k",
        "--allow-rack-loss",
        "--allow-stale-readers",
        "--execute"
      };
      assertThat(run("/safe", options)).isEqualTo(ExitStatus.UNCHECKED);
      assertThat(err.toString()).contains("safe mode");
    } finally {
      cluster.fs().setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
    }
    assertThat(cluster.policy("/safe/a")).isNull();
  }

  @Test
  void refusesJobsForWhichThereIsNoRoomWhileTheyRun() throws Exception {
    byte[] bytes = cluster.write("/room/a", 2 * BLOCK);
    String[] options = {
      "--policy=XOR-2-1", "--cell-size=64k", "--allow-rack-loss", "--allow-stale-readers"
    };
    Path jobs = new Path("/jobs-in-quota");
    cluster.fs().mkdirs(jobs);
    cluster.fs().setQuota(jobs, HdfsConstants.QUOTA_DONT_SET, 9 * BLOCK - 1);
    assertRefused(
        "while it runs, up to 9.00 MiB of new files, the journal and the status count below"
            + " /jobs-in-quota, whose space quota leaves 9.00 MiB; raise it",
        "/room",
        with(
            options,
            "--job-directory=/jobs-in-quota/jobs",
            "-Ddfs.blocksize=" + BLOCK,
            "--execute"));
    assertThat(cluster.fs().listStatus(jobs)).isEmpty();
    cluster.fs().delete(jobs, true);

    DatanodeInfo[] nodes = cluster.fs().getDataNodeStats();
    try {
      for (DatanodeInfo node : nodes) {
        cluster.setDiskCapacity(node, 1);
      }
      Conditions.await("full disks", () -> cluster.fs().getStatus().getRemaining() == 0);
      assertThat(run("/room", options)).as(err.toString()).isZero();
      assertThat(err.toString())
          .contains("Warning: Cannot convert /room: while it runs it needs up to 3.00 MiB more")
          .contains("on storage of type DISK, and the DataNodes in service have 0 B left there")
          .contains("free space or add DataNodes, or use a smaller --files-at-once: with 1 it")
          .contains("--execute is refused until then");
      assertRefused("needs up to 3.00 MiB more", "/room", with(options, "--execute"));
    } finally {
      for (DatanodeInfo node : nodes) {
        cluster.setDiskCapacity(node, -1);
      }
      Conditions.await("free disks", () -> cluster.fs().getStatus().getRemaining() > 0);
    }
    assertThat(run("/room", with(options, "--execute"))).as(err.toString()).isZero();
    cluster.assertBytes("/room/a", bytes);
  }

  @Test
  void continuesAfterAFileFails() throws Exception {
    byte[] full = cluster.write("/some/tight/full", 2 * BLOCK + 1);
    cluster.write("/some/good", 2 * BLOCK);
    // An append reserves a full block for the short last one, which exceeds the quota, so the lease
    // cannot be taken.
    cluster.fs().setQuota(new Path("/some/tight"), HdfsConstants.QUOTA_DONT_SET, 3 * full.length);
    int status =
        run(
            "/some",
            "--policy=XOR-2-1",
            "--cell-size=64k",
            "--allow-rack-loss",
            "--allow-stale-readers",
            "--execute");

    assertThat(status).isEqualTo(ExitStatus.FAILED);
    assertThat(out.toString())
        .contains("converted 1 file", "not converted: 1", "/some/tight/full: ");
    assertThat(cluster.policy("/some/tight/full")).isNull();
    assertThat(cluster.read("/some/tight/full")).isEqualTo(full);
    assertThat(cluster.policy("/some/good")).isEqualTo("XOR-2-1-64k");
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void waitsWhileTheOperatorPausesIt() throws Exception {
    cluster.write("/pause/a", 2 * BLOCK);
    cluster.write("/pause/b", 2 * BLOCK);
    JobSettings settings = ConvertCluster.striped("/pause", "XOR-2-1");
    settings.allowRackLoss = true;
    settings.filesAtOnce = 1;
    Path pause = new Path(JobDirectory.ROOT_DEFAULT + "/pause/pause");
    StepListener pauser =
        (step, path) -> {
          if (step == Step.CREATED && path.equals("/pause/a")) {
            try {
              cluster.fs().create(pause).close();
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }
        };
    Thread[] job = new Thread[1];
    List<Throwable> failures = new ArrayList<>();
    job[0] =
        new Thread(
            () -> {
              try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, pauser)) {
                driver.execute(settings, "pause");
              } catch (Throwable e) {
                failures.add(e);
              }
            });
    job[0].start();
    Conditions.await("first file", () -> cluster.policy("/pause/a") != null);
    Conditions.await("pause", () -> job[0].getState() != Thread.State.RUNNABLE);
    assertThat(cluster.policy("/pause/b")).isNull();
    cluster.fs().delete(pause, false);
    job[0].join();
    assertThat(failures).isEmpty();
    assertThat(cluster.policy("/pause/b")).isEqualTo("XOR-2-1-64k");
  }

  @Test
  void twoJobsDoNotShareAName() throws Exception {
    cluster.write("/named/a", 2 * BLOCK);
    JobSettings settings = ConvertCluster.striped("/named", "XOR-2-1");
    settings.allowRackLoss = true;
    try (Driver driver = cluster.driver()) {
      driver.execute(settings, "named");
    }
    try (Driver driver = cluster.driver()) {
      assertThatThrownBy(() -> driver.execute(settings, "named"))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("exists");
    }
  }
}
