// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.WatchedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.tools.offlineImageViewer.OfflineImageViewerPB;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.cli.Stripeline;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.select.FileChecks;
import org.stripeline.lab.cluster.ClusterOptions;
import org.stripeline.lab.cluster.ClusterProcess;
import org.stripeline.lab.cluster.ClusterStatus.DataNodeStatus;
import org.stripeline.placement.CodeName;
import org.stripeline.plan.source.ClusterView;
import org.stripeline.plan.source.NameNodeSource;
import org.stripeline.plan.source.SnapshotTimes;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Progress;
import org.stripeline.testkit.CommandRun;

/** Plans and audits a tree on nine DataNodes in three racks, and images of the same NameNode. */
@Timeout(240)
@TestMethodOrder(OrderAnnotation.class)
class PlanClusterTest {
  private static final int MIB = 1 << 20;
  private static final String CELL = "--cell-size=64KiB";
  private static final String COPIES = "--allow-stale-readers";
  private static final String SNAPSHOTTED = "--include-snapshotted";

  /** A name with characters that XML and delimited lines must escape. */
  private static final String ODD = "/plan/odd & <x>\tü";

  @TempDir static Path temporary;
  private static ClusterProcess cluster;
  private static DistributedFileSystem fs;
  private static FSDataOutputStream open;

  /** The command that was run last. */
  private CommandRun last;

  @BeforeAll
  static void writeTree() throws Exception {
    cluster =
        ClusterProcess.start(
            temporary.resolve("cluster"),
            ClusterOptions.builder()
                .datanodes(9)
                .racks(3)
                .lifetime(ClusterOptions.Lifetime.OF_STARTER)
                .build());
    fs =
        (DistributedFileSystem)
            FileSystem.newInstance(URI.create(cluster.client().status().uri), new Configuration());
    write("/plan/big/twelve", 12 * MIB, 3);
    write("/plan/small/one", MIB, 3);
    write("/plan/small/tiny", 1000, 3);
    write("/plan/two", 6 * MIB, 2);
    write("/plan/once", 6 * MIB, 1);
    write("/plan/hbase/WALs/host/log", MIB, 3);
    write(ODD, 6 * MIB, 3);
    fs.mkdirs(path("/plan/coded"));
    fs.setErasureCodingPolicy(path("/plan/coded"), "RS-3-2-1024k");
    // Every internal block holds bytes: HDFS spreads these over racks, but it may leave the blocks
    // of a group with empty last blocks in fewer racks.
    write("/plan/coded/partial", 11 * MIB / 2, 1);
    fs.allowSnapshot(path("/plan/big"));
    fs.createSnapshot(path("/plan/big"), "before");
    write("/plan/big/later", 6 * MIB, 3);
    open = fs.create(path("/plan/open"), true, 4096, (short) 3, MIB);
    open.write(new byte[2 * MIB]);
    open.hflush();
  }

  @AfterAll
  static void stop() throws Exception {
    try {
      open.close();
      fs.close();
    } finally {
      cluster.stop();
    }
  }

  private static org.apache.hadoop.fs.Path path(String path) {
    return new org.apache.hadoop.fs.Path(path);
  }

  private static void write(String path, int bytes, int replication) throws IOException {
    try (OutputStream to = fs.create(path(path), true, 4096, (short) replication, MIB)) {
      to.write(new byte[bytes]);
    }
  }

  private int run(String... arguments) {
    last = CommandRun.of(Stripeline.commandLine(), arguments);
    return last.status();
  }

  private static String uri(String path) {
    return fs.getUri() + path;
  }

  private PlanReport report() {
    return new Gson().fromJson(last.out(), PlanReport.class);
  }

  private static PlanReport.Group named(List<PlanReport.Group> groups, String name) {
    return groups.stream().filter(group -> group.name.equals(name)).findFirst().orElseThrow();
  }

  @Test
  @Order(1)
  void theTreeOfALiveNameNodeIsPlanned() {
    assertThat(run("plan", uri("/plan"), CELL, COPIES, SNAPSHOTTED, "--json"))
        .as(last.err())
        .isZero();

    PlanReport report = report();
    checkBytes(report);
    assertThat(report.isComplete).isTrue();
    assertThat(report.cluster.nodes).isEqualTo(9);
    assertThat(report.cluster.racks).isEqualTo(3);
    assertThat(report.cluster.nodesNeeded).isEqualTo(9);
    assertThat(report.cluster.racksNeeded).isEqualTo(3);
    assertThat(report.cluster.suffices).isTrue();
    assertThat(report.moves.isExpected).isFalse();
    assertThat(report.moves.groups).isEqualTo(5);
    assertThat(report.moves.blocksAdopted + report.moves.blocksSent).isEqualTo(30);
    assertThat(report.moves.blocksAdopted).isGreaterThan(15);
    assertThat(report.moves.groupsUnplaceable).isZero();
    assertThat(report.moves.groupsAgainstRackRule).isZero();
    assertThat(report.moves.crossRackAdoption).isLessThan(report.moves.crossRackCopy);
    // Three racks hold nine blocks, three each: the core rack has room for all parity blocks.
    assertThat(report.moves.crossRackEar).isZero();
    assertThat(report.warnings)
        .anyMatch(warning -> warning.contains("HBase write-ahead logs"))
        .anyMatch(warning -> warning.contains("RS-6-3 takes all 9 DataNodes"))
        .anyMatch(warning -> warning.startsWith("snapshots may hold 1 of the files"));
    assertRoom(report, (6 + 3 * 3 + 1) * MIB + 9 * (64 << 10), "DISK");
    assertThat(report.directories)
        .extracting(row -> row.path)
        .contains("/plan", "/plan/big", "/plan/coded", "/plan/hbase", "/plan/small");
  }

  private static void assertRoom(PlanReport report, long bytes, String type) {
    assertThat(report.room.types).hasSize(1);
    assertThat(report.room.types.get(0).storageType).isEqualTo(type);
    assertThat(report.room.types.get(0).bytes).isEqualTo(bytes);
  }

  private static void checkBytes(PlanReport report) {
    assertThat(report.total.files).isEqualTo(10);
    assertThat(report.total.filesCoded).isEqualTo(1);
    PlanReport.Group adopted = named(report.treatments, "adopt");
    assertThat(adopted.files).isEqualTo(4);
    assertThat(adopted.bytes).isEqualTo(30L * MIB);
    assertThat(adopted.bytesNow).isEqualTo((3 * 24 + 2 * 6L) * MIB);
    assertThat(adopted.bytesAfter).isEqualTo(45L * MIB);
    // 1 MiB in stripes of 384 KiB: 2 whole stripes and a cell, so 192 KiB per parity block.
    assertThat(named(report.treatments, "copy, striped").bytesAfter)
        .isEqualTo(MIB + 3 * 3 * (64 << 10));
    assertThat(named(report.left, SkipReason.ONE_REPLICA.text()).files).isEqualTo(1);
    assertThat(named(report.left, SkipReason.TOO_SMALL.text()).files).isEqualTo(1);
    assertThat(named(report.left, SkipReason.SYNCED.text()).files).isEqualTo(1);
    // 5.5 MiB of RS-3-2 in cells of 1 MiB: two stripes, so 2 MiB per parity block.
    assertThat(named(report.replication, "erasure-coded").bytesNow).isEqualTo(19L * MIB / 2);
  }

  @Test
  @Order(2)
  void theResultIsPrintedAsATable() {
    int status =
        run(
            "plan",
            uri("/plan"),
            CELL,
            "--depth=2",
            "--throttle=1MB",
            "--storage-policy=COLD",
            "--archive-cost=0.7");

    assertThat(status).as(last.err()).isZero();
    assertThat(last.out())
        .contains("/plan of " + fs.getUri() + ", to RS-6-3")
        .contains("needs 9 DataNodes over 3 racks to survive the failure of a rack")
        .contains("there are 9 DataNodes over 3 racks: enough")
        .contains("/plan/hbase/WALs")
        .contains("replicas adopted in place: ")
        .contains("carried out by: stripeline convert " + uri("/plan") + " --policy=RS-6-3")
        .contains("--layout=auto --cell-size=64KiB --storage-policy=COLD --execute")
        .contains(SkipReason.SNAPSHOTTED.text(), SkipReason.STALE_READERS.text())
        .contains("1 file that only a copy makes smaller")
        .contains("RS-6-3-1024k")
        .contains("at 1.00 MiB/s per node on 9 nodes: adoption ")
        .contains("with storage policy COLD, a byte of archive storage costing 0.7 of one on disk");
  }

  @Test
  @Order(2)
  void attributesOfSeveralFilesAreReadAtTheSameTime() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    PlanSettings settings = new PlanSettings();
    settings.path = "/plan";
    settings.code = CodeName.parse("RS-6-3", MIB);
    settings.rules.includeSnapshotted = true;
    try (DistributedFileSystem client =
        new WatchedFileSystem(call -> awaitAnother(call.equals("getXAttrs"), both))) {
      client.initialize(fs.getUri(), fs.getConf());
      Plan.ofNameNode(
          settings, client, Progress.onStandardError(new PrintWriter(new StringWriter())));
    }
    assertThat(both.getCount()).isZero();
  }

  /** Locations of a block take about a KiB, and files can have very many blocks. */
  @Test
  @Order(2)
  void fewBlocksWaitForChecks() throws Exception {
    HdfsLocatedFileStatus one = (HdfsLocatedFileStatus) fs.listLocatedStatus(path(ODD)).next();
    LocatedBlock block = one.getLocatedBlocks().get(0);
    List<LocatedBlock> blocks = Collections.nCopies(1000, block);
    HdfsFileStatus.Builder large = new HdfsFileStatus.Builder().fileId(one.getFileId());
    large.path(DFSUtil.string2Bytes("large"));
    large.locations(new LocatedBlocks(1000L * MIB, false, blocks, block, true, null, null));
    HdfsLocatedFileStatus status = (HdfsLocatedFileStatus) large.build();
    AtomicInteger waiting = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    DistributedFileSystem listing =
        new DistributedFileSystem() {
          @Override
          public RemoteIterator<LocatedFileStatus> listLocatedStatus(
              org.apache.hadoop.fs.Path directory) {
            return RemoteIterators.mappingRemoteIterator(
                RemoteIterators.remoteIteratorFromIterable(Collections.nCopies(100, status)),
                file -> {
                  most.accumulateAndGet(waiting.incrementAndGet(), Math::max);
                  return file.makeQualifiedLocated(fs.getUri(), directory);
                });
          }
        };
    FileChecks checks = FileChecks.of(fs, true, false);
    ClusterView nodes = ClusterView.of(fs);
    new NameNodeSource(listing, path("/plan"), nodes, new SnapshotTimes(), checks)
        .stream(file -> waiting.decrementAndGet());
    assertThat(waiting).hasValue(0);
    assertThat(most.get()).isBetween(2, 5);
  }

  private static void awaitAnother(boolean isOne, CountDownLatch both) {
    if (isOne) {
      both.countDown();
      try {
        assertThat(both.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  @Order(3)
  void imagesOfTheSameNameNodeGiveTheSameResult() throws Exception {
    Path image = saveNamespace();
    Path xml = temporary.resolve("image.xml");
    assertThat(view("XML", image, xml)).isZero();
    Path lines = temporary.resolve("image.txt");
    assertThat(view("Delimited", image, lines)).isZero();

    for (Path file : new Path[] {xml, compress(xml)}) {
      int status =
          run(
              "plan",
              "/plan",
              "--image=" + file,
              "--racks=3",
              "--nodes=9",
              CELL,
              COPIES,
              SNAPSHOTTED,
              "--json");
      assertThat(status).as(last.err()).isZero();
      PlanReport report = report();
      checkBytes(report);
      assertThat(named(report.left, SkipReason.OPEN.text()).files).isEqualTo(1);
      assertThat(report.moves.isExpected).isTrue();
      assertThat(report.moves.groups).isEqualTo(5);
      assertThat(report.total.bytesBoundBySnapshots).isEqualTo(36L * MIB);
    }
    for (Path file : new Path[] {lines, compress(lines)}) {
      int status =
          run(
              "plan",
              "/plan",
              "--image=" + file,
              "--racks=3",
              "--nodes=9",
              CELL,
              "--policy=RS-3-2",
              "--json");
      assertThat(status).as(last.err()).isZero();
      PlanReport report = report();
      assertThat(report.total.files).isEqualTo(10);
      assertThat(named(report.replication, "erasure-coded").files).isEqualTo(1);
      assertThat(report.notes).anyMatch(note -> note.contains("-p XML has them"));
    }
    assertThat(run("plan", ODD, "--image=" + lines, "--json")).isZero();
    assertThat(report().total.files).isEqualTo(1);
    assertThat(run("plan", ODD, "--image=" + xml, "--json")).isZero();
    assertThat(report().total.files).isEqualTo(1);
    for (Path file : new Path[] {xml, lines}) {
      assertThat(run("plan", "/absent", "--image=" + file)).isEqualTo(ExitStatus.USAGE);
      assertThat(last.err()).contains("Cannot plan /absent: ").contains("does not have this path");
    }
    assertThat(run("plan", "/plan", "--image=" + image)).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(last.err()).contains("it is an fsimage itself").contains("hdfs oiv -p XML");
  }

  private static int view(String processor, Path image, Path to) throws Exception {
    return OfflineImageViewerPB.run(
        new String[] {"-p", processor, "-i", image.toString(), "-o", to.toString()});
  }

  private static Path saveNamespace() throws IOException {
    fs.getClient().setSafeMode(SafeModeAction.SAFEMODE_ENTER);
    fs.saveNamespace();
    fs.getClient().setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
    try (Stream<Path> files = Files.list(temporary.resolve("cluster/name/current"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("fsimage_\\d+"))
          .max(Comparator.naturalOrder())
          .orElseThrow();
    }
  }

  private static Path compress(Path file) throws IOException {
    Path compressed = Path.of(file + ".gz");
    try (OutputStream to = new GZIPOutputStream(Files.newOutputStream(compressed))) {
      Files.copy(file, to);
    }
    return compressed;
  }

  @Test
  @Order(4)
  void unreadableDirectoriesAreReported() throws Exception {
    fs.setPermission(path("/plan/small"), new FsPermission((short) 0700));
    try {
      UserGroupInformation.createRemoteUser("someone")
          .doAs(
              (PrivilegedExceptionAction<Void>)
                  () -> {
                    assertThat(run("plan", uri("/plan"), CELL, "--json"))
                        .isEqualTo(ExitStatus.UNCHECKED);
                    assertThat(report().total.files).isEqualTo(8);
                    assertThat(report().notes)
                        .anyMatch(note -> note.contains("not counted: [/plan/small]"))
                        .anyMatch(note -> note.contains("only superusers can list"));
                    assertThat(run("plan", uri("/plan/small"))).isEqualTo(ExitStatus.UNCHECKED);
                    return null;
                  });
    } finally {
      fs.setPermission(path("/plan/small"), new FsPermission((short) 0755));
    }
  }

  @Test
  @Order(5)
  void usersWhoMayNotListDataNodesAreTold() throws Exception {
    fs.mkdirs(path("/empty"));
    UserGroupInformation.createRemoteUser("someone")
        .doAs(
            (PrivilegedExceptionAction<Void>)
                () -> {
                  assertThat(run("plan", uri("/empty"))).as(last.err()).isZero();
                  assertThat(last.out())
                      .contains("could not ask for the DataNodes (only superusers may)")
                      .doesNotContain("NOT ENOUGH")
                      .doesNotContain("WARNING: RS-6-3 needs");
                  assertThat(run("plan", uri("/plan/once"), CELL, "--json")).isZero();
                  assertThat(report().cluster.isPartial).isTrue();
                  assertThat(report().cluster.nodes).isLessThan(9);
                  assertThat(report().cluster.suffices).isNull();
                  assertThat(report().warnings).noneMatch(text -> text.contains("DataNodes"));
                  assertThat(report().notes)
                      .anyMatch(note -> note.startsWith("could not ask the NameNode for its"));
                  return null;
                });
  }

  @Test
  @Order(6)
  void wrongPathsAndAddressesAreReported() {
    assertThat(run("plan", uri("/absent"))).isEqualTo(ExitStatus.USAGE);
    assertThat(last.err()).contains("Cannot plan ").contains("File does not exist: /absent");
    assertThat(run("plan", "hdfs://nowhere.invalid:1/x")).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(last.err()).contains("nowhere.invalid");
    assertThat(run("plan", "file:///tmp")).isEqualTo(ExitStatus.USAGE);
    assertThat(last.err()).contains("is not HDFS");
  }

  @Test
  @Order(7)
  void codedFilesAreAudited() throws Exception {
    assertThat(run("plan", uri("/plan"), "--audit")).as(last.out()).isZero();
    assertThat(last.out()).contains("1 erasure-coded file, 9 replicated");

    assertThat(run("plan", uri("/plan"), "--audit", "--blocks-per-rack=1", "--json"))
        .isEqualTo(ExitStatus.FAILED);
    AuditReport crowded = new Gson().fromJson(last.out(), AuditReport.class);
    assertThat(crowded.groups).isEqualTo(2);
    assertThat(crowded.groupsSound).isLessThan(2);
    assertThat(crowded.groupsCrowdingARack).isPositive();

    BlockLocation[] blocks =
        fs.getFileBlockLocations(path("/plan/coded/partial"), 0, Long.MAX_VALUE);
    String victim = blocks[0].getNames()[0];
    cluster.client().stopAndExpireDataNode(id(victim));
    assertThat(run("plan", uri("/plan"), "--audit", "--json")).isEqualTo(ExitStatus.FAILED);
    AuditReport broken = new Gson().fromJson(last.out(), AuditReport.class);
    assertThat(broken.groupsMissingBlocks).isPositive();
    assertThat(broken.groupsLost).isZero();
    assertThat(broken.violations)
        .extracting(violation -> violation.path)
        .contains("/plan/coded/partial");
    assertThat(broken.violations.get(0).what).contains("1 block missing");
    // One block per rack is exceeded even if HDFS has rebuilt the missing block by now.
    String nowhere = "hdfs://nowhere.invalid:1/x";
    assertThat(run("plan", uri("/plan"), nowhere, "--audit", "--blocks-per-rack=1"))
        .isEqualTo(ExitStatus.FAILED);
    assertThat(last.err()).contains("nowhere.invalid");

    assertThat(run("plan", uri("/plan"), CELL)).isZero();
    assertThat(last.out())
        .contains("RS-6-3 needs 9 DataNodes, there are 8: nothing can be converted")
        .contains("NOT ENOUGH");
  }

  private static String id(String address) throws IOException {
    List<DataNodeStatus> nodes = cluster.client().status().datanodes;
    return nodes.stream()
        .filter(node -> node.address.equals(address))
        .map(node -> node.id)
        .collect(Collectors.joining());
  }
}
