// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * Reads the address of a direct buffer's first byte, so that the pure-Java codec can detect
 * overlaps.
 *
 * <p>No single method is supported by every JVM: from Java 22 on it is {@code
 * MemorySegment.ofBuffer(b).address()}, before that the field {@code Buffer.address} through {@code
 * sun.misc.Unsafe}, about which newer JVMs print warnings. Both are called by reflection because
 * this code is compiled for Java 8.
 */
final class BufferAddress {
  private static final Reader READER = reader();

  private BufferAddress() {}

  /** Reads addresses with the method of one generation of JVMs. */
  private interface Reader {
    long address(ByteBuffer buffer) throws ReflectiveOperationException;
  }

  /** Returns the address of the byte at index 0. */
  static long of(ByteBuffer buffer) {
    try {
      return READER.address(buffer);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Cannot read the address of a direct buffer", e);
    }
  }

  private static Reader reader() {
    try {
      return segmentReader();
    } catch (ReflectiveOperationException e) {
      // A JVM before 22, where java.lang.foreign is absent or not final.
      try {
        return unsafeReader();
      } catch (ReflectiveOperationException f) {
        f.addSuppressed(e);
        throw new ExceptionInInitializerError(f);
      }
    }
  }

  private static Reader segmentReader() throws ReflectiveOperationException {
    Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
    Method ofBuffer = segment.getMethod("ofBuffer", Buffer.class);
    Method address = segment.getMethod("address");
    if (address.getReturnType() != long.class) {
      throw new NoSuchMethodException("MemorySegment.address() returning long");
    }
    // The segment begins at the buffer's position, so the address of index 0 is lower by the
    // position.
    Reader reader =
        buffer -> (long) address.invoke(ofBuffer.invoke(null, buffer)) - buffer.position();
    // A preview class exists but cannot be used; this call detects it.
    reader.address(ByteBuffer.allocateDirect(1));
    return reader;
  }

  private static Reader unsafeReader() throws ReflectiveOperationException {
    Class<?> unsafeClass = Class.forName("sun.misc.Unsafe");
    Field instance = unsafeClass.getDeclaredField("theUnsafe");
    instance.setAccessible(true);
    Object unsafe = instance.get(null);
    long offset =
        (long)
            unsafeClass
                .getMethod("objectFieldOffset", Field.class)
                .invoke(unsafe, Buffer.class.getDeclaredField("address"));
    Method getLong = unsafeClass.getMethod("getLong", Object.class, long.class);
    return buffer -> (long) getLong.invoke(unsafe, buffer, offset);
  }
}
