// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BlockFingerprints.Outcome;
import org.stripeline.agent.QuarantinedReplica;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.FakeGroup;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.repair.RepairRecord.State;

/** The steps of a repair, with a group and a NameNode that do what tests want. */
class GroupRepairTest extends RepairFixture {
  @Test
  void keepsThenReportsThenChecksAgain() throws IOException {
    group.damage(group.copy(1), 100);

    assertThat(repair(false, Set.of()).state()).isEqualTo(State.PLANNED);
    assertThat(steps).isEmpty();

    RepairRecord record = repair();
    assertThat(record.state()).as(record.text()).isEqualTo(State.REPAIRED);
    assertThat(record.quarantine()).containsValues("/kept/1");
    assertThat(steps)
        .containsExactly(
            "keep 1", "check", "audit BEGUN", "keep 1", "report 1", "check", "audit REPAIRED");
    assertThat(check().isHealthy()).isTrue();
  }

  @Test
  void replacesAllWrongReplicasOfAGroupTogether() throws IOException {
    group.damage(group.copy(0), 100);
    group.damage(group.copy(4), 3000);

    assertThat(repair().state()).isEqualTo(State.REPAIRED);
    assertThat(steps)
        .containsSubsequence("keep 0", "keep 4", "check", "audit BEGUN")
        .endsWith("keep 0", "keep 4", "report 0", "report 4", "check", "audit REPAIRED");
  }

  @Test
  void leavesUnlocatedDamageUnlessDataIsTrusted() throws IOException {
    group.damage(group.copy(3), 100);
    group.damage(group.copy(4), 101);
    byte[] wrong = group.bytes.get(group.copy(3)).clone();

    assertThat(repair().state()).isEqualTo(State.REFUSED);
    assertThat(steps).isEmpty();
    assertThat(repair(true, Set.of(Trust.DATA)).state()).isEqualTo(State.REPAIRED);
    assertThat(group.bytes.get(group.copy(3))).isNotEqualTo(wrong);
    assertThat(check().isHealthy()).isTrue();
  }

  @Test
  void reportsNoRightReplicaThatTookThePlaceOfAWrongOne() throws IOException {
    group.damage(group.copy(1), 100);
    cluster =
        new Cluster() {
          @Override
          public QuarantinedReplica quarantine(Copy copy, boolean remove) throws IOException {
            group.bytes.put(copy, right.get(copy));
            return super.quarantine(copy, remove);
          }
        };

    assertThat(repair().state()).isEqualTo(State.CHANGED);
    assertThat(steps).containsExactly("keep 1", "check");
  }

  /** Another repair may have replaced it while this process was stopped. */
  @Test
  void reportsNoRightReplicaThatTookThePlaceOfAWrongOneAfterTheSecondCheck() throws IOException {
    group.damage(group.copy(1), 100);
    cluster =
        new Cluster() {
          @Override
          public QuarantinedReplica quarantine(Copy copy, boolean remove) throws IOException {
            QuarantinedReplica kept = super.quarantine(copy, remove);
            boolean isReplaced = steps.contains("audit BEGUN");
            return isReplaced ? new QuarantinedReplica("/kept/right", 0, remove) : kept;
          }
        };

    for (int free : new int[] {2, 0}) {
      cluster.free = free;
      steps.clear();
      assertThat(repair().state()).isEqualTo(State.CHANGED);
      assertThat(steps)
          .containsExactly("keep 1", "check", "audit BEGUN", "keep 1", "audit CHANGED");
    }
  }

  @Test
  void reportsNothingIfTheGroupChangedMeanwhile() throws IOException {
    group.damage(group.copy(1), 100);
    cluster =
        new Cluster() {
          @Override
          public GroupResult check() throws IOException {
            GroupResult result = super.check();
            group.put(2, 77, group.bytes.remove(group.copy(2)));
            return result;
          }
        };

    assertThat(repair().state()).isEqualTo(State.CHANGED);
    assertThat(steps).containsExactly("keep 1", "check");
  }

  @Test
  void reportsNothingIfAReplicaIsNotKept() throws IOException {
    group.damage(group.copy(0), 100);
    group.damage(group.copy(4), 3000);
    cluster =
        new Cluster() {
          @Override
          public QuarantinedReplica quarantine(Copy copy, boolean remove) throws IOException {
            if (copy.unit == 4) {
              throw new AgentException(AgentException.Kind.FAILED, "the quarantine is full");
            }
            return super.quarantine(copy, remove);
          }
        };

    RepairRecord record = repair();
    assertThat(record.state()).isEqualTo(State.FAILED);
    assertThat(record.text()).contains("the quarantine is full");
    assertThat(steps).containsExactly("keep 0");
  }

  @Test
  void reportsNothingWithoutARecord() throws IOException {
    group.damage(group.copy(0), 100);
    cluster =
        new Cluster() {
          @Override
          public void audit(RepairRecord record) throws IOException {
            throw new IOException("no space");
          }
        };

    assertThat(repair().state()).isEqualTo(State.FAILED);
    assertThat(steps).containsExactly("keep 0", "check");
  }

  @Test
  void reportsAgainIfTheNameNodeForgets() throws IOException {
    group.damage(group.copy(1), 100);
    Copy wrong = group.copy(1);
    byte[] bytes = group.bytes.get(wrong).clone();
    cluster =
        new Cluster() {
          private int pauses;

          @Override
          public void pause() throws IOException {
            pauses++;
            if (pauses == 1) {
              lost.clear();
              group.bytes.put(wrong, bytes);
            }
            super.pause();
          }
        };

    assertThat(repair().state()).isEqualTo(State.REPAIRED);
    assertThat(steps).filteredOn("report 1"::equals).hasSize(2);
    assertThat(cluster.millis).isBetween(30_000L, 35_000L);
  }

  @Test
  void reportsNoRightReplicaThatTookThePlaceOfAnotherReportedBefore() throws IOException {
    group.damage(group.copy(0), 100);
    group.damage(group.copy(4), 3000);
    Copy wrong = group.copy(0);
    Copy other = group.copy(4);
    cluster =
        new Cluster() {
          @Override
          public QuarantinedReplica quarantine(Copy copy, boolean remove) throws IOException {
            boolean isOther = steps.contains("report 0");
            QuarantinedReplica kept = super.quarantine(copy, remove);
            return isOther ? new QuarantinedReplica("/kept/right", 0, false) : kept;
          }

          @Override
          public void pause() {
            millis += 1000;
            group.bytes.put(wrong, right.get(wrong));
            if (millis > 40_000 && !lost.isEmpty()) {
              lost.clear();
              group.put(4, newNode, right.get(other));
            }
          }
        };

    RepairRecord record = repair();
    assertThat(record.state()).as(record.text()).isEqualTo(State.REPAIRED);
    assertThat(steps).filteredOn("report 0"::equals).hasSize(1);
  }

  @Test
  void reportsAllBeforeItRemovesAnyIfTooFewDataNodesAreFree() throws IOException {
    group.damage(group.copy(0), 100);
    group.damage(group.copy(4), 3000);
    cluster.free = 1;

    assertThat(repair().state()).isEqualTo(State.REPAIRED);
    assertThat(steps)
        .containsSubsequence("audit BEGUN", "report 0", "report 4", "remove 0", "remove 4");
  }

  @Test
  void removesAndReportsNothingIfNoDataNodeIsFree() throws IOException {
    group.damage(group.copy(1), 100);
    cluster.free = 0;

    assertThat(repair().state()).isEqualTo(State.REPAIRED);
    assertThat(steps)
        .containsExactly(
            "keep 1", "check", "audit BEGUN", "keep 1", "remove 1", "check", "audit REPAIRED");
  }

  @Test
  void waitsUntilTheNameNodeKnowsThatABlockWasRemoved() throws IOException {
    group.damage(group.copy(1), 100);
    Copy wrong = group.copy(1);
    byte[] bytes = group.bytes.get(wrong);
    cluster =
        new Cluster() {
          private int pauses;

          @Override
          public QuarantinedReplica quarantine(Copy copy, boolean remove) throws IOException {
            QuarantinedReplica kept = super.quarantine(copy, remove);
            group.bytes.put(wrong, bytes);
            return kept;
          }

          @Override
          public void pause() throws IOException {
            pauses++;
            millis += 1000;
            if (pauses == 3) {
              group.bytes.remove(wrong);
            } else if (pauses == 5) {
              group.bytes.put(wrong, right.get(wrong));
            }
          }
        };
    cluster.free = 0;

    RepairRecord record = repair();
    assertThat(record.state()).as(record.text()).isEqualTo(State.REPAIRED);
  }

  @Test
  void recordsThatItFailedAfterItBegan() throws IOException {
    group.damage(group.copy(1), 100);
    cluster =
        new Cluster() {
          @Override
          public void report(Collection<Copy> copies) throws IOException {
            throw new IOException("safe mode");
          }
        };

    RepairRecord record = repair();
    assertThat(record.state()).isEqualTo(State.FAILED);
    assertThat(record.text()).contains("safe mode");
    assertThat(steps).containsExactly("keep 1", "check", "audit BEGUN", "keep 1", "audit FAILED");
  }

  @Test
  void saysThatHdfsHasNotReplacedABlockInTime() throws IOException {
    group.damage(group.copy(1), 100);
    cluster.rebuilds = false;

    RepairRecord record = repair();
    assertThat(record.state()).isEqualTo(State.PENDING);
    assertThat(record.text()).contains("0 of 1 replicas of unit 1").contains("100 s");
    assertThat(steps).endsWith("remove 1", "audit PENDING");
  }

  @Test
  void saysThatTheRebuiltBlockIsWrongToo() throws IOException {
    group.damage(group.copy(1), 100);
    cluster =
        new Cluster() {
          @Override
          byte[] rebuilt(Copy copy) {
            byte[] bytes = super.rebuilt(copy).clone();
            bytes[5] ^= 1;
            return bytes;
          }
        };

    RepairRecord record = repair();
    assertThat(record.state()).isEqualTo(State.STILL_DAMAGED);
    assertThat(record.text()).contains("WRONG_BYTES unit 1");
    assertThat(steps).endsWith("check", "audit STILL_DAMAGED");
  }

  @Test
  void keepsNoReplicaThatIsAbsent() throws IOException {
    Copy absent = group.copy(2);
    group.answer(absent, 8, FakeGroup.outcome(Outcome.ABSENT, 0, 0));
    cluster =
        new Cluster() {
          @Override
          public QuarantinedReplica quarantine(Copy copy, boolean remove) throws IOException {
            super.quarantine(copy, remove);
            return new QuarantinedReplica(null, 0, false);
          }
        };

    RepairRecord record = repair();
    assertThat(record.state()).as(record.text()).isEqualTo(State.REPAIRED);
    assertThat(record.quarantine()).isEmpty();
  }

  @Test
  void reportsNothingIfAReplicaIsGone() throws IOException {
    group.damage(group.copy(1), 100);
    cluster =
        new Cluster() {
          @Override
          public QuarantinedReplica quarantine(Copy copy, boolean remove) {
            return new QuarantinedReplica(null, 0, false);
          }
        };

    assertThat(repair().state()).isEqualTo(State.CHANGED);
    assertThat(steps).containsExactly("check");
  }

  @Test
  void endsWithTheThreadThatIsInterrupted() throws IOException {
    group.damage(group.copy(1), 100);
    GroupResult checked = check();
    cluster =
        new Cluster() {
          @Override
          public void pause() throws IOException {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
          }
        };

    try {
      GroupRepair repair = new GroupRepair(cluster, true, Set.of(), WAIT_MILLIS);
      assertThatThrownBy(() -> repair.run(checked)).isInstanceOf(InterruptedIOException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void replacesAReplicaAmongOthersThatAreEqual() throws IOException {
    group = FakeGroup.replicated(3, 5000);
    right = new LinkedHashMap<>(group.bytes);
    right.replaceAll((copy, bytes) -> bytes.clone());
    Copy wrong = group.copy(0);
    group.bytes.put(wrong, Arrays.copyOf(group.bytes.get(wrong), 4000));

    RepairRecord record = repair();
    assertThat(record.state()).as(record.text()).isEqualTo(State.REPAIRED);
    assertThat(group.bytes).doesNotContainKey(wrong).hasSize(3);
  }
}
