// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.agent.BlockFingerprints.Outcome;
import org.stripeline.scrub.check.GroupCheckTest.Policy;

/** Groups that change while they are checked, and what only the NameNode knows about groups. */
class GroupChangesTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private GroupResult check(FakeGroup group) throws IOException {
    return new GroupCheck(group, FakeGroup.SETTINGS, threads).run();
  }

  private static List<Finding.Kind> kinds(GroupResult result) {
    return result.findings().stream().map(Finding::kind).distinct().collect(Collectors.toList());
  }

  @Test
  void anOpenGroupIsNotCheckedAtOnce() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.isOpen = true;

    GroupResult result = check(group);

    assertThat(result.isOpen()).isTrue();
    assertThat(result.isComplete()).isFalse();
    assertThat(result.findings().get(0).text()).isEqualTo("it is open for writing");
    assertThat(group.pauses).isZero();
  }

  @Test
  void aGroupThatIsOpenedForAppendMeanwhileIsNotChecked() throws IOException {
    FakeGroup group = FakeGroup.replicated(3, 70_001);
    group.answer(group.copy(0), 9, FakeGroup.outcome(Outcome.UNFINISHED, 1002, 70_001));
    group.beforeLocate.put(1, () -> group.isOpen = true);

    assertThat(check(group).isOpen()).isTrue();
  }

  @Test
  void aGroupThatIsGoneHasNoFindingAndIsNotHealthy() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.isGone = true;

    GroupResult result = check(group);

    assertThat(result.isGone()).isTrue();
    assertThat(result.findings()).isEmpty();
    assertThat(result.isHealthy()).isFalse();
    assertThat(group.pauses).isZero();
  }

  @Test
  void replicasThatAreReportedLateAreNotMissing() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    Copy late = group.copy(4);
    byte[] content = group.bytes.remove(late);
    group.unnamed = GroupLocations.Unnamed.REPORTED_LATE;
    group.beforeLocate.put(2, () -> group.bytes.put(late, content));

    GroupResult result = check(group);

    assertThat(result.isHealthy()).as(result.toString()).isTrue();
    assertThat(result.findings()).isEmpty();
    assertThat(group.pauses).isEqualTo(2);
  }

  @Test
  void replicasThatAreNotReportedAreMissing() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.bytes.remove(group.copy(4));
    assertThat(kinds(check(group))).containsExactly(Finding.Kind.MISSING);
    assertThat(group.pauses).isZero();

    group.unnamed = GroupLocations.Unnamed.REPORTED_LATE;
    assertThat(kinds(check(group))).containsExactly(Finding.Kind.MISSING);
    assertThat(group.pauses).isEqualTo(CheckSettings.REPEATS);
  }

  @ParameterizedTest
  @CsvSource({"IN_MAINTENANCE,maintenance,0", "NOT_REPORTED,since it started,3"})
  void replicasThatTheNameNodeMayNotNameAreNotMissing(
      GroupLocations.Unnamed reason, String text, int pauses) throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.bytes.remove(group.copy(4));
    group.unnamed = reason;

    GroupResult result = check(group);

    assertThat(kinds(result)).containsExactly(Finding.Kind.NOT_CHECKED);
    assertThat(result.findings().get(0).unit()).isEqualTo(4);
    assertThat(result.findings().get(0).text()).contains(text);
    assertThat(result.comparedWindows()).as("of the others").isEqualTo(128);
    assertThat(group.pauses).isEqualTo(pauses);
  }

  @Test
  void aDataNodeThatIsNotAskedIsNotWaitedFor() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.answer(
        group.copy(4),
        9,
        request -> {
          throw new NotAskedException("not asked");
        });

    GroupResult result = check(group);

    assertThat(kinds(result)).containsExactly(Finding.Kind.NOT_CHECKED);
    assertThat(result.findings().get(0).copy()).isEqualTo(group.copy(4));
    assertThat(group.pauses).isZero();
  }

  @Test
  void tooFewRacksAreNamedAndAreNoDamage() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.rackProblem = "2 racks instead of 3";

    GroupResult result = check(group);

    assertThat(kinds(result)).containsExactly(Finding.Kind.TOO_FEW_RACKS);
    assertThat(result.findings().get(0).text()).isEqualTo("2 racks instead of 3");
    assertThat(result.isHealthy()).isTrue();
    group.bytes.remove(group.copy(4));
    assertThat(kinds(check(group))).containsExactly(Finding.Kind.MISSING);
  }

  @Test
  void aGroupThatIsDeletedBeforeTheBytesAreReadIsNoDamage() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.damage(group.copy(3), 700);
    group.beforeRead = () -> group.isGone = true;

    assertThat(check(group).isGone()).isTrue();
  }

  @Test
  void aReplicaThatKeepsChangingLeavesTheGroupUnchecked() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.answer(group.copy(2), 99, FakeGroup.outcome(Outcome.CHANGED, FakeGroup.STAMP, 5));

    GroupResult result = check(group);

    assertThat(kinds(result)).containsExactly(Finding.Kind.NOT_CHECKED);
    assertThat(result.findings().get(0).unit()).isEqualTo(-1);
  }

  @Test
  void aBlockThatMovesIsReadFromItsNewPlace() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    Copy old = group.copy(2);
    group.answer(old, 1, FakeGroup.outcome(Outcome.ABSENT, 0, 0));
    group.beforeLocate.put(
        1,
        () -> {
          byte[] content = group.bytes.remove(old);
          group.put(2, 30, content);
        });

    GroupResult result = check(group);

    assertThat(result.isHealthy()).as(result.toString()).isTrue();
    assertThat(result.bytes()).as("the whole group is read at the new places").isGreaterThan(0);
  }
}
