// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.stripeline.natives.codec.ChecksumKind;
import org.stripeline.natives.codec.ChunkChecksums;

/**
 * Tests fingerprints without the native library, against the golden vectors and wrong arguments.
 */
class FingerprintTest {
  private static final int WINDOW_BYTES = 16 * 1024;

  /** Whether the native library sums. */
  boolean isNative() {
    return false;
  }

  final Fingerprint open(FingerprintFunction function) {
    return new Fingerprint(function, isNative());
  }

  @Test
  void goldenVectors() throws IOException {
    int cases = 0;
    try (Reader reader =
        Files.newBufferedReader(
            Paths.get(System.getProperty("stripeline.root"), "vectors", "fingerprint.json"))) {
      JsonObject json = new Gson().fromJson(reader, JsonObject.class);
      for (JsonElement element : json.getAsJsonArray("cases")) {
        verify(element.getAsJsonObject());
        cases++;
      }
    }
    assertThat(cases).isEqualTo(48);
  }

  private void verify(JsonObject json) {
    long seed = Long.parseUnsignedLong(json.get("seed").getAsString(), 16);
    int sums = json.get("sums").getAsInt();
    FingerprintFunction function =
        new FingerprintFunction(seed, sums, FingerprintFunction.WINDOW_BYTES_MAX);
    ByteBuffer coefficients = function.coefficients();
    int[] crc = new int[1];
    new ChunkChecksums(ChecksumKind.CRC32C, Integer.MAX_VALUE)
        .computeDirect(
            new ByteBuffer[] {coefficients}, new int[1], coefficients.capacity(), crc, 0);
    assertThat(String.format("%08x", crc[0]))
        .isEqualTo(json.get("coefficients_crc32c").getAsString());
    byte[] window = unhex(json.get("window").getAsString());
    byte[] expected = unhex(json.get("fingerprint").getAsString());
    Fingerprint fingerprint = open(function);
    fingerprint.update(ByteBuffer.wrap(window));
    assertThat(fingerprint.take()).isEqualTo(expected);
    fingerprint.update(direct(window, 0, window.length / 3));
    fingerprint.update(direct(window, window.length / 3, window.length));
    assertThat(fingerprint.take()).isEqualTo(expected);
  }

  @Test
  void everyPieceAndKindOfBufferGivesOneFingerprint() {
    Random random = new Random(70);
    byte[] window = new byte[FingerprintFunction.WINDOW_BYTES];
    random.nextBytes(window);
    FingerprintFunction function = new FingerprintFunction(5, 2, window.length);
    Fingerprint reference = new Fingerprint(function, false);
    reference.update(ByteBuffer.wrap(window));
    byte[] expected = reference.take();
    Fingerprint fingerprint = open(function);
    for (int most : new int[] {1_000, 70_000, window.length}) {
      int at = 0;
      while (at < window.length) {
        int end = Math.min(window.length, at + 1 + random.nextInt(most));
        ByteBuffer piece = ByteBuffer.wrap(window, at, end - at);
        fingerprint.update(
            random.nextBoolean() ? piece.asReadOnlyBuffer() : direct(window, at, end));
        assertThat(piece.position()).isEqualTo(at);
        at = end;
      }
      assertThat(fingerprint.remaining()).isZero();
      assertThat(fingerprint.take()).isEqualTo(expected);
    }
  }

  @Test
  void checksumsComeWithTheFingerprint() {
    Random random = new Random(71);
    FingerprintFunction function = new FingerprintFunction(-1, 2, WINDOW_BYTES);
    Fingerprint fingerprint = open(function);
    for (int length : new int[] {0, 1, 511, 512, 513, 5_000, WINDOW_BYTES}) {
      byte[] window = new byte[length];
      random.nextBytes(window);
      fingerprint.update(ByteBuffer.wrap(window));
      byte[] expected = fingerprint.take();
      for (int bytes : new int[] {1, 100, 512, 1_000_000}) {
        int count = (length + bytes - 1) / bytes;
        int[] sums = new int[count];
        for (int chunk = 0; chunk < count; chunk++) {
          CRC32 crc = new CRC32();
          crc.update(window, chunk * bytes, Math.min(bytes, length - chunk * bytes));
          sums[chunk] = (int) crc.getValue();
        }
        for (ByteBuffer data :
            new ByteBuffer[] {ByteBuffer.wrap(window), direct(window, 0, length)}) {
          int[] computed = new int[count];
          fingerprint.updateWithChecksums(data, ChecksumKind.CRC32, bytes, computed);
          assertThat(fingerprint.take()).isEqualTo(expected);
          assertThat(computed).isEqualTo(sums);
        }
      }
    }
  }

  @Test
  void crc32cIsTheOtherKind() {
    Fingerprint fingerprint = open(new FingerprintFunction(0, 1, 64));
    int[] sums = new int[1];
    byte[] digits = "123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    fingerprint.updateWithChecksums(direct(digits, 0, 9), ChecksumKind.CRC32C, 512, sums);
    assertThat(sums).containsExactly(0xe3069283);
  }

  @Test
  void wrongParametersAreRefused() {
    for (int sums : new int[] {Integer.MIN_VALUE, -1, 0, 5}) {
      assertThatThrownBy(() -> new FingerprintFunction(1, sums, WINDOW_BYTES))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "Cannot build a fingerprinting function: sums asked for: %s, allowed: 1 to 4", sums);
    }
    for (int window : new int[] {Integer.MIN_VALUE, 0, 63, 65, (2 << 20) + 64}) {
      assertThatThrownBy(() -> new FingerprintFunction(1, 2, window))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "Cannot build a fingerprinting function: the window is %s bytes, allowed: multiples "
                  + "of 64 up to 2097152",
              window);
    }
  }

  @Test
  void argumentsThatDoNotFitAreRefusedAndChangeNothing() {
    Fingerprint fingerprint = open(new FingerprintFunction(1, 2, 128));
    ByteBuffer data = direct(new byte[100], 0, 100);
    data.put(3, (byte) 9);
    fingerprint.update(data);
    ChecksumKind kind = ChecksumKind.CRC32C;
    String full = "bytes given: 29, the window takes: 28";
    ByteBuffer more = ByteBuffer.allocateDirect(29);
    ByteBuffer fits = ByteBuffer.allocateDirect(28);
    refused(() -> fingerprint.update(more), full);
    refused(() -> fingerprint.updateWithChecksums(more, kind, 512, new int[1]), full);
    refused(() -> fingerprint.update(null), "the data is null");
    refused(
        () -> fingerprint.updateWithChecksums(fits, null, 512, new int[1]),
        "the kind of checksum is null");
    refused(
        () -> fingerprint.updateWithChecksums(fits, kind, 0, new int[1]),
        "bytes per checksum is 0, at least 1 needed");
    refused(
        () -> fingerprint.updateWithChecksums(fits, kind, -7, new int[1]),
        "bytes per checksum is -7, at least 1 needed");
    refused(
        () -> fingerprint.updateWithChecksums(fits, kind, 14, new int[3]),
        "checksums given: 3, needed: 2");
    refused(
        () -> fingerprint.updateWithChecksums(fits, kind, 14, null),
        "checksums given: null, needed: 2");
    assertThat(fingerprint.remaining()).isEqualTo(28);
    byte[] found = fingerprint.take();
    fingerprint.update(data);
    assertThat(fingerprint.take()).isEqualTo(found);
  }

  private static void refused(Runnable call, String reason) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot add to the fingerprint: " + reason);
  }

  private static ByteBuffer direct(byte[] bytes, int from, int to) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(to - from + 7);
    buffer.position(3);
    buffer.put(bytes, from, to - from);
    buffer.flip();
    buffer.position(3);
    return buffer;
  }

  private static byte[] unhex(String text) {
    byte[] bytes = new byte[text.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }
}
