// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hdfs.DFSInputStream.DNAddrPair;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.InvalidEncryptionKeyException;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.client.Interrupts;
import org.stripeline.client.read.BlockGroup;
import org.stripeline.client.read.Refusals;
import org.stripeline.client.read.UnitReader;
import org.stripeline.client.read.shared.NameNodeRequest;
import org.stripeline.natives.Ticker;

/**
 * A block group of an open file: its locations and the readers of its internal blocks. Readers are
 * created with Hadoop's own methods, so that tokens, SASL, encryption, short-circuit reads and
 * cached connections work as in Hadoop.
 */
final class StripelineBlockGroup implements BlockGroup {
  private static final Logger LOG = LoggerFactory.getLogger(StripelineBlockGroup.class);

  /**
   * The time during which locations from the NameNode count as fresh and are not requested again.
   */
  private static final long FRESH_NANOS = 2_000_000_000L;

  private final StripelineInputStream stream;
  private final ErasureCodingPolicy policy;
  private final Ticker ticker;
  private final long startOffset;
  private final String name;

  private final NameNodeRequest<Void> reloading;

  /** The located block that the stream supplied last. */
  private volatile LocatedStripedBlock located;

  private volatile LocatedBlock[] units;
  private volatile long refreshedNanos;

  StripelineBlockGroup(
      StripelineInputStream stream, ErasureCodingPolicy policy, LocatedStripedBlock group)
      throws IOException {
    this.stream = stream;
    this.policy = policy;
    this.ticker = stream.context().ticker();
    this.startOffset = group.getStartOffset();
    this.name =
        stream.getSrc() + ", block group " + group.getBlock().getBlockName() + " at " + startOffset;
    this.located = group;
    this.units = parse(group);
    this.refreshedNanos = ticker.nanos() - FRESH_NANOS;
    this.reloading =
        new NameNodeRequest<>(
            stream.context().threads(),
            nameNode(),
            "the locations of " + name,
            () -> {
              refresh();
              return null;
            });
  }

  private LocatedBlock[] parse(LocatedStripedBlock group) throws IOException {
    if (!group.getBlock().equals(located.getBlock())) {
      throw PlainInputStream.replaced(stream.getSrc());
    }
    return StripedBlockUtil.parseStripedBlockGroup(
        group, policy.getCellSize(), policy.getNumDataUnits(), policy.getNumParityUnits());
  }

  @Override
  public String node(int unit) {
    DatanodeInfo node = location(unit);
    return node == null ? null : node.getXferAddr();
  }

  private DatanodeInfo location(int unit) {
    LocatedBlock block = units[unit];
    DatanodeInfo[] locations = block == null ? null : block.getLocations();
    return locations == null || locations.length == 0 ? null : locations[0];
  }

  @Override
  public String storage(int unit) {
    LocatedBlock block = units[unit];
    String[] storages = block == null ? null : block.getStorageIDs();
    return storages == null || storages.length == 0 ? null : storages[0];
  }

  @Override
  public UnitReader open(int unit, long from, long to) throws IOException {
    boolean tokenRenewed = false;
    boolean keyRenewed = false;
    boolean asked = false;
    Refusals refusals = new Refusals(stream.context());
    while (true) {
      LocatedBlock block = units[unit];
      DNAddrPair node = block == null ? null : stream.getBestNodeDNAddrPair(block, null);
      if (node == null) {
        throw new IOException("no live DataNode has it");
      }
      try {
        UnitReader reader = stream.openUnit(block, node, from, to);
        DFSClientFaultInjector.get().onCreateBlockReader(block, unit, from, to - from);
        return reader;
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted() || Interrupts.isInterrupt(e)) {
          throw e;
        }
        if (e instanceof InvalidEncryptionKeyException && !keyRenewed) {
          keyRenewed = true;
          stream.getDFSClient().clearDataEncryptionKey();
        } else if (!tokenRenewed && DFSInputStream.tokenRefetchNeeded(e, node.addr)) {
          tokenRenewed = true;
          reload(block);
        } else if (refusals.mayTryAgain(node.info.getXferAddr(), e)) {
          LOG.debug("Trying again to open internal block {} of {}", unit, name, e);
        } else if (!asked && hasMoved(unit, block, node.info)) {
          asked = true;
        } else {
          throw new IOException(node.info.getXferAddr() + ": " + e, e);
        }
      }
    }
  }

  /**
   * Returns whether the unit has moved to another DataNode; asks the NameNode first unless the
   * locations are fresh.
   */
  private boolean hasMoved(int unit, LocatedBlock before, DatanodeInfo from) throws IOException {
    if (ticker.nanos() - refreshedNanos >= FRESH_NANOS) {
      reload(before);
    }
    DatanodeInfo now = location(unit);
    return now != null && !now.getXferAddr().equals(from.getXferAddr());
  }

  /**
   * Reloads locations and tokens, unless another thread has reloaded them since {@code seen} was
   * read.
   */
  private void reload(LocatedBlock seen) throws IOException {
    reloading.answerIf(() -> isCurrent(seen));
  }

  private boolean isCurrent(LocatedBlock seen) {
    for (LocatedBlock block : units) {
      if (block == seen) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String nameNode() {
    return ((StripelineDFSClient) stream.getDFSClient()).nameNode();
  }

  @Override
  public void refresh() throws IOException {
    LocatedStripedBlock group = fetch();
    units = parse(group);
    refreshedNanos = ticker.nanos();
    synchronized (stream.infoLock) {
      LocatedBlocks all = stream.getLocatedBlocks();
      // Of an open group, the stream keeps the block that it was opened with.
      int index = startOffset < all.getFileLength() ? all.findBlock(startOffset) : -1;
      if (index >= 0) {
        // Before the stream has it, so that it does not count as new there.
        located = group;
        all.insertRange(index, Collections.singletonList(group));
      }
    }
  }

  /**
   * Fetches the group from the NameNode. It does not take the lock of the stream, which all reads
   * need.
   */
  private LocatedStripedBlock fetch() throws IOException {
    LocatedBlocks blocks = stream.getDFSClient().getLocatedBlocks(stream.getSrc(), startOffset, 1);
    if (blocks != null && blocks.locatedBlockCount() > 0) {
      return stream.striped(blocks.get(0));
    }
    // The NameNode does not list a group whose length it does not know.
    LocatedBlock last = blocks == null ? null : blocks.getLastLocatedBlock();
    if (last == null || last.getStartOffset() != startOffset) {
      throw new IOException("Cannot find " + stream.getSrc() + " at " + startOffset);
    }
    if (last.getLocations().length == 0) {
      // After its start a NameNode knows an open group before it knows its DataNodes.
      throw new IOException("The NameNode does not know yet where " + stream.getSrc() + " is");
    }
    return stream.striped(last);
  }

  /** Takes the stream's current locations of the group; returns whether they are new. */
  boolean update(LocatedStripedBlock group) throws IOException {
    if (group == located) {
      return false;
    }
    units = parse(group);
    located = group;
    return true;
  }

  @Override
  public boolean mayInterruptOpen(int unit) {
    DatanodeInfo node = location(unit);
    return node == null
        || stream.packets().isTcp(new InetSocketAddress(node.getIpAddr(), node.getXferPort()));
  }

  @Override
  public void corrupt(int unit, String node) {
    LocatedBlock block = units[unit];
    DatanodeInfo at = location(unit);
    if (block != null && at != null && at.getXferAddr().equals(node)) {
      stream.noteCorrupt(block.getBlock(), at);
    }
  }

  @Override
  public CompletableFuture<?> issueDecode(ByteBuffer[] inputs, int[] erased, ByteBuffer[] outputs) {
    return stream.decoders().issue(inputs, erased, outputs);
  }

  @Override
  public void decode(ByteBuffer[] inputs, int[] erased, ByteBuffer[] outputs) throws IOException {
    stream.decoders().direct().decode(inputs, erased, outputs);
  }

  @Override
  public boolean prefersDirectBuffers() {
    return stream.decoders().direct().preferDirectBuffer();
  }

  @Override
  public String name() {
    return name;
  }
}
