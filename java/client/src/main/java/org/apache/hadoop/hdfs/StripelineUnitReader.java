// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.ChecksumException;
import org.stripeline.client.read.CorruptUnitException;
import org.stripeline.client.read.UnitReader;

/** Adapts Hadoop's block reader to the read pipeline. */
final class StripelineUnitReader implements UnitReader {
  private final BlockReader reader;
  private final String node;
  private final long end;

  StripelineUnitReader(BlockReader reader, String node, long end) {
    this.reader = reader;
    this.node = node;
    this.end = end;
  }

  @Override
  public void read(ByteBuffer target) throws IOException {
    try {
      if (reader.read(target) < 0) {
        throw new EOFException(node + ": the block ends " + target.remaining() + " bytes early");
      }
    } catch (ChecksumException e) {
      throw new CorruptUnitException(node + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void skip(long bytes) throws IOException {
    try {
      for (long left = bytes; left > 0; ) {
        long skipped = reader.skip(left);
        if (skipped <= 0) {
          throw new EOFException(node + ": the block ends " + left + " bytes early");
        }
        left -= skipped;
      }
    } catch (ChecksumException e) {
      throw new CorruptUnitException(node + ": " + e.getMessage(), e);
    }
  }

  @Override
  public long end() {
    return end;
  }

  @Override
  public String node() {
    return node;
  }

  @Override
  public boolean isShortCircuit() {
    return reader.isShortCircuit();
  }

  @Override
  public int networkDistance() {
    return reader.getNetworkDistance();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
