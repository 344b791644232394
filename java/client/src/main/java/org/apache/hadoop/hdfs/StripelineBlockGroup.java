// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
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

  /**
   * Held by the one thread that calls the NameNode for all threads that need the answer. The
   * waiting threads can be interrupted: a NameNode that hangs must not block threads whose reads
   * were given up.
   */
  private final ReentrantLock asking = new ReentrantLock();

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
    lockToAsk();
    try {
      if (ticker.nanos() - refreshedNanos >= FRESH_NANOS) {
        reload(before);
      }
    } finally {
      asking.unlock();
    }
    DatanodeInfo now = location(unit);
    return now != null && !now.getXferAddr().equals(from.getXferAddr());
  }

  /**
   * Reloads locations and tokens, unless another thread has reloaded them since {@code seen} was
   * read.
   */
  private void reload(LocatedBlock seen) throws IOException {
    lockToAsk();
    try {
      for (LocatedBlock block : units) {
        if (block == seen) {
          refresh();
          return;
        }
      }
    } finally {
      asking.unlock();
    }
  }

  private void lockToAsk() throws InterruptedIOException {
    try {
      asking.lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while another read asks the NameNode");
    }
  }

  @Override
  public void refresh() throws IOException {
    LocatedStripedBlock group = stream.fetchGroup(startOffset);
    units = parse(group);
    refreshedNanos = ticker.nanos();
    // Before the stream has it, so that it does not count as new there.
    located = group;
    synchronized (stream.infoLock) {
      LocatedBlocks all = stream.getLocatedBlocks();
      int index = all.findBlock(startOffset);
      if (index >= 0) {
        all.insertRange(index, Collections.singletonList(group));
      }
    }
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
