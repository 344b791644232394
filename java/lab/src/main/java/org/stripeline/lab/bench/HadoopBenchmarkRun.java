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
import org.stripeline.natives.CoderStatus;

/**
 * One JVM's run of Hadoop's own RawErasureCoderBenchmark with one contestant; prints its MB/s.
 *
 * <p>The benchmark knows four coders by number. The place of the last, Hadoop's native coder, which
 * stock builds lack, is given to the contestant: everything else is Hadoop's code as it is.
 */
final class HadoopBenchmarkRun {
  private static final String BENCHMARK =
      "org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderBenchmark";

  /** The benchmark's number for the coder of Hadoop's native library. */
  private static final int PLACE = 3;

  /** What the benchmark counts in: 2^20 bytes. */
  private static final int WARM_UP_MIB = 252;

  /** The benchmark multiplies its size in KiB as an int. */
  private static final int SIZE_MIB_MAX = 1 << 20;

  private static final Pattern THROUGHPUT = Pattern.compile("Total throughput: ([0-9.,]+) MB/s");

  private HadoopBenchmarkRun() {}

  /**
   * Runs.
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
      fail("the native library is not live: " + CoderStatus.current());
    }
    RawErasureCoderFactory factory = contestant.factory();
    // The benchmark's own shape.
    String fault = CoderCheck.findFault(factory, contestant.codesLikeRsJava(), 6, 3);
    if (fault != null) {
      fail(fault);
    }
    replaceLastCoder(factory);
    // Compiles the coder, and tells how much data fills the time.
    double rate = benchmark(operation, threads, WARM_UP_MIB, chunkKib);
    long sizeMib = Math.round(rate * seconds / Integer.parseInt(threads));
    int bounded = (int) Math.max(WARM_UP_MIB / 2, Math.min(sizeMib, SIZE_MIB_MAX));
    System.out.println(benchmark(operation, threads, bounded, chunkKib));
  }

  private static void fail(String reason) {
    System.err.println(reason);
    System.exit(1);
  }

  /** JDK 9 and later allow this only when started with --add-opens for java.util. */
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

  /** Reads 2^20 bytes per second, of data, from what the benchmark printed. */
  static double throughput(String said) {
    Matcher matcher = THROUGHPUT.matcher(said);
    if (!matcher.find()) {
      throw new IllegalStateException("Cannot read the throughput: the benchmark said " + said);
    }
    return Double.parseDouble(matcher.group(1).replace(",", ""));
  }
}
