// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder.metrics;

import java.util.concurrent.atomic.LongAdder;
import org.stripeline.natives.codec.CoderStatus;

/**
 * Counts the calls of the coders of this process.
 *
 * <p>There is one object per process. It is published as a JMX bean ({@code
 * Hadoop:service=Stripeline, name=Coder}, which a DataNode also serves at {@code /jmx}) and as the
 * metrics2 source {@code StripelineCoder} for the configured sinks. Counting takes some tens of
 * nanoseconds per call.
 */
public final class CoderMetrics {
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

  private void publish() {
    new PublishedMetrics("Coder", "Activity of Stripeline's erasure coders")
        .tag("Implementation", "native or java", () -> CoderStatus.current().implementation())
        .tag("Isa", "instruction set of the kernels, or java", () -> CoderStatus.current().isa())
        .text("Library", "origin of the library", () -> CoderStatus.current().origin().orElse(""))
        .text(
            "FallbackCause",
            "reason why pure Java is used",
            () -> CoderStatus.current().fallbackCause().orElse(""))
        .failureState(
            "Fallback",
            "1 if the native library cannot be used, so that pure Java codes",
            () -> CoderStatus.current().fallbackCause().isPresent())
        .counter("Encodes", "encode calls that succeeded", encodes::sum)
        .counter("EncodedBytes", "bytes of data units encoded", encodedBytes::sum)
        .counter("EncodeNanos", "nanoseconds spent encoding, over all threads", encodeNanos::sum)
        .counter("Decodes", "decode calls that succeeded", decodes::sum)
        .counter("DecodedBytes", "bytes of erased units produced", decodedBytes::sum)
        .counter("DecodeNanos", "nanoseconds spent decoding, over all threads", decodeNanos::sum)
        .failures("Failures", "calls that failed", failures::sum)
        .publish();
  }

  private static final class Shared {
    static final CoderMetrics INSTANCE = new CoderMetrics();

    static {
      INSTANCE.publish();
    }

    private Shared() {}
  }
}
