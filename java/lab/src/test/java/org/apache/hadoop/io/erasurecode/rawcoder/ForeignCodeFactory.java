// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

/**
 * Registers the code of HDFS-RAID under the name of another codec: it can read its own files, but
 * no other coder of that codec can repair them. Only a comparison of parity detects this.
 */
public final class ForeignCodeFactory extends RSLegacyRawErasureCoderFactory {
  /** The name for the configuration. */
  public static final String CODER_NAME = "foreign-code";

  @Override
  public String getCoderName() {
    return CODER_NAME;
  }

  @Override
  public String getCodecName() {
    return "rs";
  }
}
