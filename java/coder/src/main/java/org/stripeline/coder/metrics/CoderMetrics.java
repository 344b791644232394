// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder.metrics;

import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;
import org.apache.hadoop.metrics2.util.MBeans;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.codec.CoderStatus;

/**
 * Counts the calls of the coders of this process.
 *
 * <p>There is one object per process. It is published as a JMX bean ({@code
 * Hadoop:service=Stripeline, name=Coder}, which a DataNode also serves at {@code /jmx}) and as the
 * metrics2 source {@code StripelineCoder} for the configured sinks. Counting takes some tens of
 * nanoseconds per call.
 */
public final class CoderMetrics implements CoderMXBean, MetricsSource {
  private static final Logger LOG = LoggerFactory.getLogger(CoderMetrics.class);
  private static final String SOURCE_NAME = "StripelineCoder";

  private final LongAdder encodes = new LongAdder();
  private final LongAdder encodedBytes = new LongAdder();
  private final LongAdder encodeNanos = new LongAdder();
  private final LongAdder decodes = new LongAdder();
  private final LongAdder decodedBytes = new LongAdder();
  private final LongAdder decodeNanos = new LongAdder();
  private final LongAdder failures = new LongAdder();

  private CoderMetrics() {}

  /** Returns the metrics of this process, publishing them on the first call. */
  public static CoderMetrics shared() {
    return Shared.INSTANCE;
  }

  /** Counts one encode call that succeeded. */
  public void encoded(long dataBytes, long nanos) {
    encodes.increment();
    encodedBytes.add(dataBytes);
    encodeNanos.add(nanos);
  }

  /** Counts one decode call that succeeded. */
  public void decoded(long producedBytes, long nanos) {
    decodes.increment();
    decodedBytes.add(producedBytes);
    decodeNanos.add(nanos);
  }

  /** Counts one call that failed. */
  public void failed() {
    failures.increment();
  }

  @Override
  public String getImplementation() {
    return CoderStatus.current().implementation();
  }

  @Override
  public String getIsa() {
    return CoderStatus.current().isa();
  }

  @Override
  public String getLibrary() {
    return CoderStatus.current().origin().orElse("");
  }

  @Override
  public String getFallbackCause() {
    return CoderStatus.current().fallbackCause().orElse("");
  }

  @Override
  public long getEncodes() {
    return encodes.sum();
  }

  @Override
  public long getEncodedBytes() {
    return encodedBytes.sum();
  }

  @Override
  public long getEncodeNanos() {
    return encodeNanos.sum();
  }

  @Override
  public long getDecodes() {
    return decodes.sum();
  }

  @Override
  public long getDecodedBytes() {
    return decodedBytes.sum();
  }

  @Override
  public long getDecodeNanos() {
    return decodeNanos.sum();
  }

  @Override
  public long getFailures() {
    return failures.sum();
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder record = collector.addRecord(SOURCE_NAME).setContext("stripeline");
    record.tag(Interns.info("Implementation", "native or java"), getImplementation());
    record.tag(Interns.info("Isa", "instruction set of the kernels in use"), getIsa());
    record.addCounter(Interns.info("Encodes", "encode calls"), getEncodes());
    record.addCounter(
        Interns.info("EncodedBytes", "bytes of data units encoded"), getEncodedBytes());
    record.addCounter(Interns.info("EncodeNanos", "nanoseconds spent encoding"), getEncodeNanos());
    record.addCounter(Interns.info("Decodes", "decode calls"), getDecodes());
    record.addCounter(
        Interns.info("DecodedBytes", "bytes of erased units produced"), getDecodedBytes());
    record.addCounter(Interns.info("DecodeNanos", "nanoseconds spent decoding"), getDecodeNanos());
    record.addCounter(Interns.info("Failures", "calls that failed"), getFailures());
  }

  /**
   * Publishes the metrics; a failure is only logged, because metrics must not stop reads and
   * writes.
   */
  private void publish() {
    try {
      MBeans.register("Stripeline", "Coder", this);
      DefaultMetricsSystem.instance()
          .register(SOURCE_NAME, "Activity of Stripeline's erasure coders", this);
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Cannot publish the coder's metrics; coding continues without them", e);
    }
  }

  private static final class Shared {
    static final CoderMetrics INSTANCE = new CoderMetrics();

    static {
      INSTANCE.publish();
    }

    private Shared() {}
  }
}
