// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.stripeline.natives.library.NeedsNativeLibrary;

/** Tests that the native codec in steady state allocates nothing on the Java heap. */
@NeedsNativeLibrary
class AllocationTest {
  private static final int CALLS = 2000;

  private final ErasureCodec codec = new NativeCodec(Code.RS, 6, 3);
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void directAndHeapCallsAllocateNothing() throws Exception {
    ByteBuffer[] direct = new ByteBuffer[9];
    ByteBuffer[] heap = new ByteBuffer[9];
    for (int i = 0; i < 9; i++) {
      direct[i] = ByteBuffer.allocateDirect(4096);
      heap[i] = ByteBuffer.allocate(4096);
    }
    int[] erased = {0, 8};
    for (ByteBuffer[] units : new ByteBuffer[][] {direct, heap}) {
      ByteBuffer[] data = Arrays.copyOf(units, 6);
      ByteBuffer[] parity = Arrays.copyOfRange(units, 6, 9);
      ByteBuffer[] remaining = units.clone();
      remaining[0] = null;
      remaining[8] = null;
      ByteBuffer[] outputs = {units[0], units[8]};
      // Encode and decode need frames of different sizes, so each is measured separately.
      assertThat(allocatedBy(() -> codec.encode(data, parity))).isLessThan(CALLS);
      assertThat(allocatedBy(() -> codec.decode(remaining, erased, outputs))).isLessThan(CALLS);
    }
  }

  private interface Call {
    void run() throws Exception;
  }

  /**
   * Returns the bytes allocated by many calls; less than one byte per call comes from the
   * measurement.
   */
  private long allocatedBy(Call call) throws Exception {
    for (int i = 0; i < CALLS; i++) {
      call.run();
    }
    long thread = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(thread);
    for (int i = 0; i < CALLS; i++) {
      call.run();
    }
    return threads.getThreadAllocatedBytes(thread) - before;
  }
}
