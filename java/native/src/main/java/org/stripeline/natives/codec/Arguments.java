// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.nio.ByteBuffer;

/**
 * Checks the arguments of one kind of call and creates the messages for invalid ones.
 *
 * <p>The checks are loops over a few buffers and create text only when they fail; together they
 * take some tens of nanoseconds for 6+3.
 */
enum Arguments {
  ENCODE("encode", "data unit ", "parity unit "),
  DECODE("decode", "unit ", "output "),
  VERIFY("verify", "unit ", "output "),
  UPDATE("update", "", "parity unit ");

  static final ByteBuffer[] NO_BUFFERS = {};
  static final byte[][] NO_ARRAYS = {};
  static final int[] NO_OFFSETS = {};

  private final String verb;
  private final String inputName;
  private final String outputName;

  Arguments(String verb, String inputName, String outputName) {
    this.verb = verb;
    this.inputName = inputName;
    this.outputName = outputName;
  }

  /** Returns the verb of the call for error messages. */
  String verb() {
    return verb;
  }

  /** Returns an exception whose message names the call. */
  IllegalArgumentException refusal(String reason) {
    return new IllegalArgumentException("Cannot " + verb + ": " + reason);
  }

  void checkCount(String which, Object[] buffers, int expected, ErasureCodec codec) {
    if (buffers == null) {
      throw refusal("the array of " + which + " units is null");
    }
    if (buffers.length != expected) {
      throw refusal(
          buffers.length + " " + which + " units are given, but " + codec + " has " + expected);
    }
  }

  void checkDataUnit(int dataUnit, int dataUnits) {
    if (dataUnit < 0 || dataUnit >= dataUnits) {
      throw refusal("data unit " + dataUnit + " is not in 0.." + (dataUnits - 1));
    }
  }

  void checkSums(ChecksumKind kind, int bytesPerChecksum, int[] sums, int units, int length) {
    if (kind == null) {
      throw refusal("the checksum kind is null");
    }
    if (bytesPerChecksum < 1) {
      throw refusal("bytes per checksum are " + bytesPerChecksum + ", but must be at least 1");
    }
    if (sums == null) {
      throw refusal("the array of checksums is null");
    }
    long expected = (long) units * ChunkChecksums.count(length, bytesPerChecksum);
    if (sums.length != expected) {
      throw refusal(
          "the array of checksums has length "
              + sums.length
              + ", but "
              + expected
              + " checksums are computed");
    }
  }

  /** Checks the units that a decode is to produce, and that enough units are present for it. */
  void checkErasures(Object[] units, int[] erased, Object[] outputs, ErasureCodec codec) {
    if (erased == null) {
      throw refusal("the array of erased indices is null");
    }
    if (outputs == null) {
      throw refusal("the array of outputs is null");
    }
    if (erased.length != outputs.length) {
      throw refusal(
          erased.length + " units are erased, but " + outputs.length + " outputs are given");
    }
    if (erased.length > codec.parityUnits()) {
      throw refusal(
          erased.length
              + " units are erased, but "
              + codec
              + " restores at most "
              + codec.parityUnits());
    }
    for (int i = 0; i < erased.length; i++) {
      int unit = erased[i];
      if (unit < 0 || unit >= units.length) {
        throw refusal("erased unit " + unit + " is not in 0.." + (units.length - 1));
      }
      if (units[unit] != null) {
        throw refusal("unit " + unit + " is erased, but also given");
      }
      for (int j = 0; j < i; j++) {
        if (erased[j] == unit) {
          throw refusal("unit " + unit + " is erased twice");
        }
      }
    }
    int present = 0;
    for (Object unit : units) {
      if (unit != null) {
        present++;
      }
    }
    if (present < codec.dataUnits()) {
      throw refusal(
          present
              + " of "
              + units.length
              + " units are given, but "
              + codec
              + " needs "
              + codec.dataUnits());
    }
  }

  /**
   * Checks buffers against each other and stores their length, kind, positions and arrays in the
   * frame.
   */
  void gather(CallFrame frame, ByteBuffer[] inputs, boolean mayBeAbsent, ByteBuffer[] outputs) {
    int first = 0;
    while (mayBeAbsent && inputs[first] == null) {
      first++;
    }
    if (inputs[first] == null) {
      throw refusal(input(first) + " is null");
    }
    int length = inputs[first].remaining();
    boolean direct = inputs[first].isDirect();
    frame.fit(inputs.length, outputs.length);
    frame.length = length;
    frame.direct = direct;
    for (int i = first; i < inputs.length; i++) {
      ByteBuffer buffer = inputs[i];
      if (buffer == null) {
        if (!mayBeAbsent) {
          throw refusal(input(i) + " is null");
        }
        continue;
      }
      if (buffer.remaining() != length || buffer.isDirect() != direct) {
        throw unlike(input(i), buffer, input(first), inputs[first]);
      }
      if (!direct && !buffer.hasArray()) {
        throw refusal(
            input(i)
                + " is a read-only heap buffer, whose array cannot be reached: pass a "
                + "writable or a direct one");
      }
      frame.setInput(i, buffer);
    }
    for (int i = 0; i < outputs.length; i++) {
      ByteBuffer buffer = outputs[i];
      if (buffer == null) {
        throw refusal(outputName + i + " is null");
      }
      if (buffer.isReadOnly()) {
        throw refusal(outputName + i + " is read-only");
      }
      if (buffer.remaining() != length || buffer.isDirect() != direct) {
        throw unlike(outputName + i, buffer, input(first), inputs[first]);
      }
      frame.setOutput(i, buffer);
    }
    if (!direct) {
      checkDisjoint(
          frame.inputArrays,
          frame.inputPositions,
          frame.outputArrays,
          frame.outputPositions,
          length);
    }
  }

  /** Checks arrays against their offsets and each other. */
  void checkArrays(
      byte[][] inputs,
      int[] inputOffsets,
      boolean mayBeAbsent,
      byte[][] outputs,
      int[] outputOffsets,
      int length) {
    if (length < 0) {
      throw refusal("the length is " + length);
    }
    checkOffsets("input", inputOffsets, inputs.length);
    checkOffsets("output", outputOffsets, outputs.length);
    for (int i = 0; i < inputs.length; i++) {
      if (inputs[i] == null && mayBeAbsent) {
        continue;
      }
      checkRange(inputs[i], inputOffsets[i], length, inputName, i);
    }
    for (int i = 0; i < outputs.length; i++) {
      checkRange(outputs[i], outputOffsets[i], length, outputName, i);
    }
    checkDisjoint(inputs, inputOffsets, outputs, outputOffsets, length);
  }

  /** Returns the exception for an output that overlaps an input or another output. */
  IllegalArgumentException overlap(int output, boolean withOutput, int other) {
    return refusal(
        outputName + output + " overlaps " + (withOutput ? outputName + other : input(other)));
  }

  private void checkOffsets(String which, int[] offsets, int count) {
    if (offsets == null) {
      throw refusal("the array of " + which + " offsets is null");
    }
    if (offsets.length != count) {
      throw refusal(offsets.length + " " + which + " offsets are given for " + count + " arrays");
    }
  }

  private void checkRange(byte[] array, int offset, int length, String name, int index) {
    if (array == null) {
      throw refusal(name(name, index) + " is null");
    }
    if (offset < 0 || offset > array.length - length) {
      throw refusal(
          name(name, index)
              + " has "
              + array.length
              + " bytes, not enough for "
              + length
              + " bytes from offset "
              + offset);
    }
  }

  private void checkDisjoint(
      byte[][] inputs, int[] inputOffsets, byte[][] outputs, int[] outputOffsets, int length) {
    for (int i = 0; i < outputs.length; i++) {
      byte[] output = outputs[i];
      int offset = outputOffsets[i];
      for (int j = 0; j < inputs.length; j++) {
        if (inputs[j] == output && meet(inputOffsets[j], offset, length)) {
          throw overlap(i, false, j);
        }
      }
      for (int j = 0; j < i; j++) {
        if (outputs[j] == output && meet(outputOffsets[j], offset, length)) {
          throw overlap(i, true, j);
        }
      }
    }
  }

  private static boolean meet(int offset, int other, int length) {
    return Math.abs((long) offset - other) < length;
  }

  private String input(int index) {
    return name(inputName, index);
  }

  private String name(String prefix, int index) {
    if (this == UPDATE && prefix.isEmpty()) {
      return index == 0 ? "the old data" : "the fresh data";
    }
    return prefix + index;
  }

  private IllegalArgumentException unlike(
      String name, ByteBuffer buffer, String firstName, ByteBuffer first) {
    if (buffer.isDirect() != first.isDirect()) {
      return refusal(
          name
              + " is a "
              + kind(buffer)
              + " buffer, but "
              + firstName
              + " is a "
              + kind(first)
              + " one; all must be of one kind");
    }
    return refusal(
        name
            + " has "
            + buffer.remaining()
            + " bytes remaining, but "
            + firstName
            + " has "
            + first.remaining());
  }

  private static String kind(ByteBuffer buffer) {
    return buffer.isDirect() ? "direct" : "heap";
  }
}
