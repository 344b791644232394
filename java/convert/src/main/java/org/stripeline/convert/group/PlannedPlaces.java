// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.stripeline.convert.file.Attempt;
import org.stripeline.convert.file.Redundancy;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.Polling;
import org.stripeline.natives.Ticker;

/**
 * Checks that the internal blocks of a complete file are exactly where the last plans of its groups
 * put them.
 *
 * <p>No agent has verified a block elsewhere: it is a link of an abandoned plan, or a block that
 * the NameNode or the balancer has moved. If an internal block exists twice, the NameNode deletes
 * one of them, possibly the one that was verified.
 */
final class PlannedPlaces {
  /** Longer than the NameNode and DataNodes take to remove unlinked or excess blocks. */
  private static final long LIMIT_MS = 30_000;

  /** The low bits of an internal block's id are its index in the group. */
  private static final long INDEX_BITS = 0xf;

  private final Attempt attempt;
  private final Map<Long, JournalRecord> plans = new HashMap<>();

  /** All groups before this byte are placed as planned. */
  private long planned;

  PlannedPlaces(Attempt attempt) {
    this.attempt = attempt;
    for (JournalRecord plan : attempt.open().groups()) {
      // Several plans of a group follow each other; the last one is valid.
      plans.put(plan.blocks.get(0).id & ~INDEX_BITS, plan);
    }
  }

  /**
   * Waits for up to 30 s until the blocks are placed as planned.
   *
   * @param made inode id of the temporary file
   * @throws IOException if they are not, with the first group and its blocks
   */
  void await(DFSClient client, long made, Ticker ticker) throws IOException {
    String path = InodePath.of(made);
    String[] difference = new String[1];
    boolean isAsPlanned =
        Polling.isMet(
            ticker,
            LIMIT_MS,
            () -> {
              difference[0] = difference(client, path);
              return difference[0] == null;
            });
    if (!isAsPlanned) {
      throw new IOException(
          "Cannot use "
              + attempt.temporary()
              + ": "
              + difference[0]
              + "; a DataNode was late, or the NameNode or the balancer has moved a block, which is"
              + " not verified there; convert the file again");
    }
  }

  private String difference(DFSClient client, String path) throws IOException {
    long bytes = attempt.file().bytes();
    long range =
        Redundancy.BLOCKS_AT_ONCE
            * attempt.policy().getNumDataUnits()
            * attempt.file().status().getBlockSize();
    while (planned < bytes) {
      List<LocatedBlock> groups =
          client
              .getLocatedBlocks(path, planned, Math.min(range, bytes - planned))
              .getLocatedBlocks();
      for (LocatedBlock group : groups) {
        String difference = difference(group);
        if (difference != null) {
          return difference;
        }
        planned = group.getStartOffset() + group.getBlockSize();
      }
      if (groups.isEmpty()) {
        return "it has no block at byte " + planned + " of " + bytes;
      }
    }
    return null;
  }

  /** Returns the first group that is not placed as planned and its blocks, or null. */
  String difference(List<LocatedBlock> groups) {
    for (LocatedBlock group : groups) {
      String difference = difference(group);
      if (difference != null) {
        return difference;
      }
    }
    return null;
  }

  private String difference(LocatedBlock group) {
    Map<String, String> names = new HashMap<>();
    TreeSet<String> there = new TreeSet<>();
    byte[] indices = ((LocatedStripedBlock) group).getBlockIndices();
    DatanodeInfo[] holders = group.getLocations();
    for (int i = 0; i < indices.length; i++) {
      String uuid = holders[i].getDatanodeUuid();
      names.put(uuid, holders[i].getXferAddr());
      there.add(place(indices[i], uuid));
    }
    TreeSet<String> wanted = new TreeSet<>();
    JournalRecord plan = plans.get(group.getBlock().getBlockId());
    if (plan == null) {
      return "no plan made its group " + group.getBlock();
    }
    for (JournalRecord.Placed block : plan.blocks) {
      wanted.add(place(block.id & INDEX_BITS, block.node));
    }
    return there.equals(wanted)
        ? null
        : "internal blocks of "
            + group.getBlock()
            + " are at "
            + there
            + " instead of "
            + wanted
            + " ("
            + names
            + ")";
  }

  private static String place(long index, String uuid) {
    return index + "@" + uuid;
  }
}
