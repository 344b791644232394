// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.stripeline.convert.rules.SpaceNeed;
import org.stripeline.convert.settings.Layout;
import org.stripeline.plan.source.PlannedFile;
import org.stripeline.plan.source.PlannedFiles;

/** The space that a conversion needs while it runs. */
class SpaceNeedTest {
  @Test
  void adoptionWritesOnlyParityAndACopyTheWholeFile() {
    PlannedFile file = PlannedFiles.of("/a", 100, 3, 100, 100, 100, 100, 100, 100);

    assertThat(SpaceNeed.of(file, Layout.CONTIGUOUS, 900)).isEqualTo(300);
    assertThat(SpaceNeed.of(file, Layout.STRIPED, 900)).isEqualTo(900);
  }

  @Test
  void theLargestFilesInProgressCountAndAllWhoseReplicasStay() {
    SpaceNeed need = new SpaceNeed();
    for (long bytes = 1; bytes <= 1000; bytes++) {
      need.add(bytes, false);
    }
    assertThat(need.peak(1)).isEqualTo(1000);
    assertThat(need.peak(4)).isEqualTo(1000 + 999 + 998 + 997);
    assertThat(need.peak(SpaceNeed.FILES_MAX)).isEqualTo((1000 + 937) * 32L);

    need.add(7, true);
    need.add(5, true);
    assertThat(need.kept()).isEqualTo(12);
    assertThat(need.peak(1)).isEqualTo(1012);

    SpaceNeed all = new SpaceNeed();
    all.add(1001, false);
    all.add(need);
    assertThat(all.peak(2)).isEqualTo(1001 + 1000 + 12);
  }
}
