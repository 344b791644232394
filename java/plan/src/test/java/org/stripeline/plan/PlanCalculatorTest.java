// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.convert.namenode.RackRules;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.rules.Treatment;
import org.stripeline.placement.CodeName;
import org.stripeline.placement.Topology;
import org.stripeline.plan.source.FileSource;
import org.stripeline.plan.source.PlannedFile;
import org.stripeline.plan.source.PlannedFiles;

/** Compares sums over files with values computed by hand; blocks of 128 MiB, cells of 1 MiB. */
class PlanCalculatorTest {
  private static final long MIB = 1L << 20;
  private static final long BLOCK = 128 * MIB;

  private final CodeName code = CodeName.parse("RS-6-3", MIB);
  private final PlanCalculator calculator = calculator(code, 1);

  /** Returns settings under which copies are allowed. */
  private static PlanSettings settings(CodeName code) {
    PlanSettings settings = new PlanSettings();
    settings.code = code;
    settings.allowStaleReaders = true;
    settings.rules.includeSnapshotted = true;
    return settings;
  }

  private static PlanCalculator calculator(CodeName code, int depth) {
    return new PlanCalculator(
        settings(code),
        null,
        new ExpectedTraffic(20, 400, ExpectedTraffic.Writers.DATANODES, 0),
        new DirectoryRows("/", depth, PlanSettings.ROWS_MAX, code.data()));
  }

  private static PlannedFile file(String path, int replication, long... blocks) {
    return PlannedFiles.of(path, BLOCK, replication, blocks);
  }

  private static PlannedFile full(String path, int replication, int blocks) {
    long[] lengths = new long[blocks];
    java.util.Arrays.fill(lengths, BLOCK);
    return file(path, replication, lengths);
  }

  private Tally all() {
    return calculator.rollUp().get("/");
  }

  /**
   * In a striped file, the parity blocks of a group are as long as its data block 0: 1 block of 128
   * cells is 21 stripes and 2 cells, so 22 MiB each; 2 blocks give 43, 3 blocks 64, 7 blocks 128
   * and 22.
   */
  @ParameterizedTest
  @CsvSource({
    "3, 1, STRIPE, 194",
    "3, 2, STRIPE, 385",
    "3, 3, SMALLER_CODE, 640",
    "3, 4, ADOPT, 896",
    "3, 5, ADOPT, 1024",
    "3, 6, ADOPT, 1152",
    "3, 7, ADOPT, 1664",
    "3, 12, ADOPT, 2304",
    "2, 1, STRIPE, 194",
    "2, 4, STRIPE, 770",
    "2, 6, ADOPT, 1152",
    "1, 6, LEAVE, 768",
    "1, 1, LEAVE, 128",
  })
  void filesAreTreatedByWhatTheySave(
      int replication, int blocks, Treatment treatment, long mebibytesAfter) {
    calculator.accept(full("/a", replication, blocks));

    Tally all = all();
    assertThat(all.byTreatment[treatment.ordinal()].files).isEqualTo(1);
    assertThat(all.all.bytesNow).isEqualTo(replication * blocks * BLOCK);
    assertThat(all.all.bytesAfter).isEqualTo(mebibytesAfter * MIB);
  }

  @ParameterizedTest
  @CsvSource({"1, 512", "2, 640", "3, 768", "4, 896", "5, 1024"})
  void aSmallFileLosesUnderALargeCode(int blocks, long mebibytesIfAdopted) {
    calculator.accept(full("/a", 3, blocks));

    Bin small = all().small[blocks];
    assertThat(small.files).isEqualTo(1);
    assertThat(small.bytesNow).isEqualTo(3 * blocks * BLOCK);
    assertThat(small.bytesAfter).isEqualTo(mebibytesIfAdopted * MIB);
  }

  @Test
  void shortGroupsCostWholeParityBlocks() {
    // 6 blocks, then 1 of 64 MiB: 3 parity blocks of 64 MiB, where m/k of it would be 32 MiB.
    calculator.accept(file("/a", 3, BLOCK, BLOCK, BLOCK, BLOCK, BLOCK, BLOCK, 64 * MIB));

    Tally all = all();
    assertThat(all.all.bytesAfter).isEqualTo((768 + 384 + 64 + 192) * MIB);
    assertThat(all.traffic.groups).isEqualTo(2);
    assertThat(all.shortGroups).isEqualTo(1);
    assertThat(all.shortGroupsExtra).isEqualTo(160.0 * MIB);
  }

  @Test
  void aShortBlockInTheMiddleEndsItsGroup() {
    calculator.accept(
        file(
            "/a", 3, BLOCK, BLOCK, BLOCK, BLOCK, 10 * MIB, BLOCK, BLOCK, BLOCK, BLOCK, BLOCK,
            BLOCK));

    Tally all = all();
    assertThat(all.traffic.groups).isEqualTo(2);
    assertThat(all.shortGroups).isEqualTo(1);
    assertThat(all.all.bytesAfter).isEqualTo((10 * 128 + 10 + 3 * 128 + 3 * 128) * MIB);
  }

  @Test
  void blocksThatAreNoCellsAreCopied() {
    long[] six = new long[6];
    java.util.Arrays.fill(six, 512 * MIB);
    calculator.accept(PlannedFiles.of("/large", 512 * MIB, 3, six));

    // 6 of them are 3 GiB, too much for RS-6-3, but 3 of them are less than 2 GiB.
    assertThat(code.takesCell(512 * MIB)).isFalse();
    assertThat(all().byTreatment[Treatment.SMALLER_CODE.ordinal()].files).isEqualTo(1);

    PlanCalculator other = calculator(code, 0);
    other.accept(PlannedFiles.of("/larger", 1024 * MIB, 3, 1024 * MIB, 1024 * MIB));
    assertThat(other.blockSizesTooLarge()).isEqualTo(1);
    assertThat(other.rollUp().get("/").byTreatment[Treatment.STRIPE.ordinal()].files).isEqualTo(1);
  }

  /** HDFS cannot write such a copy: its writer hangs. */
  @Test
  void blocksThatCannotBeDividedIntoCellsAreNotCopied() {
    long odd = 195_313 * 512;
    calculator.accept(PlannedFiles.of("/odd", odd, 3, odd, odd, odd));

    assertThat(all().byReason[SkipReason.CELL_SIZE.ordinal()].files).isEqualTo(1);
    assertThat(all().byTreatment[Treatment.STRIPE.ordinal()].files).isZero();
  }

  @Test
  void blocksThatAreNoCellsAreNoted() {
    PlanCalculator odd = calculator(code, 0);
    odd.accept(PlannedFiles.of("/odd", 1024 * MIB, 3, 1024 * MIB, 1024 * MIB));
    PlanSettings settings = new PlanSettings();
    settings.code = code;
    FileSource source =
        new FileSource() {
          @Override
          public void stream(Sink sink) {}

          @Override
          public List<String> notes() {
            return List.of();
          }

          @Override
          public boolean isComplete() {
            return true;
          }
        };
    assertThat(
            new PlanReporter(settings, odd)
                .report(source, "test", 400, PlanReporter.Nodes.ASSUMED)
                .notes)
        .anyMatch(note -> note.contains("6 of them must be less than 2 GiB together"));
  }

  @Test
  void aBlockBeyondTheBlockSizeIsNotAdopted() {
    PlannedFile joined = file("/joined", 3, BLOCK, BLOCK + MIB, BLOCK, BLOCK, BLOCK, BLOCK);
    calculator.accept(joined);

    assertThat(all().byTreatment[Treatment.STRIPE.ordinal()].files).isEqualTo(1);
  }

  @Test
  void filesAreSkippedWithTheirReasons() {
    calculator.accept(file("/empty", 3));
    calculator.accept(file("/tiny", 3, 100_000));
    calculator.accept(full("/once", 1, 6));
    calculator.accept(full("/hbase/WALs/host,16020,1/host.1", 3, 6));
    calculator.accept(PlannedFiles.open(full("/open", 3, 6)));
    calculator.accept(PlannedFiles.withStoragePolicy(full("/lazy", 3, 6), 15));
    int[][] replicas = {{1}, {2}, {}, {3}, {4}, {5}};
    calculator.accept(PlannedFiles.located(full("/missing", 3, 6), replicas));
    CodeName rs = CodeName.parse("RS-3-2-1024k", MIB);
    calculator.accept(PlannedFiles.coded(file("/coded", 0, 6 * MIB), rs));

    Tally all = all();
    SkipReason[] reasons = {
      SkipReason.EMPTY,
      SkipReason.CODED,
      SkipReason.OPEN,
      SkipReason.SYNCED,
      SkipReason.LAZY_PERSIST,
      SkipReason.UNREADABLE,
      SkipReason.ONE_REPLICA,
      SkipReason.TOO_SMALL
    };
    for (SkipReason reason : reasons) {
      assertThat(all.byReason[reason.ordinal()].files).as(reason.name()).isEqualTo(1);
    }
    assertThat(all.byTreatment[Treatment.LEAVE.ordinal()].files).isEqualTo(8);
    assertThat(all.all.bytesAfter).isEqualTo(all.all.bytesNow);
    // 6 MiB in stripes of 3 MiB: 2 stripes, 2 parity blocks of 2 MiB.
    assertThat(all.coded.bytesNow).isEqualTo(10 * MIB);
    assertThat(all.byReplication[2].files).isEqualTo(6);
    assertThat(all.byReplication[0].files).isEqualTo(1);
    assertThat(calculator.firstSynced()).contains("/hbase/WALs/host,16020,1/host.1");
  }

  @Test
  void snapshotsBindWhatIsConverted() {
    calculator.accept(PlannedFiles.inSnapshot(full("/a/kept", 3, 6)));
    calculator.accept(PlannedFiles.inSnapshot(full("/a/once", 1, 6)));

    Bin bound = all().inSnapshot;
    assertThat(bound.files).isEqualTo(1);
    assertThat(bound.bytesNow).isEqualTo(18 * BLOCK);
    assertThat(bound.bytesAfter).isEqualTo(9 * BLOCK);
  }

  @Test
  void directoriesIncludeTheirSubdirectories() {
    PlanCalculator deep = calculator(code, 2);
    deep.accept(full("/top", 3, 6));
    deep.accept(full("/a/x", 3, 6));
    deep.accept(full("/a/b/x", 3, 6));
    deep.accept(full("/a/b/c/d/x", 3, 6));
    deep.accept(full("/e/f/x", 3, 6));

    Map<String, Tally> rows = deep.rollUp();
    assertThat(rows).containsOnlyKeys("/", "/a", "/a/b", "/e", "/e/f");
    assertThat(rows.get("/").all.files).isEqualTo(5);
    assertThat(rows.get("/a").all.files).isEqualTo(3);
    assertThat(rows.get("/a/b").all.files).isEqualTo(2);
    assertThat(rows.get("/e").all.bytesAfter).isEqualTo(9 * BLOCK);
    assertThat(deep.isFolded()).isFalse();
  }

  @Test
  void tooManyDirectoriesCountForTheRoot() {
    DirectoryRows rows = new DirectoryRows("/data", 1, 3, 6);
    PlanCalculator few =
        new PlanCalculator(
            settings(code),
            null,
            new ExpectedTraffic(20, 400, ExpectedTraffic.Writers.DATANODES, 0),
            rows);
    for (int i = 0; i < 10; i++) {
      few.accept(full("/data/d" + i + "/x", 3, 6));
    }

    Map<String, Tally> byPath = few.rollUp();
    assertThat(byPath).containsOnlyKeys("/data", "/data/d0", "/data/d1");
    assertThat(byPath.get("/data").all.files).isEqualTo(10);
    assertThat(few.isFolded()).isTrue();
  }

  /**
   * The values of the paper for a (14,10) stripe in 20 racks: 9.0 blocks read, 13.3 written, 3.8 of
   * parity.
   */
  @Test
  void crossRackBlocksMatchThePaper() {
    PlanCalculator paper = calculator(CodeName.parse("RS-10-4", MIB), 0);
    paper.accept(full("/a", 3, 10));

    ConversionTraffic traffic = paper.rollUp().get("/").traffic;
    assertThat(traffic.copyAcross / BLOCK).isCloseTo(22.3, within(1e-9));
    assertThat(traffic.raidAcross / BLOCK).isCloseTo(12.8, within(1e-9));
    assertThat(traffic.earAcross / BLOCK).isCloseTo(3.0, within(1e-9));
    assertThat(traffic.parityBytes / BLOCK).isCloseTo(4.0, within(1e-9));
    assertThat(traffic.copyNetwork / BLOCK).isCloseTo(24.0, within(1e-9));
    assertThat(traffic.adoptAcross).isLessThan(traffic.raidAcross);
    assertThat(traffic.adoptedBlocks + traffic.sentBlocks).isCloseTo(10.0, within(1e-9));
  }

  @Test
  void withAsManyBlocksPerRackAsParityEarMovesNothingAcross() {
    PlanCalculator loose =
        new PlanCalculator(
            settings(CodeName.parse("RS-6-3", MIB)),
            null,
            new ExpectedTraffic(3, 9, ExpectedTraffic.Writers.ELSEWHERE, 0),
            new DirectoryRows("/", 0, 10, 6));
    loose.accept(full("/a", 3, 6));

    ConversionTraffic traffic = loose.rollUp().get("/").traffic;
    assertThat(traffic.earAcross).isZero();
    assertThat(traffic.copyAcross / BLOCK)
        .isCloseTo(6 * (1 - 2 / 3.0) + 9 * (2 / 3.0), within(1e-9));
  }

  @Test
  void expectationsFollowWhereTheWritersWere() {
    // With the writer on a DataNode, one replica of every block is on one node: its rack can encode
    // all of them, but only one of them can be retained there.
    ConversionTraffic inside = expected(ExpectedTraffic.Writers.DATANODES);
    ConversionTraffic outside = expected(ExpectedTraffic.Writers.ELSEWHERE);

    double insideShare = inside.adoptedBlocks / (inside.adoptedBlocks + inside.sentBlocks);
    double outsideShare = outside.adoptedBlocks / (outside.adoptedBlocks + outside.sentBlocks);
    // The expected number of distinct racks among 10 draws of 19, plus the writer's rack: 8.94 of
    // 10.
    assertThat(insideShare).isCloseTo(0.894, within(0.02));
    assertThat(outsideShare).isGreaterThan(0.97);
    assertThat(inside.adoptAcross).isLessThan(outside.adoptAcross);
  }

  private static ConversionTraffic expected(ExpectedTraffic.Writers writers) {
    CodeName code = CodeName.parse("RS-10-4", MIB);
    PlanCalculator calculator =
        new PlanCalculator(
            settings(code),
            null,
            new ExpectedTraffic(20, 400, writers, 0),
            new DirectoryRows("/", 0, 10, 10));
    calculator.accept(full("/a", 3, 10));
    return calculator.rollUp().get("/").traffic;
  }

  @Test
  void realLocationsArePlannedGroupByGroup() {
    // Racks of nodes 0-2, 3-5, 6-8. Rack 0 has all six blocks, and retains those that are nowhere
    // else.
    Topology topology = Topology.uniform(3, 3);
    PlanCalculator located =
        new PlanCalculator(
            settings(code),
            null,
            new LocatedTraffic(() -> topology, RackRules.OF_HDFS, 0, true),
            new DirectoryRows("/", 0, 10, 6));
    int[][] replicas = {{0, 3, 4}, {0, 4, 5}, {0, 5, 3}, {1, 6, 7}, {1, 7, 8}, {1, 8, 6}};
    located.accept(PlannedFiles.located(full("/a", 3, 6), replicas));

    ConversionTraffic traffic = located.rollUp().get("/").traffic;
    assertThat(traffic.adoptedBlocks).isEqualTo(6);
    assertThat(traffic.sentBlocks).isZero();
    assertThat(traffic.ruleBroken).isZero();
    // Parity stays in rack 0, where all blocks can be read: nothing crosses racks.
    assertThat(traffic.adoptAcross).isZero();
    // The encoder holds three blocks, reads three and sends three parity blocks.
    assertThat(traffic.adoptNetwork).isEqualTo(6.0 * BLOCK);
    assertThat(traffic.copyAcross / BLOCK)
        .isCloseTo(6 * (1 - 2 / 3.0) + 9 * (2 / 3.0), within(1e-9));
  }

  @Test
  void blocksToSendAreCounted() {
    // All replicas are on the same three nodes: three blocks are retained, three are sent.
    Topology topology = Topology.uniform(3, 3);
    PlanCalculator located =
        new PlanCalculator(
            settings(code),
            null,
            new LocatedTraffic(() -> topology, RackRules.OF_HDFS, 0, true),
            new DirectoryRows("/", 0, 10, 6));
    int[][] replicas = {{0, 3, 4}, {0, 3, 4}, {0, 3, 4}, {0, 3, 4}, {0, 3, 4}, {0, 3, 4}};
    located.accept(PlannedFiles.located(full("/a", 3, 6), replicas));

    ConversionTraffic traffic = located.rollUp().get("/").traffic;
    assertThat(traffic.adoptedBlocks).isEqualTo(3);
    assertThat(traffic.sentBytes).isEqualTo(3.0 * BLOCK);
  }

  /** Only if there are no DataNodes besides those of the tree's blocks. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void filesWithGroupsThatCannotBePlacedAreLeft(boolean knowsAllNodes) {
    Topology topology = Topology.uniform(2, 3);
    PlanCalculator located =
        new PlanCalculator(
            settings(code),
            null,
            new LocatedTraffic(() -> topology, RackRules.OF_HDFS, 0, knowsAllNodes),
            new DirectoryRows("/", 0, 10, 6));
    int[][] replicas = new int[6][];
    java.util.Arrays.fill(replicas, new int[] {0, 3, 4});
    located.accept(PlannedFiles.located(full("/a", 3, 6), replicas));

    Tally all = located.rollUp().get("/");
    assertThat(all.byReason[SkipReason.UNPLACEABLE.ordinal()].files)
        .isEqualTo(all.byTreatment[Treatment.LEAVE.ordinal()].files)
        .isEqualTo(knowsAllNodes ? 1 : 0);
    assertThat(all.all.bytesAfter).isEqualTo((knowsAllNodes ? 18 : 9) * BLOCK);
    assertThat(located.needs()).hasSize(knowsAllNodes ? 0 : 1);
    ConversionTraffic traffic = all.traffic;
    assertThat(traffic.groups).isEqualTo(knowsAllNodes ? 0 : 1);
    assertThat(traffic.unplaceable).isEqualTo(1);
    assertThat(traffic.copyAcross).isZero();
    assertThat(traffic.unplaceableReason).startsWith("/a: Cannot place a group of 6 data");
  }

  @Test
  void policiesAreListedByBlockSize() {
    calculator.accept(full("/a", 3, 6));
    long[] six = new long[6];
    java.util.Arrays.fill(six, 64 * MIB);
    calculator.accept(PlannedFiles.of("/b", 64 * MIB, 3, six));

    assertThat(calculator.byBlockSize()).containsOnlyKeys(64 * MIB, BLOCK);
    assertThat(calculator.byBlockSize().get(BLOCK)).containsOnlyKeys("RS-6-3-131072k");
  }

  @Test
  void policiesOfTheSmallerCodeAreListed() {
    calculator.accept(full("/a", 3, 6));
    calculator.accept(
        PlannedFiles.of("/b", 512 * MIB, 3, new long[] {512 * MIB, 512 * MIB, 512 * MIB}));

    assertThat(calculator.byBlockSize().get(512 * MIB)).containsOnlyKeys("RS-3-2-524288k");
    assertThat(calculator.byBlockSize().get(512 * MIB).get("RS-3-2-524288k").files).isEqualTo(1);
  }
}
