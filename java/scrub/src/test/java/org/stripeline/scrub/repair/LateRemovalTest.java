// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.repair.RepairRecord.State;

/** Wrong replicas are removed if HDFS has not replaced them half of the time after a report. */
class LateRemovalTest extends RepairFixture {
  /** Rebuilds nothing before the replica of a unit was removed. */
  private class AwaitingRemoval extends Cluster {
    private final int unit;

    AwaitingRemoval(int unit) {
      this.unit = unit;
    }

    @Override
    public void pause() throws IOException {
      rebuilds = steps.contains("remove " + unit);
      super.pause();
    }
  }

  @Test
  void removesWhatHdfsCannotPlaceElsewhere() throws IOException {
    group.damage(group.copy(1), 100);
    cluster = new AwaitingRemoval(1);

    assertThat(repair().state()).isEqualTo(State.REPAIRED);
    assertThat(steps)
        .endsWith("check", "keep 1", "report 1", "remove 1", "check", "audit REPAIRED");
  }

  private static BlockFingerprints noConnection() throws IOException {
    throw new IOException("no connection");
  }

  @Test
  void removesNothingIfOthersWereLostSinceItWasReported() throws IOException {
    group.damage(group.copy(1), 100);
    Copy wrong = group.copy(1);
    List<Copy> others = List.of(group.copy(0), group.copy(4));
    for (boolean isListed : new boolean[] {false, true}) {
      steps.clear();
      byte[] wrongBytes = group.bytes.get(wrong);
      cluster =
          new Cluster() {
            @Override
            public void pause() throws IOException {
              // The NameNode lists a DataNode that died for more than ten minutes.
              if (!isListed) {
                others.forEach(group.bytes::remove);
              } else if (millis == 0) {
                others.forEach(copy -> group.answer(copy, 1000, request -> noConnection()));
              }
              super.pause();
            }
          };
      cluster.rebuilds = false;

      RepairRecord record = repair();
      assertThat(record.state()).isEqualTo(State.PENDING);
      assertThat(record.text()).contains("the wrong replicas remain");
      assertThat(steps).doesNotContain("remove 1").endsWith("check", "audit PENDING");

      others.forEach(copy -> group.bytes.put(copy, right.get(copy)));
      group.bytes.put(wrong, wrongBytes);
    }
  }

  @Test
  void removesLaterIfTheOthersCouldNotBeCheckedAtFirst() throws IOException {
    group.damage(group.copy(1), 100);
    cluster =
        new AwaitingRemoval(1) {
          @Override
          public GroupResult check() throws IOException {
            group.isGone = millis > 0 && millis < 75_000;
            try {
              return super.check();
            } finally {
              group.isGone = false;
            }
          }
        };

    RepairRecord record = repair();
    assertThat(record.state()).as(record.text()).isEqualTo(State.REPAIRED);
    assertThat(steps)
        .endsWith("check", "check", "keep 1", "report 1", "remove 1", "check", "audit REPAIRED");
    assertThat(cluster.millis).isBetween(80_000L, 85_000L);
  }

  /** Nothing remains to compare the others with; they were compared before. */
  @Test
  void removesAsManyBlocksAsThereIsParity() throws IOException {
    group.damage(group.copy(0), 100);
    group.damage(group.copy(4), 3000);
    cluster = new AwaitingRemoval(4);

    RepairRecord record = repair();
    assertThat(record.state()).as(record.text()).isEqualTo(State.REPAIRED);
    assertThat(steps).containsSubsequence("report 0", "report 4", "check", "remove 0", "remove 4");
  }
}
