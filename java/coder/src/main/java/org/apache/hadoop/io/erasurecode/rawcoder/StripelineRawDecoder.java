// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.hadoop.io.erasurecode.ECChunk;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.stripeline.coder.metrics.CoderMetrics;
import org.stripeline.natives.Ticker;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.natives.engine.RailCodec;

/**
 * Hadoop's decoder with a Stripeline codec.
 *
 * <p>The public methods are overridden, not only the abstract ones: this avoids the state objects,
 * and the methods of the base class are synchronized, while concurrent positional reads of one open
 * file share a decoder. The effect on positions is that of the base class. Any thread may call
 * {@link #release()}: the codec rejects later calls, and finishes those in progress.
 */
public final class StripelineRawDecoder extends RawErasureDecoder {
  private final ErasureCodec codec;
  private final CoderMetrics metrics;
  private final int[] noUnitOffsets;

  /** Creates a decoder that owns the codec. */
  public StripelineRawDecoder(
      ErasureCoderOptions options, ErasureCodec codec, CoderMetrics metrics) {
    super(options);
    this.codec = codec;
    this.metrics = metrics;
    this.noUnitOffsets = new int[codec.dataUnits() + codec.parityUnits()];
  }

  /** Returns a decoder that uses no engine. */
  public static StripelineRawDecoder direct(String codec, ErasureCoderOptions options) {
    ErasureCodec direct =
        ErasureCodec.create(Code.of(codec), options.getNumDataUnits(), options.getNumParityUnits());
    return new StripelineRawDecoder(options, direct, CoderMetrics.shared());
  }

  /** Returns the codec if it is one of an engine that has rails beside the CPUs. */
  public Optional<RailCodec> codecOfDevices() {
    return RailCodec.ofDevices(codec);
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized")
  public void decode(ByteBuffer[] inputs, int[] erasedIndexes, ByteBuffer[] outputs)
      throws IOException {
    long start = Ticker.SYSTEM.nanos();
    boolean done = false;
    try {
      codec.decode(inputs, erasedIndexes, outputs);
      done = true;
    } finally {
      if (!done) {
        metrics.failed();
      }
    }
    count(outputs.length == 0 ? 0 : outputs[0].remaining(), outputs.length, start);
    for (ByteBuffer input : inputs) {
      if (input != null) {
        input.position(input.limit());
      }
    }
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized")
  public void decode(byte[][] inputs, int[] erasedIndexes, byte[][] outputs) throws IOException {
    int length = WholeArrays.length("decode", inputs, outputs);
    decode(inputs, noUnitOffsets, erasedIndexes, outputs, new int[outputs.length], length);
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized")
  public void decode(ECChunk[] inputs, int[] erasedIndexes, ECChunk[] outputs) throws IOException {
    // Clears the buffers of chunks that are marked as all zero.
    decode(CoderUtil.toBuffers(inputs), erasedIndexes, CoderUtil.toBuffers(outputs));
  }

  @Override
  protected void doDecode(ByteBufferDecodingState state) throws IOException {
    codec.decode(state.inputs, state.erasedIndexes, state.outputs);
  }

  @Override
  protected void doDecode(ByteArrayDecodingState state) throws IOException {
    decode(
        state.inputs,
        state.inputOffsets,
        state.erasedIndexes,
        state.outputs,
        state.outputOffsets,
        state.decodeLength);
  }

  @Override
  public boolean preferDirectBuffer() {
    return true;
  }

  @Override
  public void release() {
    codec.close();
  }

  private void decode(
      byte[][] inputs,
      int[] inputOffsets,
      int[] erased,
      byte[][] outputs,
      int[] outputOffsets,
      int length)
      throws IOException {
    long start = Ticker.SYSTEM.nanos();
    boolean done = false;
    try {
      codec.decode(inputs, inputOffsets, erased, outputs, outputOffsets, length);
      done = true;
    } finally {
      if (!done) {
        metrics.failed();
      }
    }
    count(length, outputs.length, start);
  }

  private void count(int length, int outputs, long start) {
    metrics.decoded((long) length * outputs, Ticker.SYSTEM.nanos() - start);
  }
}
