// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.junit.jupiter.api.Test;
import org.stripeline.natives.codec.Code;

class LayoutTest {

  @Test
  void internalBlocksHaveTheLengthsThatHadoopGivesThem() {
    Layout layout = Layout.striped(Code.RS, 6, 3, 4096);
    for (long bytes = 0; bytes < 3 * 6 * 4096; bytes += 511) {
      for (int unit = 0; unit < 9; unit++) {
        assertThat(layout.unitBytes(unit, bytes))
            .as("unit %d of %d bytes", unit, bytes)
            .isEqualTo(StripedBlockUtil.getInternalBlockLength(bytes, 4096, 6, unit));
      }
    }
  }

  @Test
  void aStripeMayBeLongerThanAnInt() {
    Layout layout = Layout.striped(Code.RS, 10, 4, 1L << 30);

    assertThat(layout.unitBytes(9, 10L << 30)).isEqualTo(1L << 30);
    assertThat(layout.unitBytes(1, (1L << 30) + 5)).isEqualTo(5);
    assertThat(layout.unitBytes(13, (1L << 30) + 5)).isEqualTo(1L << 30);
  }

  @Test
  void aReplicatedBlockIsOneUnit() {
    assertThat(Layout.replicated().unitBytes(0, 12345)).isEqualTo(12345);
    assertThat(Layout.replicated().units()).isEqualTo(1);
  }
}
