// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

import java.util.Arrays;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * Creates coders that call the system's ISA-L, as Hadoop's native coder does if it was built with
 * it. Benchmarks compare other coders with it; it is registered only in their JVMs.
 */
public final class IsalCoderFactory implements RawErasureCoderFactory {
  /** The name for the configuration. */
  public static final String CODER_NAME = "isal";

  /**
   * Returns why ISA-L cannot be called on this machine.
   *
   * @return the reason and the remedy, or null if it can be called
   */
  public static String absence() {
    return Absence.REASON;
  }

  /**
   * Computes the absence once: a class whose initializer has failed reports the reason only the
   * first time.
   */
  private static final class Absence {
    static final String REASON = find();

    private static String find() {
      try {
        IsalLibrary.load();
        return null;
      } catch (UnsatisfiedLinkError e) {
        return "libisal.so.2 is missing; install Debian's libisal2";
      } catch (NoClassDefFoundError e) {
        return "JNA is not on the class path; name its jar in STRIPELINE_CLASSPATH";
      }
    }
  }

  @Override
  public RawErasureEncoder createEncoder(ErasureCoderOptions options) {
    return new Encoder(options);
  }

  @Override
  public RawErasureDecoder createDecoder(ErasureCoderOptions options) {
    return new Decoder(options);
  }

  @Override
  public String getCoderName() {
    return CODER_NAME;
  }

  @Override
  public String getCodecName() {
    return "rs";
  }

  /** Returns all rows of the code; the first rows, those of the data units, are the identity. */
  private static byte[] matrix(ErasureCoderOptions options) {
    byte[] matrix = new byte[options.getNumAllUnits() * options.getNumDataUnits()];
    IsalLibrary.gf_gen_cauchy1_matrix(matrix, options.getNumAllUnits(), options.getNumDataUnits());
    return matrix;
  }

  private static UnsupportedOperationException onHeap() {
    return new UnsupportedOperationException(
        "Cannot code arrays: this coder asks for direct buffers");
  }

  private static final class Encoder extends RawErasureEncoder {
    private final IsalLibrary.Product product;

    Encoder(ErasureCoderOptions options) {
      super(options);
      byte[] all = matrix(options);
      byte[] parity = Arrays.copyOfRange(all, getNumDataUnits() * getNumDataUnits(), all.length);
      product = new IsalLibrary.Product(parity, getNumDataUnits(), getNumParityUnits());
    }

    @Override
    public boolean preferDirectBuffer() {
      return true;
    }

    @Override
    protected void doEncode(ByteBufferEncodingState state) {
      product.apply(state.inputs, state.outputs, state.encodeLength);
    }

    @Override
    protected void doEncode(ByteArrayEncodingState state) {
      throw onHeap();
    }
  }

  private static final class Decoder extends RawErasureDecoder {
    private final byte[] matrix;
    private int[] sources;
    private int[] erased;
    private IsalLibrary.Product product;

    Decoder(ErasureCoderOptions options) {
      super(options);
      matrix = matrix(options);
    }

    @Override
    public boolean preferDirectBuffer() {
      return true;
    }

    @Override
    protected void doDecode(ByteBufferDecodingState state) {
      int[] present = present(state.inputs);
      if (!Arrays.equals(present, sources) || !Arrays.equals(state.erasedIndexes, erased)) {
        sources = present;
        erased = state.erasedIndexes.clone();
        product = plan();
      }
      product.apply(state.inputs, state.outputs, state.decodeLength);
    }

    @Override
    protected void doDecode(ByteArrayDecodingState state) {
      throw onHeap();
    }

    /** Returns the indexes of the first available units, as many as decoding needs. */
    private int[] present(Object[] inputs) {
      int[] present = new int[getNumDataUnits()];
      int count = 0;
      for (int unit = 0; unit < inputs.length && count < present.length; unit++) {
        if (inputs[unit] != null) {
          present[count++] = unit;
        }
      }
      return present;
    }

    private IsalLibrary.Product plan() {
      int units = getNumDataUnits();
      byte[] surviving = new byte[units * units];
      for (int row = 0; row < units; row++) {
        System.arraycopy(matrix, sources[row] * units, surviving, row * units, units);
      }
      byte[] inverse = new byte[units * units];
      if (IsalLibrary.gf_invert_matrix(surviving, inverse, units) != 0) {
        throw new IllegalStateException("Cannot decode from " + Arrays.toString(sources));
      }
      byte[] rows = new byte[erased.length * units];
      for (int row = 0; row < erased.length; row++) {
        for (int column = 0; column < units; column++) {
          for (int i = 0; i < units; i++) {
            rows[row * units + column] ^=
                IsalLibrary.gf_mul(matrix[erased[row] * units + i], inverse[i * units + column]);
          }
        }
      }
      return new IsalLibrary.Product(rows, units, erased.length);
    }
  }
}
