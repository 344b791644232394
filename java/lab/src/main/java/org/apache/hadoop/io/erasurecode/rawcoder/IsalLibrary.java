// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;

/** Calls ISA-L's erasure code functions directly; names and types are those of its header. */
@SuppressWarnings("checkstyle:MethodName")
final class IsalLibrary {
  private static final String LIBRARY = "libisal.so.2";

  /** Size in bytes of ISA-L's table for one coefficient. */
  private static final int TABLE_BYTES = 32;

  private static final int TABLE_ALIGNMENT = 64;

  static {
    Native.register(IsalLibrary.class, NativeLibrary.getInstance(LIBRARY));
  }

  private IsalLibrary() {}

  static native void gf_gen_cauchy1_matrix(byte[] matrix, int rows, int columns);

  static native int gf_invert_matrix(byte[] matrix, byte[] inverse, int size);

  static native byte gf_mul(byte a, byte b);

  private static native void ec_init_tables(int columns, int rows, byte[] matrix, Pointer tables);

  private static native void ec_encode_data(
      int length, int columns, int rows, Pointer tables, Pointer inputs, Pointer outputs);

  /** Loads the library; throws an error if this fails. */
  static void load() {
    // The static initializer loads it.
  }

  /** A prepared matrix, with room for the addresses of a call. Not thread-safe. */
  static final class Product {
    private final int columns;
    private final int rows;
    private final Pointer tables;
    private final Memory inputs;
    private final Memory outputs;

    Product(byte[] matrix, int columns, int rows) {
      this.columns = columns;
      this.rows = rows;
      long bytes = (long) TABLE_BYTES * columns * rows;
      tables = new Memory(bytes + TABLE_ALIGNMENT).align(TABLE_ALIGNMENT);
      inputs = new Memory((long) Native.POINTER_SIZE * columns);
      outputs = new Memory((long) Native.POINTER_SIZE * rows);
      ec_init_tables(columns, rows, matrix, tables);
    }

    /**
     * Multiplies; null inputs are skipped, and the number of the others must equal the number of
     * columns.
     */
    void apply(ByteBuffer[] from, ByteBuffer[] to, int length) {
      fill(inputs, from);
      fill(outputs, to);
      ec_encode_data(length, columns, rows, tables, inputs, outputs);
    }

    private static void fill(Memory addresses, ByteBuffer[] buffers) {
      long at = 0;
      for (ByteBuffer buffer : buffers) {
        if (buffer != null && at < addresses.size()) {
          addresses.setPointer(at, Native.getDirectBufferPointer(buffer).share(buffer.position()));
          at += Native.POINTER_SIZE;
        }
      }
    }
  }
}
