// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import org.stripeline.natives.codec.Code;

/**
 * Creates coders for {@code rs-legacy}: HDFS-RAID's Reed-Solomon, byte-identical to Hadoop's
 * rs-legacy_java.
 */
public final class RsLegacyCoderFactory extends StripelineCoderFactory {
  /** Called by Hadoop's service loader. */
  public RsLegacyCoderFactory() {
    super(Code.RS_LEGACY);
  }
}
