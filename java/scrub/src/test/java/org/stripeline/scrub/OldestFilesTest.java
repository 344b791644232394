// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stripeline.scrub.OldestFiles.Entry;

class OldestFilesTest {

  private static Entry file(int number) {
    // Files of one time are ordered by their paths.
    return new Entry("/f" + number, number, number / 2, 10, 3, 0);
  }

  @Test
  void severalRoundsVisitEachFileOnceOldestFirst() {
    List<Long> visited = new ArrayList<>();
    Entry after = null;
    boolean hasMore = true;
    int rounds = 0;
    while (hasMore) {
      OldestFiles files = new OldestFiles(3, after);
      for (int number = 7; number >= 0; number--) {
        files.offer(file(number));
      }
      assertThat(files.files()).isEqualTo(8 - visited.size());
      assertThat(files.bytes()).isEqualTo(10 * files.files());
      hasMore = files.hasMore();
      for (Entry entry : files.inOrder()) {
        visited.add(entry.fileId);
        after = entry;
      }
      rounds++;
    }

    assertThat(visited).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    assertThat(rounds).isEqualTo(3);
  }

  @Test
  void filesThatWereTriedLongestAgoComeFirst() {
    OldestFiles files = new OldestFiles(3, null);
    files.offer(new Entry("/lately", 1, 1, 10, 3, 200));
    files.offer(new Entry("/earlier", 2, 3, 10, 3, 100));
    files.offer(new Entry("/never", 3, 9, 10, 3, 0));

    assertThat(files.inOrder()).extracting(entry -> entry.fileId).containsExactly(3L, 2L, 1L);
  }

  @Test
  void anEmptyTreeHasNoFiles() {
    OldestFiles files = new OldestFiles(3, null);

    assertThat(files.hasMore()).isFalse();
    assertThat(files.inOrder()).isEmpty();
  }
}
