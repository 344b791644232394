// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.BlockFingerprints.Outcome;
import org.stripeline.natives.codec.Code;

class GroupCheckTest {
  private static final int CELL = 64 << 10;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  /** The policies of stock HDFS. */
  enum Policy {
    RS_6_3(Code.RS, 6, 3),
    RS_3_2(Code.RS, 3, 2),
    RS_LEGACY_6_3(Code.RS_LEGACY, 6, 3),
    XOR_2_1(Code.XOR, 2, 1),
    RS_10_4(Code.RS, 10, 4);

    final int dataUnits;
    final int parityUnits;
    final Layout layout;

    Policy(Code code, int dataUnits, int parityUnits) {
      this.dataUnits = dataUnits;
      this.parityUnits = parityUnits;
      layout = Layout.striped(code, dataUnits, parityUnits, CELL);
    }

    FakeGroup group() throws IOException {
      return FakeGroup.striped(layout, (long) CELL * dataUnits + CELL + 77);
    }
  }

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private GroupResult check(FakeGroup group) throws IOException {
    return new GroupCheck(group, FakeGroup.SETTINGS, threads).run();
  }

  private static List<Copy> copies(GroupResult result, Finding.Kind kind) {
    return result.findings().stream()
        .filter(finding -> finding.kind() == kind)
        .map(Finding::copy)
        .collect(Collectors.toList());
  }

  private static List<Finding.Kind> kinds(GroupResult result) {
    return result.findings().stream().map(Finding::kind).distinct().collect(Collectors.toList());
  }

  @ParameterizedTest
  @EnumSource(Policy.class)
  void groupsOfEveryShapeAndLengthAreHealthy(Policy policy) throws IOException {
    long stripe = (long) CELL * policy.dataUnits;
    long[] lengths = {1, 1023, 1024, CELL - 1, CELL, CELL + 1, stripe - 1, stripe, stripe + 1};
    for (long length : lengths) {
      FakeGroup group = FakeGroup.striped(policy.layout, length);

      GroupResult result = check(group);

      assertThat(result.isHealthy()).as("%d bytes: %s", length, result).isTrue();
      long longest = policy.layout.unitBytes(0, length);
      assertThat(result.comparedWindows()).isEqualTo((longest + 1023) / 1024);
      long all = group.bytes.values().stream().mapToLong(bytes -> bytes.length).sum();
      assertThat(result.bytes()).isEqualTo(all);
      assertThat(group.reads).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(Policy.class)
  void damageIsLocatedUpToHalfOfTheParityAndNeverElsewhere(Policy policy) throws IOException {
    for (int wrong = 1; wrong <= policy.parityUnits; wrong++) {
      FakeGroup group = policy.group();
      List<Copy> damaged = new ArrayList<>();
      for (int i = 0; i < wrong; i++) {
        // The first data block, the last parity block, and blocks between them.
        Copy copy = group.copy((policy.layout.units() - i) % policy.layout.units());
        damaged.add(copy);
        for (int at = 0; at < 40; at++) {
          group.damage(copy, CELL / 2 + at * (i + 1));
        }
      }

      GroupResult result = check(group);

      assertThat(result.isDamaged()).isTrue();
      assertThat(group.reads)
          .as("bytes read to confirm")
          .isGreaterThanOrEqualTo(group.bytes.size());
      if (2 * wrong <= policy.parityUnits) {
        assertThat(copies(result, Finding.Kind.WRONG_BYTES))
            .containsExactlyInAnyOrderElementsOf(damaged);
        assertThat(kinds(result)).containsOnly(Finding.Kind.WRONG_BYTES);
        assertThat(result.findings().get(0).firstWindow()).isEqualTo(CELL / 2 / 1024);
        assertThat(result.findings().get(0).windows()).isEqualTo(1);
      } else {
        assertThat(kinds(result)).containsOnly(Finding.Kind.UNLOCATED);
      }
    }
  }

  @Test
  void damageOfTheShortLastWindowIsLocated() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    Copy second = group.copy(1);
    group.damage(second, (int) second.block.length - 1);

    GroupResult result = check(group);

    assertThat(copies(result, Finding.Kind.WRONG_BYTES)).containsExactly(second);
    assertThat(result.findings().get(0).firstWindow()).isEqualTo(CELL / 1024);
  }

  @Test
  void manyWindowsOfOneBlockAreConfirmedOnce() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    for (int window = 0; window < 50; window++) {
      group.damage(group.copy(7), window * 1024 + 3);
    }

    GroupResult result = check(group);

    assertThat(group.reads).isEqualTo(9);
    assertThat(result.findings()).hasSize(1);
    assertThat(result.findings().get(0).windows()).isEqualTo(50);
  }

  @Test
  void missingBlocksAreNamedAndLeaveLessToLocateWith() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.bytes.remove(group.copy(4));
    assertThat(kinds(check(group))).containsExactly(Finding.Kind.MISSING);
    assertThat(check(group).isComplete()).isTrue();

    group.damage(group.copy(2), 5000);
    GroupResult one = check(group);
    assertThat(copies(one, Finding.Kind.WRONG_BYTES)).containsExactly(group.copy(2));

    group.bytes.remove(group.copy(5));
    GroupResult two = check(group);
    assertThat(kinds(two)).containsExactly(Finding.Kind.MISSING, Finding.Kind.UNLOCATED);
  }

  @Test
  void withAllParityMissingNothingCountsAsChecked() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    for (int unit = 6; unit < 9; unit++) {
      group.bytes.remove(group.copy(unit));
    }

    GroupResult result = check(group);

    assertThat(kinds(result)).containsExactly(Finding.Kind.MISSING, Finding.Kind.NOT_CHECKED);
    assertThat(result.comparedWindows()).isZero();
    assertThat(result.isComplete()).isFalse();
  }

  @Test
  void equalDuplicatesAreNamedAndAreNoDamage() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.put(3, 20, group.bytes.get(group.copy(3)));

    GroupResult result = check(group);

    assertThat(kinds(result)).containsExactly(Finding.Kind.DUPLICATE);
    assertThat(result.isHealthy()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void theWrongOneOfTwoDuplicatesIsLocated(int number) throws IOException {
    FakeGroup group = Policy.RS_3_2.group();
    group.put(1, 20, group.bytes.get(group.copy(1)));
    Copy wrong = group.copy(1, number);
    group.damage(wrong, 2000);

    assertThat(copies(check(group), Finding.Kind.WRONG_BYTES)).containsExactly(wrong);
  }

  @Test
  void differingDuplicatesThatNothingDecidesAreUnlocated() throws IOException {
    FakeGroup group = Policy.XOR_2_1.group();
    group.put(1, 20, group.bytes.get(group.copy(1)));
    group.damage(group.copy(1, 0), 2000);

    GroupResult result = check(group);

    assertThat(copies(result, Finding.Kind.UNLOCATED))
        .containsExactly(group.copy(1, 0), group.copy(1, 1));
  }

  @Test
  void aBlockOfWrongLengthIsNamedAndTheOthersAreCompared() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    Copy copy = group.copy(8);
    group.bytes.put(copy, new byte[100]);

    GroupResult result = check(group);

    assertThat(kinds(result)).containsExactly(Finding.Kind.WRONG_LENGTH);
    assertThat(result.findings().get(0).text())
        .contains("100 bytes", "requires " + copy.block.length);
    assertThat(result.comparedWindows()).isEqualTo(128);
  }

  @Test
  void anotherGenerationStampIsNamed() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.answer(group.copy(0), 9, FakeGroup.outcome(Outcome.DIFFERENT, 1000, 5));

    assertThat(kinds(check(group))).containsExactly(Finding.Kind.WRONG_GENERATION_STAMP);
  }

  @ParameterizedTest
  @EnumSource(
      value = Outcome.class,
      names = {"ABSENT", "UNFINISHED", "DIFFERENT", "CHANGED", "UNREADABLE"})
  void whatPassesIsRetriedAndLeavesNoFinding(Outcome outcome) throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    Copy copy = group.copy(2);
    group.answer(copy, 2, FakeGroup.outcome(outcome, FakeGroup.STAMP, 5));

    GroupResult result = check(group);

    assertThat(result.findings()).isEmpty();
    assertThat(group.pauses).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(
      value = Outcome.class,
      names = {"ABSENT", "UNFINISHED", "UNREADABLE", "UNFITTING"})
  void whatStaysIsAFindingOrNotCheckedButNeverHealthy(Outcome outcome) throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    Copy copy = group.copy(2);
    group.answer(copy, 99, FakeGroup.outcome(outcome, FakeGroup.STAMP, 5));

    GroupResult result = check(group);

    assertThat(result.isHealthy()).as(result.toString()).isFalse();
    boolean isNamed = outcome == Outcome.ABSENT || outcome == Outcome.UNREADABLE;
    assertThat(result.isDamaged()).isEqualTo(isNamed);
    assertThat(result.isComplete()).isEqualTo(outcome == Outcome.ABSENT);
    assertThat(result.comparedWindows()).as("of the others").isEqualTo(128);
  }

  @Test
  void aDataNodeThatIsDownIsNotCheckedWithTheReason() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    Copy copy = group.copy(6);
    group.answer(copy, 99, down());

    GroupResult result = check(group);

    assertThat(copies(result, Finding.Kind.NOT_CHECKED)).containsExactly(copy);
    assertThat(result.findings()).hasSize(1);
    assertThat(result.findings().get(0).text()).isEqualTo("Cannot call: connection refused");
    assertThat(result.isDamaged()).isFalse();
    assertThat(group.pauses).isEqualTo(CheckSettings.REPEATS);
  }

  @Test
  void aDataNodeThatGoesDownLaterIsNotCheckedFromThere() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    Copy copy = group.copy(0);
    group.answer(copy, 2, request -> group.ofBytes(copy.node, request));
    group.answer(copy, 99, down());

    Finding finding = check(group).findings().get(0);

    assertThat(finding.firstWindow()).isEqualTo(20);
    assertThat(finding.windows()).isEqualTo(108);
  }

  private static FakeGroup.Answer down() {
    return request -> {
      throw new AgentException(AgentException.Kind.UNREACHABLE, "Cannot call: connection refused");
    };
  }

  @Test
  void anAgentThatCannotServeIsNotAskedAgain() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.answer(
        group.copy(6),
        99,
        request -> {
          throw new AgentException(AgentException.Kind.NO_AGENT, "Cannot call: no agent");
        });

    assertThat(kinds(check(group))).containsExactly(Finding.Kind.NOT_CHECKED);
    assertThat(group.pauses).isZero();
  }

  @Test
  void differencesThatTheBytesDoNotConfirmAreNoDamage() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    Copy copy = group.copy(3);
    group.damage(copy, 700);
    group.beforeRead =
        () -> {
          group.damage(copy, 700);
          group.beforeRead = () -> {};
        };

    GroupResult result = check(group);

    assertThat(kinds(result)).containsExactly(Finding.Kind.NOT_CHECKED);
    assertThat(result.findings().get(0).text()).contains("fingerprints differ", "match");
  }

  @Test
  void wrongChecksumsLocateMoreThanTheCodeCan() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    for (int unit : new int[] {1, 4}) {
      group.badChunks.put(group.copy(unit), 3000L);
      for (int i = 0; i < 40; i++) {
        group.damage(group.copy(unit), 3000 + i * (unit + 1) % 70);
      }
    }

    GroupResult result = check(group);

    assertThat(copies(result, Finding.Kind.WRONG_BYTES))
        .containsExactlyInAnyOrder(group.copy(1), group.copy(4));
    assertThat(copies(result, Finding.Kind.BAD_CHECKSUM))
        .containsExactlyInAnyOrder(group.copy(1), group.copy(4));
  }

  @Test
  void aWrongChecksumOfRightBytesIsNoWrongByte() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.badChunks.put(group.copy(1), 3000L);

    assertThat(kinds(check(group))).containsExactly(Finding.Kind.BAD_CHECKSUM);
  }

  @Test
  void aWrongChecksumThatIsGoneWhenItIsReadAgainIsNoFinding() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.answer(group.copy(1), 1, wrongBytesAndChecksum(group, group.copy(1)));

    GroupResult result = check(group);

    assertThat(result.findings()).isEmpty();
    assertThat(group.reads).isZero();
  }

  /** Returns the answer of a DataNode whose memory is wrong for this answer only. */
  private static FakeGroup.Answer wrongBytesAndChecksum(FakeGroup group, Copy copy) {
    return request -> {
      group.badChunks.put(copy, 3000L);
      group.damage(copy, 3000);
      BlockFingerprints wrong = group.ofBytes(copy.node, request);
      group.damage(copy, 3000);
      group.badChunks.remove(copy);
      return wrong;
    };
  }

  @Test
  void aWrongChecksumIsReadAgainUntilThereIsAnAnswer() throws IOException {
    FakeGroup.Answer none =
        request -> {
          throw new AgentException(AgentException.Kind.UNREACHABLE, "no answer");
        };
    FakeGroup.Answer changed = FakeGroup.outcome(Outcome.CHANGED, FakeGroup.STAMP, 5);
    for (FakeGroup.Answer second : List.of(none, changed)) {
      FakeGroup group = Policy.RS_6_3.group();
      group.windowsPerCall = 99;
      group.answer(group.copy(1), 1, wrongBytesAndChecksum(group, group.copy(1)));
      group.answer(group.copy(1), 1, second);

      GroupResult result = check(group);

      assertThat(result.findings()).isEmpty();
      assertThat(result.isHealthy()).isTrue();
    }
  }

  @Test
  void aGroupOfAnUnknownCodeDoesNotEndTheScrub() throws IOException {
    FakeGroup group = Policy.RS_6_3.group();
    group.beforeLocate.put(
        0,
        () -> {
          throw new IllegalArgumentException("no code 'dummy'");
        });

    GroupResult result = check(group);

    assertThat(kinds(result)).containsExactly(Finding.Kind.NOT_CHECKED);
    assertThat(result.findings().get(0).text()).contains("no code 'dummy'");
  }

  @Test
  void equalReplicasAreHealthyAndOneAloneHasOnlyItsChecksums() throws IOException {
    assertThat(check(FakeGroup.replicated(3, 70_001)).isHealthy()).isTrue();
    assertThat(check(FakeGroup.replicated(1, 5000)).isHealthy()).isTrue();
  }

  @Test
  void differingReplicasAreUnlocatedWhateverTheMajority() throws IOException {
    FakeGroup group = FakeGroup.replicated(3, 70_001);
    group.damage(group.copy(0, 1), 70_000);

    GroupResult result = check(group);

    assertThat(copies(result, Finding.Kind.UNLOCATED)).hasSize(3);
    assertThat(result.findings().get(0).firstWindow()).isEqualTo(68);
  }

  @Test
  void aReplicaWithWrongChecksumsIsLocated() throws IOException {
    FakeGroup group = FakeGroup.replicated(3, 70_001);
    Copy wrong = group.copy(0, 1);
    group.damage(wrong, 5000);
    group.badChunks.put(wrong, 4608L);

    GroupResult result = check(group);

    assertThat(copies(result, Finding.Kind.WRONG_BYTES)).containsExactly(wrong);
  }

  @Test
  void theLastReadableOfThreeReplicasIsNotChecked() throws IOException {
    FakeGroup group = FakeGroup.replicated(3, 5000);
    group.answer(group.copy(0, 0), 99, down());
    group.bytes.remove(group.copy(0, 1));

    GroupResult result = check(group);

    assertThat(kinds(result)).contains(Finding.Kind.MISSING, Finding.Kind.NOT_CHECKED);
    assertThat(result.comparedWindows()).isZero();
  }

  @Test
  void comparesBytesOfOneGroupAtATimeWhateverTheSeed() {
    CheckSettings other = FakeGroup.SETTINGS.withSeed(8);
    assertThat(other.seed()).isEqualTo(8);
    assertThat(other.comparison()).isSameAs(FakeGroup.SETTINGS.comparison());
  }
}
