// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.stripeline.coder.RsCoderFactory;
import org.stripeline.natives.codec.CoderStatus;

/**
 * Measures in one JVM the cost of a call of our coder through Hadoop's interface; prints a line per
 * variant.
 *
 * <p>A cell of 64 bytes is one vector, so that almost all of the time is the call itself: from
 * Hadoop's interface through the checks and JNI to the kernel and back. The cost is CPU time, and
 * includes resetting the buffer positions that the interface advances.
 */
final class CallCostRun {
  private static final int DATA = 6;
  private static final int PARITY = 3;
  private static final int WINDOWS = 9;
  private static final long WARM_UP_CALLS = 200_000;

  private CallCostRun() {}

  /** One call on a prepared stripe. */
  private interface Call {
    void run() throws IOException;
  }

  /**
   * Runs the measurement.
   *
   * @param arguments duration of a window in milliseconds
   */
  public static void main(String[] arguments) throws IOException {
    long windowNanos = Long.parseLong(arguments[0]) * 1_000_000;
    if (!CoderStatus.current().isNative()) {
      System.err.println("the native library is not in use: " + CoderStatus.current());
      System.exit(1);
    }
    for (int cellBytes : new int[] {64, 4096}) {
      for (boolean direct : new boolean[] {true, false}) {
        String variant = (direct ? "direct " : "heap ") + cellBytes;
        System.out.println(
            "encode " + variant + " " + nanos(encode(cellBytes, direct), windowNanos));
        System.out.println(
            "decode-1 " + variant + " " + nanos(decode(cellBytes, direct), windowNanos));
      }
    }
  }

  private static Call encode(int cellBytes, boolean direct) {
    RawErasureEncoder encoder =
        new RsCoderFactory().createEncoder(new ErasureCoderOptions(DATA, PARITY));
    ByteBuffer[] data = allocate(DATA, cellBytes, direct);
    ByteBuffer[] parity = allocate(PARITY, cellBytes, direct);
    return () -> {
      encoder.encode(data, parity);
      rewind(data);
    };
  }

  private static Call decode(int cellBytes, boolean direct) {
    RawErasureDecoder decoder =
        new RsCoderFactory().createDecoder(new ErasureCoderOptions(DATA, PARITY));
    ByteBuffer[] units = new ByteBuffer[DATA + PARITY];
    System.arraycopy(allocate(DATA, cellBytes, direct), 0, units, 1, DATA);
    int[] erased = {0};
    ByteBuffer[] outputs = allocate(1, cellBytes, direct);
    return () -> {
      decoder.decode(units, erased, outputs);
      rewind(units);
    };
  }

  /** Returns the CPU time of a call in nanoseconds, the median over windows. */
  private static double nanos(Call call, long windowNanos) throws IOException {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    // After the warm-up, the JIT compiler has compiled the call.
    double cost = window(threads, call, WARM_UP_CALLS) / WARM_UP_CALLS;
    long calls = Math.max(1000, (long) (windowNanos / cost));
    double[] costs = new double[WINDOWS];
    for (int i = 0; i < WINDOWS; i++) {
      costs[i] = window(threads, call, calls) / calls;
    }
    Arrays.sort(costs);
    return costs[WINDOWS / 2];
  }

  private static double window(ThreadMXBean threads, Call call, long calls) throws IOException {
    long start = threads.getCurrentThreadCpuTime();
    for (long i = 0; i < calls; i++) {
      call.run();
    }
    return threads.getCurrentThreadCpuTime() - start;
  }

  private static void rewind(ByteBuffer[] buffers) {
    for (ByteBuffer buffer : buffers) {
      if (buffer != null) {
        buffer.position(0);
      }
    }
  }

  private static ByteBuffer[] allocate(int count, int bytes, boolean direct) {
    ByteBuffer[] buffers = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      buffers[i] = direct ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
    }
    return buffers;
  }
}
