// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.natives.codec.Code;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.FakeGroup;
import org.stripeline.scrub.check.GroupCheck;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.check.Layout;

/** Which groups are left as they are. */
class RepairPlanTest {
  private static final Layout LAYOUT = Layout.striped(Code.RS, 3, 2, 4096);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private FakeGroup group;
  private boolean isConverted;

  @BeforeEach
  void write() throws IOException {
    group = FakeGroup.striped(LAYOUT, 3 * 4096);
  }

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private RepairPlan plan(Trust... trusts) throws IOException {
    GroupResult checked = new GroupCheck(group, FakeGroup.SETTINGS, threads).run();
    return RepairPlan.of(checked, Set.of(trusts), isConverted);
  }

  @Test
  void leavesAGroupWithMoreWrongBlocksThanParity() throws IOException {
    group.damage(group.copy(0), 100);
    group.damage(group.copy(1), 1100);
    group.damage(group.copy(2), 2100);

    assertThat(plan().refusal()).contains("more blocks are wrong or missing than there is parity");
  }

  @Test
  void leavesAGroupOfWhichOtherBlocksWereNotChecked() throws IOException {
    group.damage(group.copy(0), 100);
    group.answer(
        group.copy(3),
        100,
        request -> {
          throw new AgentException(AgentException.Kind.UNREACHABLE, "down");
        });

    assertThat(plan().refusal()).contains("not everything else was checked");
  }

  @Test
  void trustsNoDataThatIsLocatedAsWrong() throws IOException {
    group.damage(group.copy(0), 100);
    group.damage(group.copy(3), 2100);
    group.damage(group.copy(4), 2101);

    assertThat(plan(Trust.DATA).refusal()).contains("is data, and is wrong");
  }

  @Test
  void trustsNoDataOfWhichThereAreTwoReplicas() throws IOException {
    Copy second = group.put(0, 9, group.bytes.get(group.copy(0)));
    group.damage(second, 100);
    group.damage(group.copy(3), 100);

    assertThat(plan().refusal()).contains("is not known");
    assertThat(plan(Trust.DATA).refusal()).contains("has a second replica, which may differ");
    assertThat(plan(Trust.DATA).wrong()).isEmpty();
  }

  @Test
  void replacesNothingOnADataNodeThatHasARightBlockOfTheGroupToo() throws IOException {
    Copy wrong = group.copy(1);
    Copy right = group.put(4, 1, group.bytes.remove(group.copy(4)));
    assertThat(right.node).isEqualTo(wrong.node);
    group.damage(wrong, 100);

    assertThat(plan().refusal()).contains("HDFS would replace " + right + " too");
    assertThat(plan().wrong()).isEmpty();
  }

  @Test
  void leavesAReplicatedBlockWithoutARightReplica() throws IOException {
    group = FakeGroup.replicated(1, 5000);
    Copy only = group.copy(0);
    group.bytes.put(only, Arrays.copyOf(group.bytes.get(only), 4000));

    assertThat(plan().refusal()).contains("no replica is right");
  }

  private void younger(int unit, long millis) {
    group.modified.put(group.copy(unit), FakeGroup.WRITTEN + millis);
  }

  /** Returns the units that would be replaced, or null if the others may have been rebuilt. */
  private Set<Integer> replaced(Trust... trusts) throws IOException {
    RepairPlan plan = plan(trusts);
    if (plan.refusal() != null) {
      assertThat(plan.refusal()).contains("are younger than the rest").contains("--trust-others");
      return null;
    }
    return plan.wrong().stream().map(copy -> copy.unit).collect(Collectors.toSet());
  }

  @Test
  void leavesAGroupOfWhichOtherBlocksMayHaveBeenRebuilt() throws IOException {
    group.damage(group.copy(0), 100);
    younger(0, 3_600_000);
    assertThat(replaced()).as("only the wrong block is younger").containsExactly(0);
    younger(1, 59_000);
    assertThat(replaced()).as("written with the others").containsExactly(0);
    younger(1, 61_000);
    assertThat(replaced()).isNull();
    assertThat(replaced(Trust.OTHERS)).containsExactly(0);
  }

  @Test
  void leavesAGroupOfAgentsThatDoNotSayWhenBlocksWereWritten() throws IOException {
    group.damage(group.copy(3), 100);
    group.modified.put(group.copy(4), 0L);
    assertThat(plan().refusal()).contains("is not known").contains("--trust-others");
    group.modified.put(group.copy(4), -1L);
    assertThat(plan().refusal()).as("a clock before 1970").contains("is not known");
    younger(1, 3_600_000);
    assertThat(replaced()).isNull();
  }

  @Test
  void parityOfAConvertedFileMayBeYoungerThanDataIfAllOfItIs() throws IOException {
    group.damage(group.copy(0), 100);
    younger(3, 3_600_000);
    younger(4, 3_600_000);
    assertThat(replaced()).as("one was rebuilt, the other moved at the same time").isNull();
    isConverted = true;
    assertThat(replaced()).as("as convert writes it").containsExactly(0);
    younger(4, 7_200_000);
    assertThat(replaced()).isNull();
  }

  @Test
  void asManyYoungBlocksAsCanHideAWrongOneAreNeeded() throws IOException {
    Layout layout = Layout.striped(Code.RS, 6, 3, 4096);
    group = FakeGroup.striped(layout, 6 * 4096);
    group.damage(group.copy(8), 100);
    younger(1, 3_600_000);
    assertThat(replaced()).containsExactly(8);
    younger(6, 3_600_000);
    assertThat(replaced()).isNull();
  }

  @Test
  void parityThatWasRebuiltTogetherIsYoungIfSomeIsMissing() throws IOException {
    Layout layout = Layout.striped(Code.RS, 6, 3, 4096);
    group = FakeGroup.striped(layout, 6 * 4096);
    group.damage(group.copy(0), 100);
    younger(7, 3_600_000);
    younger(8, 3_600_000);
    group.bytes.remove(group.copy(6));
    assertThat(replaced()).isNull();
  }

  @Test
  void parityThatWasRebuiltTogetherIsYoungIfSomeIsAbsent() throws IOException {
    Layout layout = Layout.striped(Code.RS, 6, 3, 4096);
    group = FakeGroup.striped(layout, 6 * 4096);
    isConverted = true;
    group.damage(group.copy(0), 100);
    younger(7, 3_600_000);
    younger(8, 3_600_000);
    Copy absent = group.copy(6);
    group.answer(absent, 100, FakeGroup.outcome(BlockFingerprints.Outcome.ABSENT, 0, 0));
    assertThat(replaced()).isNull();
  }

  @Test
  void dataIsYoungerThanParityThatAClockInThePastMakesOld() throws IOException {
    isConverted = true;
    group.damage(group.copy(4), 100);
    younger(3, -3_600_000);
    assertThat(replaced()).isNull();
  }

  @Test
  void aRebuiltBlockIsYoungInWindowsWhereItIsNotDamaged() throws IOException {
    group.damage(group.copy(0), 100);
    younger(3, 3_600_000);
    group.badChunks.put(group.copy(3), 3000L);
    assertThat(replaced()).as("a wrong checksum").isNull();
    group.badChunks.clear();
    group.damage(group.copy(3), 3000);
    assertThat(replaced()).as("wrong bytes").isNull();
  }

  @Test
  void blocksThatEndBeforeTheOthersAreNotYoung() throws IOException {
    int windows = 64;
    group =
        FakeGroup.striped(
            Layout.striped(Code.RS, 3, 2, FakeGroup.WINDOW),
            3L * windows * FakeGroup.WINDOW + FakeGroup.WINDOW);
    group.damage(group.copy(0), 100);
    assertThat(replaced()).containsExactly(0);
  }

  @Test
  void trustedDataIsNeverReplacedAndShowsThatParityIsWrong() throws IOException {
    group.damage(group.copy(3), 100);
    younger(4, 3_600_000);
    assertThat(plan().refusal()).contains("--trust-data");
    assertThat(replaced(Trust.DATA)).containsExactly(3);

    group.damage(group.copy(3), 100);
    group.damage(group.copy(0), 100);
    assertThat(plan().refusal()).contains("write it again").doesNotContain("--trust-data");
    assertThat(plan(Trust.DATA).refusal()).contains("is data, and does not match");
    assertThat(plan(Trust.DATA, Trust.OTHERS).refusal()).contains("is data, and does not match");
    younger(4, 0);
    assertThat(plan(Trust.DATA).refusal()).contains("is data, and does not match");
    assertThat(replaced()).containsExactly(0);
  }

  @Test
  void wrongBlocksOfDifferentWindowsAreReplaced() throws IOException {
    group = FakeGroup.striped(LAYOUT, 3 * 4096);
    group.damage(group.copy(0), 100);
    group.damage(group.copy(3), 3000);
    assertThat(replaced()).containsExactly(0, 3);
  }
}
