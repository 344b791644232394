// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

/**
 * Offers the code of HDFS-RAID under the name of another codec: it reads what it wrote, and no
 * other coder of that codec can repair it. Only comparing parity finds it out.
 */
public final class ForeignCodeFactory extends RSLegacyRawErasureCoderFactory {
  /** The name to configure. */
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
