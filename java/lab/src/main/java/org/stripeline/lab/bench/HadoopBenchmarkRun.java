// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.stripeline.natives.codec.CoderStatus;

/**
 * Runs Hadoop's own RawErasureCoderBenchmark in one JVM with one contestant; prints its MB/s.
 *
 * <p>The benchmark numbers four coders. The contestant replaces the last one, Hadoop's native
 * coder, which stock builds lack; everything else is unmodified Hadoop code.
 */
final class HadoopBenchmarkRun {
  private static final String BENCHMARK =
      "org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderBenchmark";

  /** The benchmark's index of the coder of Hadoop's native library. */
  private static final int PLACE = 3;

  /** The benchmark's buffer in its unit of 2^20 bytes: the least that a thread codes. */
  private static final int BUFFER_MIB = 126;

  /** A measurement that shall take less time has no pass to warm up. */
  private static final double WARM_SECONDS_MIN = 0.2;

  /** What all threads together code to warm up. */
  private static final int WARM_UP_MIB = 2 * BUFFER_MIB;

  /** Maximum size: the benchmark computes its size in KiB as an int. */
  private static final int SIZE_MIB_MAX = 1 << 20;

  private static final Pattern THROUGHPUT = Pattern.compile("Total throughput: ([0-9.,]+) MB/s");

  private HadoopBenchmarkRun() {}

  /**
   * Runs the benchmark.
   *
   * @param arguments contestant, encode or decode, threads, seconds, chunk in KiB
   */
  public static void main(String[] arguments) throws Exception {
    BenchCoder contestant = BenchCoder.valueOf(arguments[0]);
    String operation = arguments[1];
    String threads = arguments[2];
    double seconds = Double.parseDouble(arguments[3]);
    String chunkKib = arguments[4];
    if (contestant.needsNative() && !CoderStatus.current().isNative()) {
      fail("the native library is not in use: " + CoderStatus.current());
    }
    RawErasureCoderFactory factory = contestant.factory();
    // The code of the benchmark.
    String fault = CoderCheck.findFault(factory, contestant.codesLikeRsJava(), 6, 3);
    if (fault != null) {
      fail(fault);
    }
    replaceLastCoder(factory);
    if (seconds < WARM_SECONDS_MIN) {
      System.out.println(benchmark(operation, threads, BUFFER_MIB, chunkKib));
      return;
    }
    // Compiles the coder, and determines how much data takes the requested time.
    int warmUpMib = Math.max(BUFFER_MIB, WARM_UP_MIB / Integer.parseInt(threads));
    double rate = benchmark(operation, threads, warmUpMib, chunkKib);
    long sizeMib = Math.round(rate * seconds / Integer.parseInt(threads));
    int bounded = (int) Math.max(BUFFER_MIB, Math.min(sizeMib, SIZE_MIB_MAX));
    System.out.println(benchmark(operation, threads, bounded, chunkKib));
  }

  private static void fail(String reason) {
    System.err.println(reason);
    System.exit(1);
  }

  /**
   * Replaces the last coder by reflection. JDK 9 and later need --add-opens for java.util for this.
   */
  @SuppressWarnings("unchecked")
  private static void replaceLastCoder(RawErasureCoderFactory factory) throws Exception {
    Field makers = Class.forName(BENCHMARK).getDeclaredField("CODER_MAKERS");
    makers.setAccessible(true);
    Object unmodifiable = makers.get(null);
    Field list = Class.forName("java.util.Collections$UnmodifiableList").getDeclaredField("list");
    list.setAccessible(true);
    ((List<RawErasureCoderFactory>) list.get(unmodifiable)).set(PLACE, factory);
  }

  private static double benchmark(String operation, String threads, int sizeMib, String chunkKib)
      throws Exception {
    Method main = Class.forName(BENCHMARK).getMethod("main", String[].class);
    String[] arguments = {
      operation, String.valueOf(PLACE), threads, String.valueOf(sizeMib), chunkKib
    };
    PrintStream out = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setOut(new PrintStream(said, true, "UTF-8"));
    try {
      main.invoke(null, (Object) arguments);
    } finally {
      System.setOut(out);
    }
    return throughput(said.toString("UTF-8"));
  }

  /** Parses the rate, in units of 2^20 data bytes per second, from the output of the benchmark. */
  static double throughput(String said) {
    Matcher matcher = THROUGHPUT.matcher(said);
    if (!matcher.find()) {
      throw new IllegalStateException("Cannot read the throughput: the benchmark printed " + said);
    }
    return Double.parseDouble(matcher.group(1).replace(",", ""));
  }
}
