// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class Crc32cTest {
  @Test
  void agreesWithThePlatform() {
    Crc32c ours = new Crc32c();
    CRC32C theirs = new CRC32C();
    Random random = new Random(3);
    for (int length = 0; length < 600; length += 7) {
      byte[] bytes = new byte[length + 10];
      random.nextBytes(bytes);
      ours.update(bytes, 3, length);
      theirs.update(bytes, 3, length);
      ours.update(length);
      theirs.update(length);
      assertThat(ours.getValue()).isEqualTo(theirs.getValue());
    }
    ours.reset();
    assertThat(ours.getValue()).isZero();
  }

  @Test
  void prefersThePlatform() {
    assertThat(Crc32c.create()).isInstanceOf(CRC32C.class);
  }
}
