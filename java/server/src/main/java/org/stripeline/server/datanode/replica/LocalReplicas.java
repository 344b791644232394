// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.replica;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.Checksum;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.client.BlockReportOptions;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FinalizedReplicas;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaLinker;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaRemover;
import org.apache.hadoop.hdfs.server.protocol.VolumeFailureSummary;
import org.apache.hadoop.util.DataChecksum;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BlockChecksum;
import org.stripeline.agent.BlockClaim;
import org.stripeline.agent.Link;
import org.stripeline.agent.Linked;
import org.stripeline.agent.Messages;
import org.stripeline.natives.Ticker;
import org.stripeline.server.datanode.AgentCount;
import org.stripeline.server.datanode.AgentKeys;
import org.stripeline.server.datanode.AgentMetrics;
import org.stripeline.server.datanode.AgentSettings;

/** The operations of an agent on replicas of its own DataNode. */
public final class LocalReplicas {
  private static final Logger LOG = LoggerFactory.getLogger(LocalReplicas.class);
  private static final int READ_BYTES = 1 << 20;

  private final DataNode dataNode;
  private final AgentSettings settings;
  private final AgentMetrics metrics;
  private final BlockOwners owners;
  private final Set<ExtendedBlock> syncing = ConcurrentHashMap.newKeySet();

  /** Creates the operations on a DataNode, which may not have registered yet. */
  public LocalReplicas(
      DataNode dataNode, AgentSettings settings, AgentMetrics metrics, Clock clock) {
    owners = new BlockOwners(Ticker.SYSTEM, clock);
    this.dataNode = dataNode;
    this.settings = settings;
    this.metrics = metrics;
  }

  /** Returns the replicas of a block pool, if the DataNode has registered for it. */
  private FinalizedReplicas replicas(String pool) throws AgentException {
    return FinalizedReplicas.of(dataNode, pool);
  }

  /** Creates all links, or none. */
  public List<Linked> link(String pool, List<Link> links) throws IOException {
    checkLinks(links);
    List<ReplicaLinker.Made> made = new ArrayList<>();
    try {
      for (Link link : links) {
        ReplicaLinker.Made one = link(pool, link);
        made.add(one);
        if (one.isCopied()) {
          // A link cannot differ from its source; a copy is read once to verify it.
          checksum(new Messages.ChecksumCall(pool, link.target, 0, 0, false));
        }
      }
    } catch (IOException | RuntimeException e) {
      rollBack(pool, links, made, e);
      throw e;
    }
    List<Linked> linked = new ArrayList<>();
    for (int i = 0; i < made.size(); i++) {
      ReplicaLinker.Made one = made.get(i);
      dataNode.notifyNamenodeReceivedBlock(
          links.get(i).target.in(pool), null, one.storageId(), one.isTransient());
      metrics.add(AgentCount.LINKS, one.isFresh() ? 1 : 0);
      metrics.add(AgentCount.COPIES, one.isCopied() ? 1 : 0);
      linked.add(new Linked(one.storageId(), one.isCopied()));
    }
    return linked;
  }

  private ReplicaLinker.Made link(String pool, Link link) throws IOException {
    ExtendedBlock target = link.target.in(pool);
    try (BlockOwners.BlockLock lock = owners.lock(target)) {
      // A task that was going to send this block must not remove the link.
      lock.setOwner(BlockOwners.LINK);
      ReplicaLinker linker = new ReplicaLinker(replicas(pool), settings.hardLinks);
      return linker.link(link.source.in(pool), target);
    }
  }

  private void checkLinks(List<Link> links) throws AgentException {
    if (links.size() > settings.linksMax) {
      throw bad(
          "Cannot make "
              + links.size()
              + " links in one call: at most "
              + settings.linksMax
              + " ("
              + AgentKeys.LINKS_MAX
              + ")");
    }
    for (Link link : links) {
      checkInternal(link.target, "link to");
      if (link.source.length != link.target.length) {
        throw bad("Cannot link " + link.source + " as " + link.target + ": lengths differ");
      }
    }
  }

  private static void checkInternal(AgentBlock block, String what) throws AgentException {
    if (block.id >= 0) {
      throw bad("Cannot " + what + ' ' + block + ": only blocks of block groups have negative ids");
    }
  }

  private static AgentException bad(String message) {
    return new AgentException(AgentException.Kind.BAD_REQUEST, message);
  }

  private void rollBack(
      String pool, List<Link> links, List<ReplicaLinker.Made> made, Exception cause) {
    for (int i = 0; i < made.size(); i++) {
      if (made.get(i).isFresh()) {
        try {
          remove(links.get(i).target.in(pool));
        } catch (IOException e) {
          LOG.warn("Cannot remove a link after a failure; the caller must unlink it", e);
          cause.addSuppressed(e);
        }
      }
    }
  }

  private boolean remove(ExtendedBlock block) throws IOException {
    try (BlockOwners.BlockLock lock = owners.lock(block)) {
      return remove(block, lock);
    }
  }

  private boolean remove(ExtendedBlock block, BlockOwners.BlockLock lock) throws IOException {
    FinalizedReplicas replicas = replicas(block.getBlockPoolId());
    boolean isRemoved = new ReplicaRemover(replicas).remove(block);
    VolumeFailureSummary failures = isRemoved ? null : replicas.failedVolumes();
    if (failures != null && failures.getLastVolumeFailureDate() >= lock.sinceMillis()) {
      // A volume can return, for example when its disk is mounted again.
      throw new AgentException(
          AgentException.Kind.UNREACHABLE,
          "Cannot remove "
              + block
              + ": it is not found, and may be on a volume that has failed since it was created: "
              + String.join(", ", failures.getFailedStorageLocations()));
    }
    lock.clear();
    return isRemoved;
  }

  /**
   * Removes a replica that is known to be wrong, and reports that to the NameNode.
   *
   * @return whether it existed
   */
  public boolean removeWrong(ExtendedBlock block) throws IOException {
    boolean isRemoved = remove(block);
    reportRemovals();
    return isRemoved;
  }

  /**
   * Allows a task to write a block that does not exist here. From now on this task may roll the
   * block back, and no earlier task.
   */
  public void reserve(Messages.ReserveCall call) throws IOException {
    checkInternal(call.block, "reserve");
    ExtendedBlock block = call.block.in(call.pool);
    try (BlockOwners.BlockLock lock = owners.lock(block)) {
      replicas(call.pool).requireAbsent(block);
      lock.setOwner(call.writer);
    }
  }

  /**
   * Removes a replica that a task has written. A replica that another task, a link or HDFS has
   * created with that id since is kept.
   *
   * @return whether the replica existed and was written by the task
   */
  private boolean rollBack(String pool, AgentBlock block, String writer) throws IOException {
    ExtendedBlock whole = block.in(pool);
    try (BlockOwners.BlockLock lock = owners.lock(whole)) {
      if (!writer.equals(lock.owner())) {
        LOG.info("Keeping {}: it does not belong to the task that removes it", block);
        return false;
      }
      return remove(whole, lock);
    }
  }

  /**
   * Removes replicas of internal blocks, and returns the number of those that existed.
   *
   * @param call names the task if it rolls back its own writes
   * @throws AgentException of kind UNREACHABLE if one is not found, and may be on a volume that has
   *     failed since it was created
   */
  public int unlink(Messages.UnlinkCall call) throws IOException {
    for (AgentBlock block : call.blocks) {
      checkInternal(block, "unlink");
    }
    int removed = 0;
    IOException failure = null;
    for (AgentBlock block : call.blocks) {
      try {
        boolean isRemoved =
            call.writer == null
                ? remove(block.in(call.pool))
                : rollBack(call.pool, block, call.writer);
        removed += isRemoved ? 1 : 0;
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    metrics.add(AgentCount.UNLINKS, removed);
    reportRemovals();
    if (failure != null) {
      throw failure;
    }
    return removed;
  }

  /**
   * Reports removals to the NameNode at once. DataNodes would delay them, and callers wait for
   * them.
   */
  private void reportRemovals() {
    try {
      dataNode.triggerBlockReport(new BlockReportOptions.Factory().setIncremental(true).build());
    } catch (IOException e) {
      LOG.debug("Removals are reported with the next heartbeat", e);
    }
  }

  /**
   * Reads a replica, or a part of it, through its checksums.
   *
   * @throws AgentException of kind CORRUPT if the checksums do not match; of kind BUSY if another
   *     call is writing the replica to disk
   */
  public BlockChecksum checksum(Messages.ChecksumCall call) throws IOException {
    ExtendedBlock whole = call.block.in(call.pool);
    long length = call.bytes == 0 ? call.block.length - call.offset : call.bytes;
    if (call.sync) {
      sync(whole);
    }
    Checksum crc = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, READ_BYTES);
    byte[] bytes = new byte[READ_BYTES];
    try (LocalReplicaStream in = new LocalReplicaStream(dataNode, whole, call.offset)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      for (long left = length; left > 0; left -= buffer.position()) {
        buffer.clear();
        buffer.limit((int) Math.min(left, bytes.length));
        in.readFully(buffer);
        crc.update(bytes, 0, buffer.position());
      }
    } catch (ChecksumException e) {
      throw new AgentException(AgentException.Kind.CORRUPT, e.getMessage(), e);
    }
    replicas(call.pool).check(whole);
    metrics.add(AgentCount.VERIFIED, length);
    return new BlockChecksum(length, (int) crc.getValue());
  }

  /**
   * Writes a replica to disk, in one call at a time: a retry after a timeout would wait for the
   * same disk.
   */
  private void sync(ExtendedBlock block) throws IOException {
    if (!syncing.add(block)) {
      throw new AgentException(
          AgentException.Kind.BUSY,
          "Cannot make " + block + " durable now: another call is doing so; try again later");
    }
    try {
      replicas(block.getBlockPoolId()).sync(block);
    } finally {
      syncing.remove(block);
    }
  }

  /** Returns the CRC according to the checksums of a replica, without reading its bytes. */
  public BlockClaim claim(String pool, AgentBlock block) throws IOException {
    ExtendedBlock whole = block.in(pool);
    try (FinalizedReplicas.Open files = replicas(pool).open(whole)) {
      DataInputStream meta = files.meta();
      DataChecksum kind = BlockMetadataHeader.readDataChecksum(meta, whole);
      DataChecksum.Type type = kind.getChecksumType();
      if (type != DataChecksum.Type.CRC32 && type != DataChecksum.Type.CRC32C) {
        throw new IOException("Cannot compare " + block + ": it has checksums of type " + type);
      }
      int chunk = kind.getBytesPerChecksum();
      int crc = new ChunkCrcs(type, chunk).compose(meta, block.length);
      return new BlockClaim(type.name(), crc);
    }
  }
}
