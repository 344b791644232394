// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.testkit.ForkedJvm;

/** Tests Hadoop's coders with and without the engine, each case in a separate JVM. */
class EngineSwitchTest {
  private static final String ENABLED = "-Dstripeline.engine.enabled=true";
  private static final String LIVE = "Erasure coding uses the engine: ";

  @TempDir Path folder;

  @Test
  void hadoopUsesTheEngineIfItIsEnabled() throws Exception {
    assumeTrue(CoderStatus.current().isNative());
    assertThat(run(ENABLED, "-Dstripeline.engine.rails=cpu"))
        .containsOnlyOnce("INFO org.stripeline.coder.CoderCodecs - " + LIVE + "{\"scheduling\":")
        .contains(
            "right bytes",
            "issued=45",
            "rail cpu, pieces at least 45: true, active: 1, out: ''",
            "records=StripelineEngine [Issued, Outstanding]",
            "records=StripelineRail [Active, BusyNanos, Checks, CpuNanos, DataBytes, Faults,"
                + " OutOfService, Pieces, Quarantines, Queued, Rate, Revoked, ServiceNanos99,"
                + " ServiceNanosMedian, Stolen, WaitNanos99, WaitNanosMedian, Wrong]");
  }

  @Test
  void hadoopUsesTheDirectCallIfTheEngineIsDisabled() throws Exception {
    assertThat(run()).contains("right bytes", "no engine").doesNotContain(LIVE);
  }

  @Test
  void hadoopUsesTheDirectCallIfTheEngineCannotBeOpened() throws Exception {
    assumeTrue(CoderStatus.current().isNative());
    assertThat(run(ENABLED, "-Dstripeline.engine.tasks-max=0"))
        .containsOnlyOnce(
            "WARN org.stripeline.coder.CoderCodecs - Erasure coding does not use the engine: Cannot"
                + " read the engine's configuration: 'tasks-max=0' must be a whole number from 1")
        .contains("right bytes", "no engine");
  }

  @Test
  void hadoopUsesJavaWithoutTheLibrary() throws Exception {
    assertThat(run(ENABLED, "-Dstripeline.native.enabled=false"))
        .containsOnlyOnce(
            "Erasure coding does not use the engine: Cannot open the engine: it needs")
        .contains("right bytes", "no engine");
  }

  private String run(String... properties) throws Exception {
    return ForkedJvm.of(Code.class).with(properties).logging(folder, "INFO").output();
  }

  /**
   * Encodes and decodes with every coder, compares the bytes with Hadoop's, and prints what the
   * engine published.
   */
  static final class Code {
    private static final int ROUNDS = 5;

    private Code() {}

    public static void main(String[] arguments) throws Exception {
      Random random = new Random(5);
      for (Coders coders : Coders.values()) {
        int parityUnits = coders == Coders.XOR ? 1 : 2;
        for (int round = 0; round < ROUNDS; round++) {
          code(coders, 3, parityUnits, random);
        }
      }
      System.out.println("right bytes");
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      ObjectName name = new ObjectName("Hadoop:service=Stripeline,name=Engine");
      if (!server.isRegistered(name)) {
        System.out.println("no engine");
        return;
      }
      System.out.println("issued=" + server.getAttribute(name, "Issued"));
      for (ObjectName rail :
          server.queryNames(new ObjectName("Hadoop:service=Stripeline,name=Rail,*"), null)) {
        System.out.printf(
            "rail %s, pieces at least 45: %s, active: %s, out: '%s'%n",
            rail.getKeyProperty("rail"),
            (Long) server.getAttribute(rail, "Pieces") >= 45,
            server.getAttribute(rail, "Active"),
            server.getAttribute(rail, "OutOfServiceCause"));
      }
      for (String source : new String[] {"StripelineEngine", "StripelineRail-cpu"}) {
        MetricsCollectorImpl collector = new MetricsCollectorImpl();
        DefaultMetricsSystem.instance().getSource(source).getMetrics(collector, true);
        MetricsRecord record = collector.getRecords().get(0);
        TreeSet<String> metrics = new TreeSet<>();
        for (AbstractMetric metric : record.metrics()) {
          metrics.add(metric.name());
        }
        System.out.println("records=" + record.name() + " " + metrics);
      }
    }

    /** Makes three calls that use the engine: an encode and two decodes; arrays do not use it. */
    private static void code(Coders coders, int dataUnits, int parityUnits, Random random)
        throws Exception {
      ErasureCoderOptions options = new ErasureCoderOptions(dataUnits, parityUnits);
      byte[][] data = Coders.randomUnits(random, dataUnits, 5000);
      byte[][] expected = new byte[parityUnits][5000];
      coders.hadoops.createEncoder(options).encode(copy(data), expected);
      RawErasureEncoder encoder = coders.ours.createEncoder(options);
      ByteBuffer[] parity = Coders.buffers(new byte[parityUnits][5000], true);
      encoder.encode(Coders.buffers(data, true), parity);
      check(expected, Coders.bytes(parity));
      byte[][] arrays = new byte[parityUnits][5000];
      encoder.encode(data, arrays);
      check(expected, arrays);
      encoder.release();

      byte[][] units = Arrays.copyOf(data, dataUnits + parityUnits);
      System.arraycopy(expected, 0, units, dataUnits, parityUnits);
      RawErasureDecoder decoder = coders.ours.createDecoder(options);
      for (int lost : new int[] {1, dataUnits}) {
        ByteBuffer[] out = Coders.buffers(new byte[1][5000], true);
        ByteBuffer[] in = Coders.buffers(Coders.without(units, lost), true);
        decoder.decode(in, new int[] {lost}, out);
        check(new byte[][] {units[lost]}, Coders.bytes(out));
      }
      decoder.release();
    }

    private static byte[][] copy(byte[][] units) {
      byte[][] copy = new byte[units.length][];
      for (int i = 0; i < units.length; i++) {
        copy[i] = units[i].clone();
      }
      return copy;
    }

    private static void check(byte[][] expected, byte[][] found) {
      if (!Arrays.deepEquals(expected, found)) {
        throw new AssertionError("bytes differ from Hadoop's");
      }
    }
  }
}
