// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * The address of a direct buffer's first byte, for the pure-Java codec to see overlaps.
 *
 * <p>No supported way exists on every JVM: from Java 22 on it is {@code MemorySegment.ofBuffer(b)
 * .address()}, before that the field {@code Buffer.address} through {@code sun.misc.Unsafe}, which
 * newer JVMs warn about. Both are reached by reflection because this code is compiled for Java 8.
 */
final class BufferAddress {
  private static final Reader READER = reader();

  private BufferAddress() {}

  /** Reads addresses in the way of one generation of JVMs. */
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
      // A JVM before 22, where java.lang.foreign is not there or not yet final.
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
    // The segment starts at the position, so that the address of index 0 lies before it.
    Reader reader =
        buffer -> (long) address.invoke(ofBuffer.invoke(null, buffer)) - buffer.position();
    // A preview class is there but refuses to be used: find out now.
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
