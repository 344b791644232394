// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.StripelineRawDecoder;
import org.stripeline.natives.engine.RailCodec;

/**
 * The decoders of an open file: one that computes at once, and the engine's devices if it has any.
 */
public final class Decoders {
  private final RawErasureDecoder direct;
  private final Optional<RailCodec> devices;

  /**
   * Creates the decoders that Hadoop's configuration selects.
   *
   * @param policy the policy of the file
   */
  public Decoders(Configuration conf, ErasureCodingPolicy policy) {
    ErasureCoderOptions units =
        new ErasureCoderOptions(policy.getNumDataUnits(), policy.getNumParityUnits());
    RawErasureDecoder configured = CodecUtil.createRawDecoder(conf, policy.getCodecName(), units);
    if (configured instanceof StripelineRawDecoder) {
      devices = ((StripelineRawDecoder) configured).codecOfDevices();
      // Reads decode several segments at a time on their own threads. An engine with rails of the
      // CPUs alone would add only its queues, and what devices cannot decode needs another coder.
      direct = StripelineRawDecoder.direct(policy.getCodecName(), units);
    } else {
      devices = Optional.empty();
      direct = configured;
    }
  }

  /** Returns the decoder that computes on the calling thread. */
  public RawErasureDecoder direct() {
    return direct;
  }

  /**
   * Issues a decode to the devices; returns null if there are none, or the buffers are on the heap.
   */
  public CompletableFuture<?> issue(ByteBuffer[] inputs, int[] erased, ByteBuffer[] outputs) {
    return devices.isPresent() && outputs[0].isDirect()
        ? devices.get().idecode(inputs, erased, outputs)
        : null;
  }

  /** Releases the decoders; what was issued is finished. */
  public void close() {
    direct.release();
    devices.ifPresent(RailCodec::close);
  }
}
