// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.lang.reflect.Constructor;
import java.util.zip.Checksum;

/**
 * CRC-32C for every JVM: {@code java.util.zip.CRC32C} exists only from Java 9 on, and this code
 * also runs on 8.
 */
final class Crc32c implements Checksum {
  /** The Castagnoli polynomial 0x1edc6f41, bits reversed. */
  private static final int POLYNOMIAL = 0x82f63b78;

  private static final int[] TABLE = table();
  private static final Constructor<?> PLATFORM = platformConstructor();

  private int state = -1;

  /** Returns the JVM's implementation if there is one, because it is an intrinsic. */
  static Checksum create() {
    if (PLATFORM != null) {
      try {
        return (Checksum) PLATFORM.newInstance();
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("Cannot create java.util.zip.CRC32C", e);
      }
    }
    return new Crc32c();
  }

  @Override
  public void update(int b) {
    state = (state >>> 8) ^ TABLE[(state ^ b) & 0xff];
  }

  @Override
  public void update(byte[] bytes, int offset, int length) {
    int crc = state;
    for (int i = offset; i < offset + length; i++) {
      crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[i]) & 0xff];
    }
    state = crc;
  }

  @Override
  public long getValue() {
    return ~state & 0xffffffffL;
  }

  @Override
  public void reset() {
    state = -1;
  }

  private static int[] table() {
    int[] table = new int[256];
    for (int i = 0; i < table.length; i++) {
      int crc = i;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 1) != 0 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
      }
      table[i] = crc;
    }
    return table;
  }

  private static Constructor<?> platformConstructor() {
    try {
      return Class.forName("java.util.zip.CRC32C").getConstructor();
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }
}
