// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.hdfs.client.impl.DfsClientConf;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;

/**
 * The last block group of an open file whose writer ended before enough DataNodes had blocks of it.
 * Hadoop before 3.5 never recovers the lease of such a file: fewer blocks are found than the code
 * has data units ({@code BlockRecoveryWorker.RecoveryTaskStriped}). If the NameNode knows of no
 * DataNodes of the group and of no bytes, it removes the group and closes the file instead ({@code
 * FSNamesystem.internalReleaseLease}).
 *
 * <p>So whoever recovers the lease first makes the NameNode forget the DataNodes, in the name of
 * the writer. That is possible only before the first recovery begins, and before the writer has
 * committed the group. No acknowledged byte is lost: a sync returns when its group is complete.
 */
final class UnrecoverableGroup {
  private static final int TIMEOUT_MILLIS = 3000;

  /** The message of {@code FSNamesystem.checkLease} to a client that does not hold the lease. */
  private static final Pattern OWNER = Pattern.compile("is not the lease owner \\(=(.+?): ");

  private final DFSClient client;
  private final String src;
  private final ErasureCodingPolicy policy;
  private final LocatedStripedBlock group;
  private final LocatedStripedBlock previous;

  /** The settings of calls to DataNodes: one that does not answer at once is left out. */
  private final Configuration calls;

  private UnrecoverableGroup(
      DFSClient client,
      String src,
      ErasureCodingPolicy policy,
      LocatedBlock group,
      LocatedBlock previous) {
    this.client = client;
    this.src = src;
    this.policy = policy;
    this.group = (LocatedStripedBlock) group;
    this.previous = (LocatedStripedBlock) previous;
    calls = impatient(client.getConfiguration());
  }

  /** What a DataNode says of an internal block. */
  private enum Answer {
    PRESENT,
    ABSENT,
    NONE
  }

  /** Makes the NameNode forget the DataNodes of an empty block group. */
  static void forgetNodes(DFSClient client, ExtendedBlock group, String holder, int units)
      throws IOException {
    ExtendedBlock empty = new ExtendedBlock(group);
    empty.setGenerationStamp(
        client.namenode.updateBlockForPipeline(group, holder).getBlock().getGenerationStamp());
    DatanodeInfo[] nodes = new DatanodeInfo[units];
    Arrays.fill(nodes, new DatanodeInfoBuilder().setNodeID(DatanodeID.EMPTY_DATANODE_ID).build());
    String[] storages = new String[units];
    Arrays.fill(storages, "");
    client.namenode.updatePipeline(holder, group, empty, nodes, storages);
  }

  /** A call that recovers a lease. */
  interface Recovery {
    /** Returns whether the file is closed. */
    boolean run() throws IOException;
  }

  /** Recovers the lease of a file; an unrecoverable last group does not prevent it. */
  static boolean recover(DFSClient client, String src, Recovery recovery) throws IOException {
    String holder = null;
    try {
      UnrecoverableGroup found = find(client, src);
      if (found != null && found.isUnrecoverable()) {
        holder = found.forgetNodes();
      }
    } catch (IOException | RuntimeException e) {
      DFSClient.LOG.debug("Looking for an unrecoverable last block group of {}", src, e);
    }
    if (holder == null) {
      return recovery.run();
    }
    DFSClient.LOG.info("The last block group of {} is on too few DataNodes and is removed", src);
    try {
      return recovery.run();
    } catch (RemoteException e) {
      // If the group before is not complete yet, the NameNode has removed the last one without
      // writing that to its edit log. A later recovery of the group before would make the log
      // unreadable (FSEditLogLoader.updateBlocks), so this call writes the list of groups.
      client.namenode.fsync(src, HdfsConstants.GRANDFATHER_INODE_ID, holder, -1);
      throw e;
    }
  }

  /** Returns null unless the last block group of an open file has no byte and has DataNodes. */
  private static UnrecoverableGroup find(DFSClient client, String src) throws IOException {
    LocatedBlocks blocks = client.namenode.getBlockLocations(src, 0, 1);
    if (blocks == null
        || blocks.getErasureCodingPolicy() == null
        || !blocks.isUnderConstruction()
        || blocks.isLastBlockComplete()) {
      return null;
    }
    LocatedBlock last = blocks.getLastLocatedBlock();
    if (last == null || last.getBlockSize() > 0 || last.getLocations().length == 0) {
      return null;
    }
    long length = last.getStartOffset();
    LocatedBlocks before =
        length == 0 ? null : client.namenode.getBlockLocations(src, length - 1, 1);
    return new UnrecoverableGroup(
        client, src, blocks.getErasureCodingPolicy(), last, before == null ? null : before.get(0));
  }

  /**
   * Returns whether too few DataNodes can have a block of the group to recover any byte of it, and
   * the NameNode knows that the group before is complete. Hadoop 3.5 removes a group for the same
   * reason.
   */
  private boolean isUnrecoverable() {
    long possible =
        Arrays.stream(units(group))
            .filter(unit -> unit != null && ask(unit) != Answer.ABSENT)
            .limit(policy.getNumDataUnits())
            .count();
    return possible < policy.getNumDataUnits() && (previous == null || isReported(previous));
  }

  /**
   * Returns whether the NameNode very likely knows that DataNodes have finished a group. Before
   * they have reported it, the NameNode names all that were to write it.
   */
  private boolean isReported(LocatedStripedBlock before) {
    LocatedBlock[] units = units(before);
    if (Arrays.stream(units).anyMatch(Objects::isNull)) {
      return true;
    }
    long cells = (before.getBlockSize() - 1) / policy.getCellSize() + 1;
    long needed = Math.min(cells, policy.getNumDataUnits());
    long found =
        Arrays.stream(units).filter(unit -> ask(unit) == Answer.PRESENT).limit(needed).count();
    return found == needed;
  }

  private LocatedBlock[] units(LocatedStripedBlock of) {
    return StripedBlockUtil.parseStripedBlockGroup(
        of, policy.getCellSize(), policy.getNumDataUnits(), policy.getNumParityUnits());
  }

  /** Asks the DataNode of an internal block whether it has it. */
  private Answer ask(LocatedBlock unit) {
    ClientDatanodeProtocol node = null;
    try {
      DfsClientConf settings = client.getConf();
      node =
          DFSUtilClient.createClientDatanodeProtocolProxy(
              unit.getLocations()[0],
              calls,
              Math.min(TIMEOUT_MILLIS, settings.getSocketTimeout()),
              settings.isConnectToDnViaHostname(),
              unit);
      node.getReplicaVisibleLength(unit.getBlock());
      return Answer.PRESENT;
    } catch (RemoteException e) {
      boolean isAbsent = ReplicaNotFoundException.class.getName().equals(e.getClassName());
      DFSClient.LOG.debug("{} on {}", unit.getBlock(), unit.getLocations()[0], e);
      return isAbsent ? Answer.ABSENT : Answer.NONE;
    } catch (IOException e) {
      DFSClient.LOG.debug("{} on {}", unit.getBlock(), unit.getLocations()[0], e);
      return Answer.NONE;
    } finally {
      if (node != null) {
        RPC.stopProxy(node);
      }
    }
  }

  private static Configuration impatient(Configuration conf) {
    Configuration own = new Configuration(conf);
    own.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
    own.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    own.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_TIMEOUT_KEY, TIMEOUT_MILLIS);
    return own;
  }

  /** Makes the NameNode forget the DataNodes of the group; returns the holder of the lease. */
  private String forgetNodes() throws IOException {
    // The calls below need no permission, but those who may not recover the lease change nothing.
    client.namenode.checkAccess(src, FsAction.WRITE);
    String holder = holder();
    int units = policy.getNumDataUnits() + policy.getNumParityUnits();
    forgetNodes(client, group.getBlock(), holder, units);
    return holder;
  }

  /** Returns the client that holds the lease, which the NameNode names only in a message. */
  private String holder() throws IOException {
    try {
      client.namenode.fsync(src, HdfsConstants.GRANDFATHER_INODE_ID, client.clientName, -1);
      return client.clientName;
    } catch (RemoteException e) {
      Matcher owner = OWNER.matcher(e.getMessage());
      if (!owner.find()) {
        throw e;
      }
      return owner.group(1);
    }
  }
}
