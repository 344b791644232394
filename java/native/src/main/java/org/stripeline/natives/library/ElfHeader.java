// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.library;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * Checks an ELF shared library before the linker loads it.
 *
 * <p>The linker maps a file and accesses it: a truncated file kills the process with SIGBUS, and a
 * file for another processor causes a message without the reason. Therefore the header and the
 * extent of every segment are checked here. Damage inside a segment is not detected; the self test
 * after loading covers it.
 */
final class ElfHeader {
  static final int MACHINE_X86_64 = 62;
  static final int MACHINE_AARCH64 = 183;

  private static final int HEADER_BYTES = 64;
  private static final int PROGRAM_HEADER_BYTES = 56;
  private static final int CLASS_64 = 2;
  private static final int LITTLE_ENDIAN = 1;
  private static final int TYPE_SHARED = 3;

  private ElfHeader() {}

  /**
   * Checks that a file is a complete 64-bit shared library for a processor.
   *
   * @throws IOException if it is not; the message states the defect, without the name of the file
   */
  static void check(Path file, int machine) throws IOException {
    try (RandomAccessFile input = new RandomAccessFile(file.toFile(), "r")) {
      long size = input.length();
      ByteBuffer header = read(input, 0, HEADER_BYTES, size);
      if (header.getInt(0) != 0x464c457f) {
        throw new IOException(
            String.format("it is not an ELF file (it starts with 0x%08x)", header.getInt(0)));
      }
      if (header.get(4) != CLASS_64 || header.get(5) != LITTLE_ENDIAN) {
        throw new IOException("it is not a 64-bit little-endian ELF file");
      }
      if (header.getShort(16) != TYPE_SHARED) {
        throw new IOException("it is not a shared library (ELF type " + header.getShort(16) + ")");
      }
      int found = header.getShort(18) & 0xffff;
      if (found != machine) {
        throw new IOException(
            "it is built for "
                + machineName(found)
                + ", but this JVM runs on "
                + machineName(machine));
      }
      checkSegments(input, header, size);
    }
  }

  private static void checkSegments(RandomAccessFile input, ByteBuffer header, long size)
      throws IOException {
    long tableOffset = header.getLong(32);
    int entryBytes = header.getShort(54) & 0xffff;
    int entries = header.getShort(56) & 0xffff;
    if (entryBytes != PROGRAM_HEADER_BYTES || entries == 0) {
      throw new IOException("its ELF header is damaged");
    }
    ByteBuffer table = read(input, tableOffset, entries * entryBytes, size);
    for (int i = 0; i < entries; i++) {
      long offset = table.getLong(i * entryBytes + 8);
      long bytes = table.getLong(i * entryBytes + 32);
      if (offset < 0 || bytes < 0 || offset > size || bytes > size - offset) {
        throw truncated(size);
      }
    }
  }

  private static ByteBuffer read(RandomAccessFile input, long offset, int bytes, long size)
      throws IOException {
    if (offset < 0 || offset > size - bytes) {
      throw truncated(size);
    }
    byte[] content = new byte[bytes];
    input.seek(offset);
    try {
      input.readFully(content);
    } catch (EOFException e) {
      throw truncated(size);
    }
    return ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static IOException truncated(long size) {
    return new IOException("it is truncated or damaged (" + size + " bytes)");
  }

  private static String machineName(int machine) {
    switch (machine) {
      case MACHINE_X86_64:
        return "x86_64";
      case MACHINE_AARCH64:
        return "aarch64";
      default:
        return "ELF machine " + machine;
    }
  }
}
