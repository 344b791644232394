// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * Wraps another factory so that its coders prefer heap buffers: Hadoop's benchmark gives every
 * coder the kind of buffer that it prefers, and this allows the other kind to be measured as well.
 */
public final class HeapCoderFactory implements RawErasureCoderFactory {
  private final RawErasureCoderFactory inner;

  /**
   * Wraps a factory.
   *
   * @param inner the factory whose coders are used
   */
  public HeapCoderFactory(RawErasureCoderFactory inner) {
    this.inner = inner;
  }

  @Override
  public RawErasureEncoder createEncoder(ErasureCoderOptions options) {
    return new HeapEncoder(options, inner.createEncoder(options));
  }

  @Override
  public RawErasureDecoder createDecoder(ErasureCoderOptions options) {
    return new HeapDecoder(options, inner.createDecoder(options));
  }

  @Override
  public String getCoderName() {
    return inner.getCoderName() + "_heap";
  }

  @Override
  public String getCodecName() {
    return inner.getCodecName();
  }

  private static final class HeapEncoder extends RawErasureEncoder {
    private final RawErasureEncoder inner;

    HeapEncoder(ErasureCoderOptions options, RawErasureEncoder inner) {
      super(options);
      this.inner = inner;
    }

    @Override
    public void encode(ByteBuffer[] inputs, ByteBuffer[] outputs) throws IOException {
      inner.encode(inputs, outputs);
    }

    @Override
    protected void doEncode(ByteBufferEncodingState state) throws IOException {
      inner.doEncode(state);
    }

    @Override
    protected void doEncode(ByteArrayEncodingState state) throws IOException {
      inner.doEncode(state);
    }

    @Override
    public boolean preferDirectBuffer() {
      return false;
    }

    @Override
    public void release() {
      inner.release();
    }
  }

  private static final class HeapDecoder extends RawErasureDecoder {
    private final RawErasureDecoder inner;

    HeapDecoder(ErasureCoderOptions options, RawErasureDecoder inner) {
      super(options);
      this.inner = inner;
    }

    @Override
    public synchronized void decode(ByteBuffer[] inputs, int[] erased, ByteBuffer[] outputs)
        throws IOException {
      inner.decode(inputs, erased, outputs);
    }

    @Override
    protected void doDecode(ByteBufferDecodingState state) throws IOException {
      inner.doDecode(state);
    }

    @Override
    protected void doDecode(ByteArrayDecodingState state) throws IOException {
      inner.doDecode(state);
    }

    @Override
    public boolean preferDirectBuffer() {
      return false;
    }

    @Override
    public void release() {
      inner.release();
    }
  }
}
