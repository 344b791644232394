// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.impl.BlockReaderRemote;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.net.NetUtils;
import org.stripeline.natives.Code;
import org.stripeline.natives.ErasureCodec;

/**
 * Reads all internal blocks of a file back from the DataNodes, through their checksums, and checks
 * that the parity of each group belongs to its data.
 *
 * <p>The composite checksum of a file says nothing about its parity, which nobody reads before a
 * block is lost; then it is too late to learn that it is wrong.
 */
final class ParityCheck {
  /** Of each unit at one time; with the widest codes of stock HDFS that is 3.5 MiB. */
  private static final int WINDOW_BYTES = 256 << 10;

  private final DistributedFileSystem fs;
  private final DFSClient client;
  private final ErasureCodingPolicy policy;
  private final Watcher watcher;
  private final ByteBuffer[] window;

  /** Sees how many bytes are read, and may hold them up. */
  interface Watcher {
    void reads(int bytes) throws IOException;
  }

  private ParityCheck(
      DistributedFileSystem fs, ErasureCodingPolicy policy, Watcher watcher) {
    this.fs = fs;
    client = fs.getClient();
    this.policy = policy;
    this.watcher = watcher;
    window = new ByteBuffer[policy.getNumDataUnits() + policy.getNumParityUnits()];
    for (int unit = 0; unit < window.length; unit++) {
      window[unit] = ByteBuffer.allocate(WINDOW_BYTES);
    }
  }

  /**
   * Checks a file all of whose internal blocks have been reported.
   *
   * @throws IOException if parity does not belong to its data, or a block cannot be read
   */
  static void check(
      DistributedFileSystem fs, String path, ErasureCodingPolicy policy, Watcher watcher)
      throws IOException {
    ParityCheck check = new ParityCheck(fs, policy, watcher);
    try (ErasureCodec codec =
        ErasureCodec.create(
            Code.of(policy.getCodecName()),
            policy.getNumDataUnits(),
            policy.getNumParityUnits())) {
      for (LocatedBlock group :
          fs.getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE).getLocatedBlocks()) {
        check.check((LocatedStripedBlock) group, codec);
      }
    }
  }

  private void check(LocatedStripedBlock group, ErasureCodec codec) throws IOException {
    LocatedBlock[] blocks =
        StripedBlockUtil.parseStripedBlockGroup(
            group, policy.getCellSize(), policy.getNumDataUnits(), policy.getNumParityUnits());
    Unit[] units = new Unit[blocks.length];
    try {
      long longest = 0;
      long cells = (group.getBlockSize() - 1) / policy.getCellSize() + 1;
      for (int i = 0; i < units.length; i++) {
        boolean isThere = i >= policy.getNumDataUnits() || i < cells;
        if (isThere && blocks[i] == null) {
          throw new IOException(
              "Cannot check group " + group.getBlock().getBlockName() + ": block " + i
                  + " of it is on no DataNode any more");
        }
        units[i] = isThere ? new Unit(blocks[i]) : new Unit();
        longest = Math.max(longest, units[i].left);
      }
      for (long done = 0; done < longest; done += WINDOW_BYTES) {
        int bytes = (int) Math.min(WINDOW_BYTES, longest - done);
        watcher.reads(bytes * units.length);
        for (int i = 0; i < units.length; i++) {
          units[i].fill(window[i], bytes);
        }
        int wrong = codec.verify(window);
        if (wrong >= 0) {
          throw new IOException(
              "Cannot use group " + group.getBlock().getBlockName() + ": its parity block "
                  + wrong + " on "
                  + blocks[policy.getNumDataUnits() + wrong].getLocations()[0].getXferAddr()
                  + " does not belong to its data");
        }
      }
    } finally {
      IOUtils.cleanupWithLogger(null, units);
    }
  }

  /** One internal block as a stream, with zeros where it is not. */
  private final class Unit implements Closeable {
    private final String name;
    private final BlockReader reader;
    private long left;

    /** One that a short group does not have. */
    Unit() {
      name = "";
      reader = null;
    }

    Unit(LocatedBlock block) throws IOException {
      ExtendedBlock id = block.getBlock();
      DatanodeInfo node = block.getLocations()[0];
      name = id.getBlockName() + " at " + node.getXferAddr();
      left = id.getNumBytes();
      reader = left == 0 ? null : open(block, id, node);
    }

    private BlockReader open(LocatedBlock block, ExtendedBlock id, DatanodeInfo node)
        throws IOException {
      boolean byHostName = client.getConf().isConnectToDnViaHostname();
      Peer peer = null;
      try {
        peer =
            client.newConnectedPeer(
                NetUtils.createSocketAddr(node.getXferAddr(byHostName)),
                block.getBlockToken(),
                node);
        return BlockReaderRemote.newBlockReader(
            "stripeline-convert",
            id,
            block.getBlockToken(),
            0,
            left,
            true,
            client.getClientName(),
            peer,
            node,
            null,
            CachingStrategy.newDropBehind(),
            -1,
            fs.getConf());
      } catch (IOException e) {
        IOUtils.cleanupWithLogger(null, peer);
        throw failure(e);
      }
    }

    void fill(ByteBuffer into, int bytes) throws IOException {
      into.clear();
      into.limit((int) Math.min(left, bytes));
      try {
        while (into.hasRemaining()) {
          if (reader.read(into) <= 0) {
            throw new IOException("it ends " + left + " bytes early");
          }
        }
      } catch (IOException e) {
        throw failure(e);
      }
      left -= into.position();
      into.limit(bytes);
      while (into.hasRemaining()) {
        into.put((byte) 0);
      }
      into.flip();
    }

    private IOException failure(IOException e) {
      return new IOException("Cannot read " + name + " back: " + Reasons.of(e), e);
    }

    @Override
    public void close() throws IOException {
      if (reader != null) {
        reader.close();
      }
    }
  }
}
