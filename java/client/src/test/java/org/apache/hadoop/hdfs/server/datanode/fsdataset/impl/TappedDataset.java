// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.stripeline.client.fuzz.BlockTaps;

/** Hadoop's block files, with a call of {@link BlockTaps} before each read. */
public final class TappedDataset extends FsDatasetImpl {
  private final DataNode node;
  private final BlockTaps taps;

  TappedDataset(DataNode node, DataStorage storage, Configuration conf) throws IOException {
    super(node, storage, conf);
    this.node = node;
    taps = BlockTaps.named(conf.get(BlockTaps.KEY));
  }

  @Override
  public InputStream getBlockInputStream(ExtendedBlock block, long seekOffset) throws IOException {
    InputStream in = super.getBlockInputStream(block, seekOffset);
    return taps.isWatching() ? new Tapped(in, block.getBlockId(), seekOffset) : in;
  }

  /** Creates the dataset; configured as {@code dfs.datanode.fsdataset.factory}. */
  public static final class Factory extends FsDatasetFactory {
    @Override
    public FsDatasetImpl newInstance(DataNode node, DataStorage storage, Configuration conf)
        throws IOException {
      return new TappedDataset(node, storage, conf);
    }
  }

  /**
   * A stream that is not a file stream, so that the DataNode reads it packet by packet instead of
   * using sendfile.
   */
  private final class Tapped extends FilterInputStream {
    private final long blockId;
    private long position;

    Tapped(InputStream in, long blockId, long position) {
      super(in);
      this.blockId = blockId;
      this.position = position;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      taps.beforeRead(node.getDatanodeUuid(), blockId, position, length);
      int count = super.read(into, offset, length);
      position += Math.max(count, 0);
      return count;
    }

    @Override
    public long skip(long count) throws IOException {
      long skipped = super.skip(count);
      position += skipped;
      return skipped;
    }
  }
}
