// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

/**
 * The factory that Hadoop's registry contains under the name of the coder under test. Hadoop's raw
 * coder tests need a factory <em>class</em> with a public constructor; this class wraps the factory
 * that the service loader found, so that the tests also cover its registration.
 */
public abstract class LiveFactory implements RawErasureCoderFactory {
  /** System property that selects the coder for rs, rs-legacy and xor. */
  public static final String CODER = "stripeline.conformance.coder";

  private final RawErasureCoderFactory found;

  private LiveFactory(String codec) {
    String coder = coderName(codec);
    found = CodecRegistry.getInstance().getCoderByName(codec, coder);
    if (found == null) {
      throw new IllegalStateException(
          "Cannot find coder '" + coder + "': Hadoop's registry has none for codec " + codec);
    }
  }

  /**
   * Returns the name under which the coder under test is registered for a codec.
   *
   * @param codec {@code rs}, {@code rs-legacy} or {@code xor}
   * @return our own name, or the name of Hadoop's coder for the codec in a baseline run
   */
  public static String coderName(String codec) {
    String coder = System.getProperty(CODER, "stripeline");
    return coder.equals("rs_java") ? codec + "_java" : coder;
  }

  @Override
  public RawErasureEncoder createEncoder(ErasureCoderOptions options) {
    return found.createEncoder(options);
  }

  @Override
  public RawErasureDecoder createDecoder(ErasureCoderOptions options) {
    return found.createDecoder(options);
  }

  @Override
  public String getCoderName() {
    return found.getCoderName();
  }

  @Override
  public String getCodecName() {
    return found.getCodecName();
  }

  /** For codec {@code rs}. */
  public static final class Rs extends LiveFactory {
    /** Finds the factory. */
    public Rs() {
      super("rs");
    }
  }

  /** For codec {@code rs-legacy}. */
  public static final class RsLegacy extends LiveFactory {
    /** Finds the factory. */
    public RsLegacy() {
      super("rs-legacy");
    }
  }

  /** For codec {@code xor}. */
  public static final class Xor extends LiveFactory {
    /** Finds the factory. */
    public Xor() {
      super("xor");
    }
  }
}
