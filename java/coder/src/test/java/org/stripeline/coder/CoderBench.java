// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.stripeline.natives.codec.CoderStatus;

/**
 * Measures the time per call and throughput of Stripeline's coder and Hadoop's rs_java, in the JVM
 * as it is started.
 *
 * <p>The time is CPU time, not elapsed time, which reduces the effect of other load on the machine.
 *
 * <p>Not a test; run it manually, and several times, because the result of JIT compilation varies:
 *
 * <pre>
 * mvn -f java/pom.xml -q -pl native,coder test-compile exec:java -Dexec.classpathScope=test \
 *     -Dexec.mainClass=org.stripeline.coder.CoderBench -Dexec.args="6 3 64 4096 65536"
 * </pre>
 *
 * <p>{@code -Dstripeline.native.enabled=false} measures the pure-Java codec instead of the native
 * one.
 */
final class CoderBench {
  private static final int REPETITIONS = 7;
  private static final long WINDOW_NANOS = 200_000_000;

  private final int dataUnits;
  private final int parityUnits;
  private final int length;

  private CoderBench(int dataUnits, int parityUnits, int length) {
    this.dataUnits = dataUnits;
    this.parityUnits = parityUnits;
    this.length = length;
  }

  /**
   * Runs the benchmark; the arguments are data units, parity units, and any number of unit lengths
   * in bytes.
   */
  public static void main(String[] arguments) throws Exception {
    System.out.println(CoderStatus.current());
    int dataUnits = Integer.parseInt(arguments[0]);
    int parityUnits = Integer.parseInt(arguments[1]);
    for (String length : Arrays.copyOfRange(arguments, 2, arguments.length)) {
      CoderBench bench = new CoderBench(dataUnits, parityUnits, Integer.parseInt(length));
      for (boolean direct : new boolean[] {true, false}) {
        bench.run("stripeline", new RsCoderFactory(), direct);
        bench.run("rs_java", new RSRawErasureCoderFactory(), direct);
      }
    }
  }

  private void run(String name, RawErasureCoderFactory factory, boolean direct) throws Exception {
    ErasureCoderOptions options = new ErasureCoderOptions(dataUnits, parityUnits);
    byte[][] units = Coders.randomUnits(new Random(1), dataUnits + parityUnits, length);
    ByteBuffer[] all = new ByteBuffer[units.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = direct ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
      all[i].put(units[i]).rewind();
    }
    ByteBuffer[] data = Arrays.copyOf(all, dataUnits);
    ByteBuffer[] parity = Arrays.copyOfRange(all, dataUnits, all.length);
    RawErasureEncoder encoder = factory.createEncoder(options);
    report(
        name,
        "encode",
        direct,
        () -> {
          encoder.encode(data, parity);
          rewind(data);
        });
    RawErasureDecoder decoder = factory.createDecoder(options);
    ByteBuffer[] inputs = all.clone();
    inputs[0] = null;
    ByteBuffer[] output = {all[0]};
    int[] erased = {0};
    report(
        name,
        "decode-1",
        direct,
        () -> {
          decoder.decode(inputs, erased, output);
          rewind(inputs);
        });
  }

  private void report(String name, String operation, boolean direct, Call call) throws Exception {
    double[] nanos = new double[REPETITIONS];
    long batch = Math.max(1, 1_000_000 / length);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    for (int repetition = -2; repetition < REPETITIONS; repetition++) {
      long calls = 0;
      long start = threads.getCurrentThreadCpuTime();
      long end = start;
      while (end - start < WINDOW_NANOS) {
        for (long i = 0; i < batch; i++) {
          call.run();
        }
        calls += batch;
        end = threads.getCurrentThreadCpuTime();
      }
      if (repetition >= 0) {
        nanos[repetition] = (double) (end - start) / calls;
      }
    }
    Arrays.sort(nanos);
    double median = nanos[REPETITIONS / 2];
    System.out.printf(
        Locale.ROOT,
        "%-10s %-8s %d+%d x %7d %-6s %10.0f ns/call %8.3f GB/s of data (%.0f..%.0f ns)%n",
        name,
        operation,
        dataUnits,
        parityUnits,
        length,
        direct ? "direct" : "heap",
        median,
        (double) length * dataUnits / median,
        nanos[0],
        nanos[REPETITIONS - 1]);
  }

  private static void rewind(ByteBuffer[] buffers) {
    for (ByteBuffer buffer : buffers) {
      if (buffer != null) {
        buffer.rewind();
      }
    }
  }

  private interface Call {
    void run() throws Exception;
  }
}
