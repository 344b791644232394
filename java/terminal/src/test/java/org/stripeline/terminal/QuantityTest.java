// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuantityTest {
  @Test
  void quantitiesAreShort() {
    assertThat(Quantity.bytes(0)).isEqualTo("0 B");
    assertThat(Quantity.bytes(1023)).isEqualTo("1023 B");
    assertThat(Quantity.bytes(1536)).isEqualTo("1.50 KiB");
    assertThat(Quantity.bytes(-1536)).isEqualTo("-1.50 KiB");
    assertThat(Quantity.bytes(123.4 * (1 << 30))).isEqualTo("123 GiB");
    assertThat(Quantity.bytes(12.34 * (1L << 40))).isEqualTo("12.3 TiB");
    assertThat(Quantity.percent(1, 3)).isEqualTo("33.3 %");
    assertThat(Quantity.percent(1, 0)).isEqualTo("-");
    assertThat(Quantity.counted(1, "file")).isEqualTo("1 file");
    assertThat(Quantity.counted(0, "file")).isEqualTo("0 files");
    assertThat(ByteSize.parse("2TiB").bytes()).isEqualTo(2L << 40);
    assertThat(Quantity.duration(0.2)).isEqualTo("1 s");
    assertThat(Quantity.duration(200)).isEqualTo("3 min 20 s");
    assertThat(Quantity.duration(18_600)).isEqualTo("5 h 10 min");
    assertThat(Quantity.duration(12 * 86_400 + 3 * 3600)).isEqualTo("12 d 3 h");
  }
}
