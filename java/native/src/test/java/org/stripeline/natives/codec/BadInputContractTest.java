// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.stripeline.natives.codec.Stripes.Placement;

/** Tests the arguments that every codec must reject, with the messages. */
public abstract class BadInputContractTest {
  private static final int LENGTH = 64;

  protected abstract ErasureCodec create(Code code, int dataUnits, int parityUnits);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "RS|0|3|Cannot create codec rs 0+3: both numbers of units must be at least 1",
        "RS|6|0|Cannot create codec rs 6+0: both numbers of units must be at least 1",
        "RS|-1|3|Cannot create codec rs -1+3: both numbers of units must be at least 1",
        "RS|200|57|Cannot create codec rs 200+57: it has at most 256 units, data and parity"
            + " together",
        "RS|2147483647|2147483647|Cannot create codec rs 2147483647+2147483647: it has at most 256 "
            + "units, data and parity together",
        "RS_LEGACY|253|3|Cannot create codec rs-legacy 253+3: it has at most 255 units, data and "
            + "parity together",
        "XOR|4|2|Cannot create codec xor 4+2: it has exactly 1 parity unit"
      })
  void parameters(Code code, int k, int m, String text) {
    assertThatThrownBy(() -> create(code, k, m))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(text);
  }

  @Test
  void theLargestCodesAreSupported() {
    create(Code.RS, 253, 3).close();
    create(Code.RS, 1, 255).close();
    create(Code.RS_LEGACY, 252, 3).close();
    create(Code.XOR, 255, 1).close();
  }

  @ParameterizedTest
  @EnumSource(Placement.class)
  void encodeNamesInvalidArguments(Placement placement) {
    ErasureCodec codec = create(Code.RS, 3, 2);
    ByteBuffer[] data = buffers(3, placement);
    ByteBuffer[] parity = buffers(2, placement);
    refused(() -> codec.encode(null, parity), "Cannot encode: the array of data units is null");
    refused(() -> codec.encode(data, null), "Cannot encode: the array of parity units is null");
    refused(
        () -> codec.encode(buffers(4, placement), parity),
        "Cannot encode: 4 data units are given, but rs 3+2 has 3");
    refused(
        () -> codec.encode(data, buffers(1, placement)),
        "Cannot encode: 1 parity units are given, but rs 3+2 has 2");
    refused(() -> codec.encode(with(data, 0, null), parity), "Cannot encode: data unit 0 is null");
    refused(() -> codec.encode(with(data, 2, null), parity), "Cannot encode: data unit 2 is null");
    refused(
        () -> codec.encode(data, with(parity, 1, null)), "Cannot encode: parity unit 1 is null");
    refused(
        () -> codec.encode(with(data, 1, buffer(LENGTH - 1, placement)), parity),
        "Cannot encode: data unit 1 has 63 bytes remaining, but data unit 0 has 64");
    refused(
        () -> codec.encode(data, with(parity, 0, buffer(LENGTH + 1, placement))),
        "Cannot encode: parity unit 0 has 65 bytes remaining, but data unit 0 has 64");
    refused(
        () -> codec.encode(data, with(parity, 1, parity[1].asReadOnlyBuffer())),
        "Cannot encode: parity unit 1 is read-only");
    Placement other = placement == Placement.HEAP ? Placement.DIRECT : Placement.HEAP;
    String kind = placement == Placement.HEAP ? "heap" : "direct";
    String otherKind = placement == Placement.HEAP ? "direct" : "heap";
    refused(
        () -> codec.encode(with(data, 1, buffer(LENGTH, other)), parity),
        "Cannot encode: data unit 1 is a "
            + otherKind
            + " buffer, but data unit 0 is a "
            + kind
            + " one; all must be of one kind");
    refused(
        () -> codec.encode(data, with(parity, 1, buffer(LENGTH, other))),
        "Cannot encode: parity unit 1 is a "
            + otherKind
            + " buffer, but data unit 0 is a "
            + kind
            + " one; all must be of one kind");
  }

  @Test
  void readOnlyHeapInputsAreRefused() throws Exception {
    ErasureCodec codec = create(Code.RS, 2, 1);
    ByteBuffer[] data = buffers(2, Placement.HEAP);
    refused(
        () -> codec.encode(with(data, 1, data[1].asReadOnlyBuffer()), buffers(1, Placement.HEAP)),
        "Cannot encode: data unit 1 is a read-only heap buffer, whose array cannot be reached: pass"
            + " a writable or a direct one");
    ByteBuffer[] direct = buffers(2, Placement.DIRECT);
    codec.encode(with(direct, 1, direct[1].asReadOnlyBuffer()), buffers(1, Placement.DIRECT));
  }

  @Test
  void overlappingArraysAreRefused() {
    ErasureCodec codec = create(Code.RS, 2, 2);
    byte[] shared = new byte[200];
    byte[] free = new byte[200];
    byte[] other = new byte[200];
    refused(
        () -> encode(codec, shared, 0, free, 0, shared, 63, other, 0),
        "Cannot encode: parity unit 0 overlaps data unit 0");
    refused(
        () -> encode(codec, free, 0, shared, 100, other, 0, shared, 37),
        "Cannot encode: parity unit 1 overlaps data unit 1");
    refused(
        () -> encode(codec, free, 0, other, 0, shared, 10, shared, 10),
        "Cannot encode: parity unit 1 overlaps parity unit 0");
    refused(
        () ->
            codec.decode(
                new byte[][] {shared, null, free, null},
                new int[4],
                new int[] {1},
                new byte[][] {shared},
                new int[] {1},
                64),
        "Cannot decode: output 0 overlaps unit 0");
    refused(
        () ->
            codec.update(
                0, free, 0, shared, 0, new byte[][] {other, shared}, new int[] {0, 60}, 64),
        "Cannot update: parity unit 1 overlaps the fresh data");
  }

  @Test
  void overlappingDirectBuffersAreRefused() {
    ErasureCodec codec = create(Code.RS, 2, 2);
    ByteBuffer whole = ByteBuffer.allocateDirect(400);
    ByteBuffer free = ByteBuffer.allocateDirect(64);
    ByteBuffer other = ByteBuffer.allocateDirect(64);
    assertOverlap(
        () ->
            codec.encode(
                new ByteBuffer[] {slice(whole, 0), free},
                new ByteBuffer[] {slice(whole, 63), other}));
    assertOverlap(
        () ->
            codec.encode(
                new ByteBuffer[] {free, slice(whole, 100)},
                new ByteBuffer[] {other, slice(whole, 100)}));
    assertOverlap(
        () ->
            codec.encode(
                new ByteBuffer[] {free, other},
                new ByteBuffer[] {slice(whole, 64), slice(whole, 1)}));
    assertOverlap(
        () ->
            codec.decode(
                new ByteBuffer[] {null, slice(whole, 80), free, null},
                new int[] {3, 0},
                new ByteBuffer[] {other, slice(whole, 20)}));
    assertOverlap(
        () -> codec.update(1, free, slice(whole, 0), new ByteBuffer[] {other, slice(whole, 10)}));
  }

  @Test
  void adjacentDirectBuffersDoNotOverlap() throws Exception {
    ErasureCodec codec = create(Code.RS, 2, 2);
    ByteBuffer whole = ByteBuffer.allocateDirect(400);
    codec.encode(
        new ByteBuffer[] {slice(whole, 64), slice(whole, 64)},
        new ByteBuffer[] {slice(whole, 0), slice(whole, 128)});
  }

  @ParameterizedTest
  @EnumSource(Placement.class)
  void decodeNamesInvalidArguments(Placement placement) {
    ErasureCodec codec = create(Code.RS, 3, 2);
    ByteBuffer[] units = with(buffers(5, placement), 1, null);
    int[] erased = {1};
    ByteBuffer[] outputs = buffers(1, placement);
    refused(
        () -> codec.decode((ByteBuffer[]) null, erased, outputs),
        "Cannot decode: the array of all units is null");
    refused(
        () -> codec.decode(buffers(4, placement), erased, outputs),
        "Cannot decode: 4 all units are given, but rs 3+2 has 5");
    refused(
        () -> codec.decode(units, null, outputs),
        "Cannot decode: the array of erased indices is null");
    refused(() -> codec.decode(units, erased, null), "Cannot decode: the array of outputs is null");
    refused(
        () -> codec.decode(units, new int[] {1, 2}, outputs),
        "Cannot decode: 2 units are erased, but 1 outputs are given");
    refused(
        () -> codec.decode(units, new int[] {0, 1, 2}, buffers(3, placement)),
        "Cannot decode: 3 units are erased, but rs 3+2 restores at most 2");
    refused(
        () -> codec.decode(units, new int[] {5}, outputs),
        "Cannot decode: erased unit 5 is not in 0..4");
    refused(
        () -> codec.decode(units, new int[] {-1}, outputs),
        "Cannot decode: erased unit -1 is not in 0..4");
    refused(
        () -> codec.decode(units, new int[] {2}, outputs),
        "Cannot decode: unit 2 is erased, but also given");
    refused(
        () -> codec.decode(units, new int[] {1, 1}, buffers(2, placement)),
        "Cannot decode: unit 1 is erased twice");
    refused(
        () -> codec.decode(with(with(units, 3, null), 4, null), erased, outputs),
        "Cannot decode: 2 of 5 units are given, but rs 3+2 needs 3");
    refused(
        () -> codec.decode(new ByteBuffer[5], erased, outputs),
        "Cannot decode: 0 of 5 units are given, but rs 3+2 needs 3");
    refused(
        () -> codec.decode(with(units, 2, buffer(9, placement)), erased, outputs),
        "Cannot decode: unit 2 has 9 bytes remaining, but unit 0 has 64");
    refused(
        () -> codec.decode(units, erased, with(outputs, 0, null)),
        "Cannot decode: output 0 is null");
    refused(
        () -> codec.decode(units, erased, with(outputs, 0, outputs[0].asReadOnlyBuffer())),
        "Cannot decode: output 0 is read-only");
  }

  @Test
  void invalidArraysAreNamed() {
    ErasureCodec codec = create(Code.RS, 2, 1);
    byte[][] data = new byte[2][64];
    byte[][] parity = new byte[1][64];
    refused(
        () -> codec.encode(data, new int[2], parity, new int[1], -1),
        "Cannot encode: the length is -1");
    refused(
        () -> codec.encode(data, null, parity, new int[1], 64),
        "Cannot encode: the array of input offsets is null");
    refused(
        () -> codec.encode(data, new int[3], parity, new int[1], 64),
        "Cannot encode: 3 input offsets are given for 2 arrays");
    refused(
        () -> codec.encode(data, new int[2], parity, new int[0], 64),
        "Cannot encode: 0 output offsets are given for 1 arrays");
    refused(
        () -> codec.encode(data, new int[] {0, 1}, parity, new int[1], 64),
        "Cannot encode: data unit 1 has 64 bytes, not enough for 64 bytes from offset 1");
    refused(
        () -> codec.encode(data, new int[2], parity, new int[] {-1}, 64),
        "Cannot encode: parity unit 0 has 64 bytes, not enough for 64 bytes from offset -1");
    refused(
        () -> codec.encode(data, new int[2], parity, new int[] {Integer.MAX_VALUE}, 64),
        "Cannot encode: parity unit 0 has 64 bytes, not enough for 64 bytes from offset"
            + " 2147483647");
    refused(
        () -> codec.encode(new byte[][] {data[0], null}, new int[2], parity, new int[1], 64),
        "Cannot encode: data unit 1 is null");
    refused(
        () -> codec.verify(new byte[][] {data[0], data[1], new byte[10]}, new int[3], 64),
        "Cannot verify: unit 2 has 10 bytes, not enough for 64 bytes from offset 0");
  }

  @ParameterizedTest
  @EnumSource(Placement.class)
  void updateAndVerifyNameInvalidArguments(Placement placement) {
    ErasureCodec codec = create(Code.RS, 3, 2);
    ByteBuffer unit = buffer(LENGTH, placement);
    ByteBuffer fresh = buffer(LENGTH, placement);
    ByteBuffer[] parity = buffers(2, placement);
    refused(
        () -> codec.update(3, unit, fresh, parity), "Cannot update: data unit 3 is not in 0..2");
    refused(
        () -> codec.update(-1, unit, fresh, parity), "Cannot update: data unit -1 is not in 0..2");
    refused(() -> codec.update(0, null, fresh, parity), "Cannot update: the old data is null");
    refused(() -> codec.update(0, unit, null, parity), "Cannot update: the fresh data is null");
    refused(
        () -> codec.update(0, unit, buffer(1, placement), parity),
        "Cannot update: the fresh data has 1 bytes remaining, but the old data has 64");
    refused(
        () -> codec.verify(with(buffers(5, placement), 4, null)), "Cannot verify: unit 4 is null");
  }

  @Test
  void invalidChecksumArgumentsAreNamed() {
    ErasureCodec codec = create(Code.RS, 2, 1);
    ByteBuffer[] data = buffers(2, Placement.DIRECT);
    ByteBuffer[] parity = buffers(1, Placement.DIRECT);
    refused(
        () -> codec.encodeWithChecksums(data, parity, null, 512, new int[3]),
        "Cannot encode: the checksum kind is null");
    refused(
        () -> codec.encodeWithChecksums(data, parity, ChecksumKind.CRC32, 0, new int[3]),
        "Cannot encode: bytes per checksum are 0, but must be at least 1");
    refused(
        () -> codec.encodeWithChecksums(data, parity, ChecksumKind.CRC32, 32, new int[3]),
        "Cannot encode: the array of checksums has length 3, but 6 checksums are computed");
    refused(
        () -> codec.encodeWithChecksums(data, parity, ChecksumKind.CRC32, 32, null),
        "Cannot encode: the array of checksums is null");
  }

  @Test
  void refusedCallsWriteNothing() {
    ErasureCodec codec = create(Code.RS, 2, 1);
    ByteBuffer[] data = buffers(2, Placement.DIRECT);
    ByteBuffer parity = Stripes.place(new byte[LENGTH + 1], Placement.DIRECT, 0);
    refused(
        () -> codec.encode(data, new ByteBuffer[] {parity}),
        "Cannot encode: parity unit 0 has 65 bytes remaining, but data unit 0 has 64");
    assertThat(Stripes.bytes(parity)).containsOnly(0);
  }

  private static void encode(
      ErasureCodec codec,
      byte[] data0,
      int offset0,
      byte[] data1,
      int offset1,
      byte[] parity0,
      int parityOffset0,
      byte[] parity1,
      int parityOffset1)
      throws Exception {
    codec.encode(
        new byte[][] {data0, data1},
        new int[] {offset0, offset1},
        new byte[][] {parity0, parity1},
        new int[] {parityOffset0, parityOffset1},
        64);
  }

  private static void refused(ThrowingCallable call, String text) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(text);
  }

  private static void assertOverlap(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot ")
        .hasMessageContaining("overlap");
  }

  private static ByteBuffer slice(ByteBuffer buffer, int position) {
    ByteBuffer slice = buffer.duplicate();
    slice.position(position).limit(position + 64);
    return slice;
  }

  private static ByteBuffer buffer(int length, Placement placement) {
    return Stripes.place(new byte[length], placement, 0);
  }

  private static ByteBuffer[] buffers(int count, Placement placement) {
    return Stripes.place(new byte[count][LENGTH], placement, 0);
  }

  private static ByteBuffer[] with(ByteBuffer[] buffers, int index, ByteBuffer buffer) {
    ByteBuffer[] result = Arrays.copyOf(buffers, buffers.length);
    result[index] = buffer;
    return result;
  }
}
