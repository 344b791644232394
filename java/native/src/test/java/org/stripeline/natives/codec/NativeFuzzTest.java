// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.stripeline.natives.library.NeedsNativeLibrary;

/**
 * Calls the native methods with random arguments, bypassing the checks in Java. Each call either
 * succeeds with the same result as the Java codec, or throws; none may crash the JVM.
 */
@NeedsNativeLibrary
class NativeFuzzTest {
  private static final int CALLS = 30_000;
  private static final int K = 3;
  private static final int M = 2;

  private final Random random = new Random(20_240_601);
  private final long handle = NativeBridge.open(Code.RS.id(), K, M);
  private final JavaCodec reference = new JavaCodec(Code.RS, K, M);
  private int succeeded;
  private int refused;

  @Test
  void randomArgumentsNeverCrash() throws Exception {
    for (int i = 0; i < CALLS; i++) {
      try {
        call(i % 9);
        succeeded++;
      } catch (IllegalArgumentException | IOException e) {
        assertThat(e.getMessage()).startsWith("Cannot ");
        refused++;
      }
    }
    // Both must be frequent, or the test would verify nothing.
    assertThat(succeeded).isGreaterThan(CALLS / 20);
    assertThat(refused).isGreaterThan(CALLS / 20);
  }

  @Test
  void unknownHandlesAreRefused() {
    for (long bad : new long[] {0, -1, 1, 0xdeadbeefL, Long.MIN_VALUE, handle + 1}) {
      if (isHandle(bad)) {
        continue;
      }
      assertThatThrownBy(() -> NativeBridge.verifyHeap(bad, new byte[5][1], new int[5], 1))
          .as("handle %d", bad)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void panicBecomesAnException() {
    assertThatThrownBy(NativeBridge::panic)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("panic");
    // The library must remain usable.
    assertThat(NativeBridge.abiVersion()).isEqualTo(NativeBridge.ABI_VERSION);
  }

  @Test
  void openRefusesUnknownCodes() {
    assertThatThrownBy(() -> NativeBridge.open(7, 6, 3))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> NativeBridge.open(0, 0, 3))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> NativeBridge.open(0, 250, 7))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> NativeBridge.open(0, Integer.MIN_VALUE, Integer.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private boolean isHandle(long value) {
    // Handles may be small numbers, and other tests may have opened more codecs.
    for (Code code : Code.values()) {
      for (int k = 1; k < 20; k++) {
        for (int m = 1; m < (code == Code.XOR ? 2 : 6); m++) {
          if (NativeBridge.open(code.id(), k, m) == value) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private void call(int kind) throws IOException {
    int length = spoil(random.nextInt(300));
    switch (kind) {
      case 0:
        encodeDirect(length);
        break;
      case 1:
        encodeHeap(length);
        break;
      case 2:
        NativeBridge.decodeDirect(
            handle,
            directs(K + M, true),
            ints(K + M),
            erased(),
            directs(M, false),
            ints(M),
            length);
        break;
      case 3:
        NativeBridge.decodeHeap(
            handle, arrays(K + M, true), ints(K + M), erased(), arrays(M, false), ints(M), length);
        break;
      case 4:
        NativeBridge.verifyDirect(handle, directs(K + M, false), ints(K + M), length);
        break;
      case 5:
        NativeBridge.verifyHeap(handle, arrays(K + M, false), ints(K + M), length);
        break;
      case 6:
        NativeBridge.updateDirect(
            handle,
            spoil(random.nextInt(K)),
            direct(),
            position(),
            direct(),
            position(),
            directs(M, false),
            ints(M),
            length);
        break;
      case 7:
        NativeBridge.updateHeap(
            handle,
            spoil(random.nextInt(K)),
            array(),
            position(),
            array(),
            position(),
            arrays(M, false),
            ints(M),
            length);
        break;
      default:
        NativeBridge.encodeChecksumsDirect(
            handle,
            directs(K, false),
            ints(K),
            directs(M, false),
            ints(M),
            length,
            spoil(random.nextInt(2)),
            spoil(1 + random.nextInt(600)),
            rarely() ? null : new int[random.nextInt(4) * (K + M)]);
        break;
    }
  }

  private void encodeDirect(int length) throws IOException {
    ByteBuffer[] in = directs(K, false);
    ByteBuffer[] out = directs(M, false);
    int[] inPositions = ints(K);
    int[] outPositions = ints(M);
    NativeBridge.encodeDirect(handle, in, inPositions, out, outPositions, length);
    byte[][] expected = new byte[M][length];
    byte[][] data = new byte[K][length];
    for (int i = 0; i < K; i++) {
      copy(in[i], inPositions[i], data[i]);
    }
    reference.encode(data, new int[K], expected, new int[M], length);
    for (int i = 0; i < M; i++) {
      byte[] parity = new byte[length];
      copy(out[i], outPositions[i], parity);
      assertThat(parity).isEqualTo(expected[i]);
    }
  }

  private void encodeHeap(int length) throws IOException {
    byte[][] in = arrays(K, false);
    byte[][] out = arrays(M, false);
    int[] inOffsets = ints(K);
    int[] outOffsets = ints(M);
    NativeBridge.encodeHeap(handle, in, inOffsets, out, outOffsets, length);
    byte[][] expected = new byte[M][length];
    reference.encode(in, inOffsets, expected, new int[M], length);
    for (int i = 0; i < M; i++) {
      assertThat(Arrays.copyOfRange(out[i], outOffsets[i], outOffsets[i] + length))
          .isEqualTo(expected[i]);
    }
  }

  private static void copy(ByteBuffer from, int position, byte[] to) {
    ByteBuffer source = from.duplicate();
    source.clear();
    source.position(position);
    source.get(to);
  }

  private boolean rarely() {
    return random.nextInt(60) == 0;
  }

  /** Returns the value, or occasionally one that must be rejected. */
  private int spoil(int value) {
    if (!rarely()) {
      return value;
    }
    int[] bad = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 30, value + 1_000_000};
    return bad[random.nextInt(bad.length)];
  }

  private int position() {
    return spoil(random.nextInt(40));
  }

  private int[] ints(int count) {
    if (rarely()) {
      return null;
    }
    int[] ints = new int[spoilCount(count)];
    for (int i = 0; i < ints.length; i++) {
      ints[i] = position();
    }
    return ints;
  }

  private int spoilCount(int count) {
    return rarely() ? random.nextInt(300) : count;
  }

  private int[] erased() {
    if (rarely()) {
      return null;
    }
    int[] erased = new int[spoilCount(M)];
    for (int i = 0; i < erased.length; i++) {
      erased[i] = spoil(random.nextInt(K + M));
    }
    return erased;
  }

  private ByteBuffer direct() {
    if (rarely()) {
      return null;
    }
    if (rarely()) {
      return ByteBuffer.wrap(filledArray());
    }
    ByteBuffer buffer = ByteBuffer.allocateDirect(rarely() ? 0 : 340);
    for (int i = 0; i < buffer.capacity(); i++) {
      buffer.put(i, (byte) random.nextInt());
    }
    return rarely() ? buffer.asReadOnlyBuffer() : buffer;
  }

  private ByteBuffer[] directs(int count, boolean absent) {
    if (rarely()) {
      return null;
    }
    ByteBuffer[] buffers = new ByteBuffer[spoilCount(count)];
    for (int i = 0; i < buffers.length; i++) {
      buffers[i] = absent && random.nextInt(4) == 0 ? null : direct();
      if (i > 0 && rarely()) {
        buffers[i] = buffers[i - 1];
      }
    }
    return buffers;
  }

  private byte[] array() {
    return rarely() ? null : filledArray();
  }

  private byte[] filledArray() {
    byte[] array = new byte[rarely() ? 0 : 340];
    random.nextBytes(array);
    return array;
  }

  private byte[][] arrays(int count, boolean absent) {
    if (rarely()) {
      return null;
    }
    byte[][] arrays = new byte[spoilCount(count)][];
    for (int i = 0; i < arrays.length; i++) {
      arrays[i] = absent && random.nextInt(4) == 0 ? null : array();
      if (i > 0 && rarely()) {
        arrays[i] = arrays[i - 1];
      }
    }
    return arrays;
  }
}
