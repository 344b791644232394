// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class MapWavesTest {
  /** A thread with an interrupt flag cannot write to the journal that it rolls its file back. */
  @Test
  void anEndedQueueRefusesOrdersWithoutAnInterrupt() {
    MapWaves waves = new MapWaves(null, null);
    waves.close();

    assertThatThrownBy(
            () ->
                waves.add(new GroupOrder("/tmp", 0, "/rack", Collections.emptyList()), null, null))
        .isExactlyInstanceOf(IOException.class)
        .hasMessage("Cannot run maps: the job is ending");
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }
}
