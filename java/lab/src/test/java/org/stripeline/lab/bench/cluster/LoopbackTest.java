// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class LoopbackTest {
  @Test
  void bytesAreTheFirstNumberOfItsLine() throws IOException {
    String header = " face |bytes    packets errs drop fifo frame compressed multicast|bytes";
    assertThat(Loopback.parse(Arrays.asList(header, "  eth0: 5 1", "    lo: 123 4 0 0 0")))
        .isEqualTo(123);
    assertThat(Loopback.parse(Arrays.asList(header, "lo:98765432101 4 0"))).isEqualTo(98765432101L);
    assertThatThrownBy(() -> Loopback.parse(Collections.singletonList(header)))
        .hasMessageContaining("no line for lo");
  }
}
