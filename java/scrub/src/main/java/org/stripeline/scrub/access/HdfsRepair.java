// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.agent.QuarantinedReplica;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.GroupLocations;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.repair.RepairAccess;
import org.stripeline.scrub.repair.RepairRecord;

/** The access of one repair to a cluster. */
public final class HdfsRepair implements RepairAccess {
  private static final long PAUSE_MS = 1000;

  private final ClusterAccess cluster;
  private final HdfsGroup group;
  private final Check check;
  private final Audit audit;

  /** The wrong replicas as they were located when they were put into quarantine. */
  private final Map<Copy, LocatedBlock> located = new HashMap<>();

  /** Checks the group again. */
  public interface Check {
    /** Returns a new result. */
    GroupResult run() throws IOException;
  }

  /** Writes records of repairs. */
  public interface Audit {
    /** Writes a record; it is durable when this returns. */
    void write(RepairRecord record) throws IOException;

    /** Throws if another repair has taken the file of records, and may work on the same group. */
    void require() throws IOException;
  }

  /** Creates access to a group. */
  public HdfsRepair(ClusterAccess cluster, HdfsGroup group, Check check, Audit audit) {
    this.cluster = cluster;
    this.group = group;
    this.check = check;
    this.audit = audit;
  }

  @Override
  public GroupLocations locate() throws IOException {
    return group.locate();
  }

  @Override
  public boolean isConverted() throws IOException {
    return group.isConverted();
  }

  @Override
  public QuarantinedReplica quarantine(Copy copy, boolean remove) throws IOException {
    if (!located.containsKey(copy)) {
      located.put(copy, group.replica(copy.node, copy.block.id));
    }
    if (remove) {
      audit.require();
    }
    String blockPool = located.get(copy).getBlock().getBlockPoolId();
    return cluster.quarantine(copy.node, blockPool, copy.block, remove);
  }

  @Override
  public void report(Collection<Copy> copies) throws IOException {
    audit.require();
    LocatedBlock[] blocks = copies.stream().map(located::get).toArray(LocatedBlock[]::new);
    cluster.namenode().reportBadBlocks(blocks);
  }

  @Override
  public int freeNodes(Collection<Copy> copies) throws IOException {
    Set<String> used = new HashSet<>();
    for (Copy copy : copies) {
      used.add(copy.node.getDatanodeUuid());
    }
    int free = 0;
    for (DatanodeInfo node : cluster.namenode().datanodeReport(DatanodeReportType.LIVE)) {
      free += node.isInService() && !used.contains(node.getDatanodeUuid()) ? 1 : 0;
    }
    return free;
  }

  @Override
  public GroupResult check() throws IOException {
    return check.run();
  }

  @Override
  public void audit(RepairRecord record) throws IOException {
    audit.write(record);
  }

  @Override
  public void pause() throws IOException {
    cluster.pauseMillis(PAUSE_MS);
  }

  @Override
  public long millis() {
    return cluster.millis();
  }
}
