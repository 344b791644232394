// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/**
 * Computes a signature of the blocks of a file. Append, truncate and recovery change generation
 * stamps or lengths of blocks, so equal signatures mean equal bytes.
 */
public final class BlockSignature {
  private BlockSignature() {}

  public static String of(LocatedBlocks blocks) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-1");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Cannot create a SHA-1 digest: this Java lacks it", e);
    }
    for (LocatedBlock located : blocks.getLocatedBlocks()) {
      ExtendedBlock block = located.getBlock();
      String one =
          block.getBlockId() + "_" + block.getGenerationStamp() + "_" + block.getNumBytes() + " ";
      digest.update(one.getBytes(StandardCharsets.US_ASCII));
    }
    StringBuilder hex = new StringBuilder();
    for (byte b : digest.digest()) {
      hex.append(String.format(Locale.ROOT, "%02x", b));
    }
    return hex.toString();
  }
}
