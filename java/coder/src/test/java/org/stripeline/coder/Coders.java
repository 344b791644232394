// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.io.erasurecode.rawcoder.RSLegacyRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.XORRawErasureCoderFactory;

/** Stripeline's and Hadoop's factory of each codec, and stripes to test them with. */
enum Coders {
  RS(new RsCoderFactory(), new RSRawErasureCoderFactory()),
  RS_LEGACY(new RsLegacyCoderFactory(), new RSLegacyRawErasureCoderFactory()),
  XOR(new XorCoderFactory(), new XORRawErasureCoderFactory());

  final RawErasureCoderFactory ours;
  final RawErasureCoderFactory hadoops;

  Coders(RawErasureCoderFactory ours, RawErasureCoderFactory hadoops) {
    this.ours = ours;
    this.hadoops = hadoops;
  }

  static byte[][] randomUnits(Random random, int count, int length) {
    byte[][] units = new byte[count][length];
    for (byte[] unit : units) {
      random.nextBytes(unit);
    }
    return units;
  }

  static ByteBuffer[] buffers(byte[][] units, boolean direct) {
    ByteBuffer[] buffers = new ByteBuffer[units.length];
    for (int i = 0; i < units.length; i++) {
      if (units[i] == null) {
        continue;
      }
      // An odd position within a slice, as callers in HDFS use.
      int size = units[i].length + 10;
      ByteBuffer whole = direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
      whole.position(3);
      ByteBuffer slice = whole.slice();
      slice.position(2);
      slice.put(units[i]);
      slice.flip().position(2);
      buffers[i] = slice;
    }
    return buffers;
  }

  static byte[][] bytes(ByteBuffer[] buffers) {
    byte[][] bytes = new byte[buffers.length][];
    for (int i = 0; i < buffers.length; i++) {
      if (buffers[i] != null) {
        bytes[i] = new byte[buffers[i].remaining()];
        buffers[i].duplicate().get(bytes[i]);
      }
    }
    return bytes;
  }

  static byte[][] without(byte[][] units, int... absent) {
    byte[][] result = Arrays.copyOf(units, units.length);
    for (int unit : absent) {
      result[unit] = null;
    }
    return result;
  }
}
