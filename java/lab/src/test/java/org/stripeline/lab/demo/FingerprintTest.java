// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.lab.demo.Fingerprint.ContentDigest;

class FingerprintTest {

  private static final int PIECE = Fingerprint.PIECE_BYTES;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 17})
  void doesNotDependOnHowBytesArrive(int length) {
    byte[] content = content(length);
    Fingerprint atOnce = digest(ContentDigest.full(), content, Math.max(1, length));
    Fingerprint inParts = digest(ContentDigest.full(), content, 65_537);

    assertThat(atOnce.difference(inParts)).isNull();
    assertThat(inParts.length()).isEqualTo(length);
    assertThat(inParts.sha256()).isEqualTo(atOnce.sha256());
  }

  @Test
  void readsFiles(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("file");
    Files.write(file, "abc".getBytes(StandardCharsets.US_ASCII));

    // FIPS 180-2, example B.1.
    assertThat(Fingerprint.of(file).sha256())
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, PIECE - 1, PIECE, 2 * PIECE + 99})
  void namesThePieceOfOneFlippedBit(int at) {
    byte[] content = content(2 * PIECE + 100);
    Fingerprint expected = digest(ContentDigest.full(), content, PIECE);
    content[at] ^= 0x10;

    long start = at / PIECE * (long) PIECE;
    long end = Math.min(start + PIECE, content.length) - 1;
    String place = "bytes " + start + " to " + end + " differ";
    assertThat(expected.difference(digest(ContentDigest.quick(), content, PIECE)))
        .startsWith(place);
    assertThat(expected.difference(digest(ContentDigest.full(), content, PIECE)))
        .startsWith(place);
  }

  @Test
  void noticesMissingAndAddedBytes() {
    byte[] content = content(PIECE + 10);
    Fingerprint expected = digest(ContentDigest.full(), content, PIECE);
    byte[] shorter = Arrays.copyOf(content, PIECE + 9);
    byte[] longer = Arrays.copyOf(content, PIECE + 11);

    assertThat(expected.difference(digest(ContentDigest.quick(), shorter, PIECE)))
        .isEqualTo(
            "length is 1048585 bytes, should be 1048586 (the first 1048576 bytes agree where"
                + " compared)");
    assertThat(expected.difference(digest(ContentDigest.quick(), longer, PIECE)))
        .startsWith("length is 1048587 bytes, should be 1048586");
    assertThat(expected.difference(digest(ContentDigest.quick(), new byte[0], PIECE)))
        .startsWith("length is 0 bytes");
  }

  private static Fingerprint digest(ContentDigest digest, byte[] content, int step) {
    for (int at = 0; at < content.length; at += step) {
      digest.update(content, at, Math.min(step, content.length - at));
    }
    return digest.finish();
  }

  private static byte[] content(int length) {
    byte[] content = new byte[length];
    new Random(7).nextBytes(content);
    return content;
  }
}
