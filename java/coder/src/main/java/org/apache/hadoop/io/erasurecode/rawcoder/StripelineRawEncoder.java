// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.stripeline.coder.metrics.CoderMetrics;
import org.stripeline.natives.Ticker;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.natives.engine.RailCodec;

/**
 * Hadoop's encoder with a Stripeline codec.
 *
 * <p>The public methods are overridden, not only the abstract ones, to avoid the state objects;
 * their effect on positions is that of the base class. Several threads may call the encoder, and
 * any thread may call {@link #release()}: the codec rejects later calls.
 */
public final class StripelineRawEncoder extends RawErasureEncoder {
  private final ErasureCodec codec;
  private final CoderMetrics metrics;
  private final int[] noDataOffsets;
  private final int[] noParityOffsets;

  /** Creates an encoder that owns the codec. */
  public StripelineRawEncoder(
      ErasureCoderOptions options, ErasureCodec codec, CoderMetrics metrics) {
    super(options);
    this.codec = codec;
    this.metrics = metrics;
    this.noDataOffsets = new int[codec.dataUnits()];
    this.noParityOffsets = new int[codec.parityUnits()];
  }

  @Override
  public void encode(ByteBuffer[] inputs, ByteBuffer[] outputs) throws IOException {
    long start = Ticker.SYSTEM.nanos();
    boolean done = false;
    try {
      codec.encode(inputs, outputs);
      done = true;
    } finally {
      if (!done) {
        metrics.failed();
      }
    }
    count(inputs[0].remaining(), start);
    for (ByteBuffer input : inputs) {
      input.position(input.limit());
    }
  }

  @Override
  public void encode(byte[][] inputs, byte[][] outputs) throws IOException {
    int length = WholeArrays.length("encode", inputs, outputs);
    encode(inputs, noDataOffsets, outputs, noParityOffsets, length);
  }

  @Override
  protected void doEncode(ByteBufferEncodingState state) throws IOException {
    codec.encode(state.inputs, state.outputs);
  }

  @Override
  protected void doEncode(ByteArrayEncodingState state) throws IOException {
    encode(
        state.inputs, state.inputOffsets, state.outputs, state.outputOffsets, state.encodeLength);
  }

  /** Returns the codec if it is one of an engine that has rails beside the CPUs. */
  public Optional<RailCodec> codecOfDevices() {
    return RailCodec.ofDevices(codec);
  }

  @Override
  public boolean preferDirectBuffer() {
    return true;
  }

  @Override
  public void release() {
    codec.close();
  }

  private void encode(
      byte[][] inputs, int[] inputOffsets, byte[][] outputs, int[] outputOffsets, int length)
      throws IOException {
    long start = Ticker.SYSTEM.nanos();
    boolean done = false;
    try {
      codec.encode(inputs, inputOffsets, outputs, outputOffsets, length);
      done = true;
    } finally {
      if (!done) {
        metrics.failed();
      }
    }
    count(length, start);
  }

  private void count(int length, long start) {
    metrics.encoded((long) length * codec.dataUnits(), Ticker.SYSTEM.nanos() - start);
  }
}
