// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import org.stripeline.natives.codec.Code;

/**
 * Creates coders for {@code xor}: single parity, byte-identical to Hadoop's xor_java and
 * xor_native.
 */
public final class XorCoderFactory extends StripelineCoderFactory {
  /** Called by Hadoop's service loader. */
  public XorCoderFactory() {
    super(Code.XOR);
  }
}
