// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import org.stripeline.natives.codec.Code;

/**
 * Creates coders for {@code rs}: Reed-Solomon, byte-identical to Hadoop's rs_java and rs_native.
 */
public final class RsCoderFactory extends StripelineCoderFactory {
  /** Called by Hadoop's service loader. */
  public RsCoderFactory() {
    super(Code.RS);
  }
}
