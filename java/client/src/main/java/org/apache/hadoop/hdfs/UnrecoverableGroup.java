// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.permission.FsAction;
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
import org.apache.hadoop.util.Daemon;
import org.stripeline.natives.Ticker;

/**
 * The last block group of an open file whose writer ended before enough DataNodes had blocks of it.
 * Hadoop before 3.5 never recovers the lease of such a file: fewer blocks are found than the code
 * has data units ({@code BlockRecoveryWorker.RecoveryTaskStriped}). If the NameNode knows of no
 * DataNodes of the group and of no bytes, it removes the group and closes the file instead ({@code
 * FSNamesystem.internalReleaseLease}).
 *
 * <p>So before a client recovers the lease, it makes the NameNode forget the DataNodes, in the name
 * of the writer. That is possible only before the first recovery begins, and before the writer has
 * committed the group. No acknowledged byte is lost: a sync returns when its group is complete.
 *
 * <p>Nothing is removed before the NameNode calls the group before complete. A NameNode that
 * recovers the lease earlier removes the last group and then fails, without a record in its edit
 * log. If the group before is recovered next, with a new generation stamp, no NameNode can read the
 * record of that ({@code FSEditLogLoader.updateBlocks}).
 */
final class UnrecoverableGroup {
  private static final int TIMEOUT_MILLIS = 3000;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** How often the NameNode is asked for the group before: for 1 s at least. */
  private static final int STATES_MAX = 20;

  /** The message of {@code FSNamesystem.checkLease} to a client that does not hold the lease. */
  private static final Pattern OWNER = Pattern.compile("is not the lease owner \\(=(.+?): ");

  /** The message of {@code FSNamesystem.checkUCBlock} of a block that is not being written. */
  private static final Pattern STATE = Pattern.compile("BlockUCState: .+ is ([A-Z_]+) but not ");

  private final DFSClient client;
  private final String src;
  private final ErasureCodingPolicy policy;
  private final LocatedStripedBlock group;

  /** The group before, or null. */
  private final ExtendedBlock previous;

  /** The settings of calls to DataNodes: one that refuses connections is not asked again. */
  private final Configuration calls;

  private UnrecoverableGroup(
      DFSClient client,
      String src,
      ErasureCodingPolicy policy,
      LocatedBlock group,
      ExtendedBlock previous) {
    this.client = client;
    this.src = src;
    this.policy = policy;
    this.group = (LocatedStripedBlock) group;
    this.previous = previous;
    calls = new Configuration(client.getConfiguration());
    calls.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
  }

  /** Makes the NameNode forget the DataNodes of an empty block group. */
  static void forgetNodes(DFSClient client, ExtendedBlock group, String holder, int units)
      throws IOException {
    forgetNodes(client, group, newStamp(client, group, holder), holder, units);
  }

  private static long newStamp(DFSClient client, ExtendedBlock group, String holder)
      throws IOException {
    return client.namenode.updateBlockForPipeline(group, holder).getBlock().getGenerationStamp();
  }

  private static void forgetNodes(
      DFSClient client, ExtendedBlock group, long stamp, String holder, int units)
      throws IOException {
    ExtendedBlock empty = new ExtendedBlock(group);
    empty.setGenerationStamp(stamp);
    DatanodeInfo[] nodes = new DatanodeInfo[units];
    Arrays.fill(nodes, new DatanodeInfoBuilder().setNodeID(DatanodeID.EMPTY_DATANODE_ID).build());
    String[] storages = new String[units];
    Arrays.fill(storages, "");
    client.namenode.updatePipeline(holder, group, empty, nodes, storages);
  }

  /** What became of the group. */
  private enum Outcome {
    REMOVED,
    LEFT,
    /** The group before is not reported yet. */
    TOO_EARLY
  }

  /** A call that recovers a lease. */
  interface Recovery {
    /** Returns whether the file is closed. */
    boolean run() throws IOException;
  }

  /**
   * Recovers the lease of a file; an unrecoverable last group does not prevent it. As long as the
   * DataNodes have not reported the group before that one, no recovery begins: Hadoop before 3.5
   * would never end it, and the group could no longer be removed.
   */
  static boolean recover(DFSClient client, String src, Recovery recovery) throws IOException {
    try {
      UnrecoverableGroup found = find(client, src);
      if (found != null && (found.hasNoNodes() || found.isUnrecoverable())) {
        Outcome outcome = found.forgetNodes();
        DFSClient.LOG.info("The last block group of {} is on too few DataNodes: {}", src, outcome);
        if (outcome == Outcome.TOO_EARLY) {
          return false;
        }
      }
    } catch (IOException | RuntimeException e) {
      DFSClient.LOG.debug("Looking for an unrecoverable last block group of {}", src, e);
    }
    return recovery.run();
  }

  /** Returns null unless the last block group of an open file has no byte. */
  private static UnrecoverableGroup find(DFSClient client, String src) throws IOException {
    LocatedBlocks blocks = client.namenode.getBlockLocations(src, 0, 1);
    if (blocks == null
        || blocks.getErasureCodingPolicy() == null
        || !blocks.isUnderConstruction()
        || blocks.isLastBlockComplete()) {
      return null;
    }
    LocatedBlock last = blocks.getLastLocatedBlock();
    if (last == null || last.getBlockSize() > 0) {
      return null;
    }
    long length = last.getStartOffset();
    LocatedBlocks before =
        length == 0 ? null : client.namenode.getBlockLocations(src, length - 1, 1);
    return new UnrecoverableGroup(
        client,
        src,
        blocks.getErasureCodingPolicy(),
        last,
        before == null ? null : before.get(0).getBlock());
  }

  private boolean hasNoNodes() {
    return group.getLocations().length == 0;
  }

  /**
   * Returns whether too few DataNodes can have a block of the group to recover any byte of it.
   * Hadoop 3.5 removes a group for the same reason. A DataNode that the NameNode does not name may
   * have a block: observers, and NameNodes that have just started, name those that have reported.
   * So may one that does not answer in time.
   */
  private boolean isUnrecoverable() throws IOException {
    LocatedBlock[] units =
        StripedBlockUtil.parseStripedBlockGroup(
            group, policy.getCellSize(), policy.getNumDataUnits(), policy.getNumParityUnits());
    List<Callable<Boolean>> questions =
        Arrays.stream(units)
            .filter(Objects::nonNull)
            .map(unit -> (Callable<Boolean>) () -> mayHave(unit))
            .collect(Collectors.toList());
    ExecutorService threads = Executors.newCachedThreadPool(new Daemon.DaemonFactory());
    try {
      int possible = units.length - questions.size();
      for (Future<Boolean> answer :
          threads.invokeAll(questions, TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
        possible += answer.isCancelled() || answer.get() ? 1 : 0;
      }
      return possible < policy.getNumDataUnits();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      throw new IOException(e);
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * Asks the DataNode of an internal block for its length. Returns false if there is no such block,
   * or an empty one, which a recovery does not count either.
   */
  private boolean mayHave(LocatedBlock unit) {
    ClientDatanodeProtocol node = null;
    try {
      node =
          DFSUtilClient.createClientDatanodeProtocolProxy(
              unit.getLocations()[0],
              calls,
              TIMEOUT_MILLIS,
              client.getConf().isConnectToDnViaHostname(),
              unit);
      // It is -1 if the DataNode has restarted since the block was written.
      return node.getReplicaVisibleLength(unit.getBlock()) != 0;
    } catch (RemoteException e) {
      DFSClient.LOG.debug("{} on {}", unit.getBlock(), unit.getLocations()[0], e);
      return !ReplicaNotFoundException.class.getName().equals(e.getClassName());
    } catch (IOException e) {
      DFSClient.LOG.debug("{} on {}", unit.getBlock(), unit.getLocations()[0], e);
      return true;
    } finally {
      if (node != null) {
        RPC.stopProxy(node);
      }
    }
  }

  /** Makes the NameNode forget the DataNodes of the group, if that is possible. */
  private Outcome forgetNodes() throws IOException {
    // The calls below need no permission, but those who may not recover the lease change nothing.
    client.namenode.checkAccess(src, FsAction.WRITE);
    String holder = holder();
    if (previous != null) {
      String state = awaitPrevious(holder);
      if (!state.equals("COMPLETE")) {
        return state.equals("COMMITTED") ? Outcome.TOO_EARLY : Outcome.LEFT;
      }
    }
    if (hasNoNodes()) {
      return Outcome.LEFT;
    }
    // Refused if the writer replaces the DataNodes after this: it sets a higher stamp.
    long stamp = newStamp(client, group.getBlock(), holder);
    UnrecoverableGroup now = find(client, src);
    if (now == null
        || !now.group.getBlock().equals(group.getBlock())
        || !Objects.equals(now.previous, previous)
        || !now.isUnrecoverable()) {
      return Outcome.LEFT;
    }
    int units = policy.getNumDataUnits() + policy.getNumParityUnits();
    forgetNodes(client, group.getBlock(), stamp, holder, units);
    return Outcome.REMOVED;
  }

  /** Returns the state of the group before; waits while it is committed, but not reported. */
  private String awaitPrevious(String holder) throws IOException {
    String state = stateOfPrevious(holder);
    for (int i = 1; i < STATES_MAX && state.equals("COMMITTED"); i++) {
      try {
        Ticker.SYSTEM.sleep(RETRY_NANOS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return state;
      }
      state = stateOfPrevious(holder);
    }
    return state;
  }

  /** Returns the state of the group before, which the NameNode names only in a message. */
  private String stateOfPrevious(String holder) throws IOException {
    try {
      client.namenode.updateBlockForPipeline(previous, holder);
      return "UNDER_CONSTRUCTION";
    } catch (RemoteException e) {
      Matcher state = STATE.matcher(e.getMessage());
      if (!state.find()) {
        throw e;
      }
      return state.group(1);
    }
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
