// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.ipc.RemoteException;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.settings.Origin;
import org.stripeline.natives.codec.Code;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.GroupAccess;
import org.stripeline.scrub.check.GroupLocations;
import org.stripeline.scrub.check.GroupLocations.Unnamed;
import org.stripeline.scrub.check.Layout;

/** Access to one block group, or one replicated block, of a file on HDFS. */
public final class HdfsGroup implements GroupAccess {
  /** Time after a file's last modification within which DataNodes report its replicas. */
  private static final long RECENT_MS = 60_000;

  private final ClusterAccess cluster;
  private final String path;
  private final long fileId;
  private final int replication;
  private final long offset;
  private final long blockId;
  private final AtomicBoolean isByClient = new AtomicBoolean();

  /** The replicas that the NameNode returned last, with the tokens that allow reading them. */
  private Map<String, LocatedBlock> replicas = new HashMap<>();

  /**
   * Creates access.
   *
   * @param path the file, as it was listed
   * @param fileId its inode id
   * @param replication replicas that the file should have; not used for erasure-coded files
   * @param block a block group or a block of the file, as it was listed
   */
  public HdfsGroup(
      ClusterAccess cluster, String path, long fileId, int replication, LocatedBlock block) {
    this.cluster = cluster;
    this.path = path;
    this.fileId = fileId;
    this.replication = replication;
    offset = block.getStartOffset();
    blockId = block.getBlock().getBlockId();
  }

  @Override
  public GroupLocations locate() throws IOException {
    LocatedBlocks file;
    try {
      file = cluster.namenode().getLocatedBlocks(InodePath.of(fileId), offset, 1);
    } catch (FileNotFoundException e) {
      return null;
    }
    if (file == null) {
      return null;
    }
    for (LocatedBlock block : file.getLocatedBlocks()) {
      if (block.getBlock().getBlockId() == blockId) {
        return describe(file, block);
      }
    }
    // The NameNode does not always list a block that is being written with the others.
    LocatedBlock last = file.getLastLocatedBlock();
    boolean isLast = last != null && last.getBlock().getBlockId() == blockId;
    return isLast ? describe(file, last) : null;
  }

  private GroupLocations describe(LocatedBlocks file, LocatedBlock block) throws IOException {
    ErasureCodingPolicy policy = file.getErasureCodingPolicy();
    LocatedBlock last = file.getLastLocatedBlock();
    boolean isLast = last != null && last.getBlock().getBlockId() == blockId;
    boolean isOpen = file.isUnderConstruction() && isLast && !file.isLastBlockComplete();
    Layout layout =
        policy == null
            ? Layout.replicated()
            : Layout.striped(
                Code.of(policy.getCodecName()),
                policy.getNumDataUnits(),
                policy.getNumParityUnits(),
                policy.getCellSize());
    List<Copy> copies = new ArrayList<>();
    Map<String, LocatedBlock> found = new HashMap<>();
    DatanodeInfo[] nodes = block.getLocations();
    for (int i = 0; i < nodes.length; i++) {
      LocatedBlock replica = replica(layout, block, i);
      int unit = policy == null ? 0 : ((LocatedStripedBlock) block).getBlockIndices()[i];
      Copy copy = new Copy(unit, nodes[i], AgentBlock.of(replica.getBlock()));
      copies.add(copy);
      found.put(key(nodes[i], copy.block.id), replica);
    }
    synchronized (this) {
      replicas = found;
    }
    GroupLocations group = locations(block, layout, replication, isOpen, Unnamed.NONE, copies);
    if (!group.isShort()) {
      return group;
    }
    // The replication may have been reduced since the file was listed, or the file be so new that
    // DataNodes still report its replicas.
    HdfsFileStatus status = InodePath.status(cluster.namenode(), fileId);
    if (status == null) {
      return null;
    }
    boolean isRecent =
        file.isUnderConstruction()
            || System.currentTimeMillis() - status.getModificationTime() < RECENT_MS;
    Unnamed unnamed = cluster.unnamed().reason();
    if (unnamed == Unnamed.NONE && isRecent) {
      unnamed = Unnamed.REPORTED_LATE;
    }
    return locations(block, layout, status.getReplication(), isOpen, unnamed, copies);
  }

  private static GroupLocations locations(
      LocatedBlock block,
      Layout layout,
      int replication,
      boolean isOpen,
      Unnamed unnamed,
      List<Copy> copies) {
    return new GroupLocations(
        block.getBlock().getBlockPoolId(),
        block.getBlock().getLocalBlock(),
        layout,
        layout.isReplicated() ? replication : 1,
        isOpen,
        unnamed,
        copies);
  }

  /** Returns one replica, whose block is an internal block if the file is erasure-coded. */
  private static LocatedBlock replica(Layout layout, LocatedBlock block, int number) {
    ExtendedBlock id = new ExtendedBlock(block.getBlock());
    boolean isStriped = !layout.isReplicated();
    if (isStriped) {
      int unit = ((LocatedStripedBlock) block).getBlockIndices()[number];
      id.setBlockId(id.getBlockId() + unit);
      id.setNumBytes(layout.unitBytes(unit, block.getBlockSize()));
    }
    LocatedBlock replica =
        new LocatedBlock(
            id,
            new DatanodeInfo[] {block.getLocations()[number]},
            new String[] {block.getStorageIDs()[number]},
            new StorageType[] {block.getStorageTypes()[number]},
            block.getStartOffset(),
            false,
            null);
    replica.setBlockToken(
        isStriped ? ((LocatedStripedBlock) block).getBlockTokens()[number] : block.getBlockToken());
    return replica;
  }

  /** Returns whether {@code convert} has made the file of another. */
  boolean isConverted() throws IOException {
    try {
      return Origin.replication(cluster.namenode().getXAttrs(InodePath.of(fileId))) > 0;
    } catch (FileNotFoundException | RemoteException e) {
      // The NameNode may not support extended attributes, which convert needs.
      return false;
    }
  }

  private static String key(DatanodeInfo node, long block) {
    return block + " " + node.getDatanodeUuid();
  }

  /** Returns one replica as it was located last, with the token for it. */
  synchronized LocatedBlock replica(DatanodeInfo node, long block) throws IOException {
    LocatedBlock replica = replicas.get(key(node, block));
    if (replica == null) {
      throw new IOException(
          "Cannot read block " + block + " on " + node.getXferAddr() + ": it is no longer there");
    }
    return replica;
  }

  @Override
  public BlockFingerprints fingerprint(DatanodeInfo node, FingerprintRequest request)
      throws IOException {
    return cluster.fingerprint(node, replica(node, request.block.id), request, isByClient);
  }

  /** Returns whether the client read replicas, because a DataNode has no agent. */
  public boolean isByClient() {
    return isByClient.get();
  }

  @Override
  public byte[] read(Copy copy, long from, int bytes) throws IOException {
    return cluster.read(copy.node, replica(copy.node, copy.block.id), from, bytes);
  }

  @Override
  public String rackProblem(GroupLocations group) throws IOException {
    return group.layout().isReplicated() ? null : cluster.racks().problem(path, group);
  }

  @Override
  public void pause(int round) throws IOException {
    cluster.pause(round);
  }
}
