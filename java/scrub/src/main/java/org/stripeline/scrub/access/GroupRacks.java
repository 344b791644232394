// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.convert.namenode.RackRules;
import org.stripeline.natives.Ticker;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.StripeAudit;
import org.stripeline.plan.source.ClusterView;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.GroupLocations;
import org.stripeline.scrub.check.Layout;

/** Compares the racks of groups with the rules that {@code plan --audit} has for them. */
final class GroupRacks {
  /** Age at which the list of DataNodes is read again. */
  private static final long REFRESH_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final int ABSENT = -1;

  private final DistributedFileSystem fs;
  private final Ticker ticker;
  private RackRules rules;
  private ClusterView cluster;
  private long readAt;

  GroupRacks(DistributedFileSystem fs, Ticker ticker) {
    this.fs = fs;
    this.ticker = ticker;
  }

  /**
   * Returns how a group in which no block is missing breaks the rule for it; null if it does not.
   *
   * @param path the group's file
   */
  synchronized String problem(String path, GroupLocations group) throws IOException {
    if (rules == null) {
      rules = RackRules.ask(fs.getUri(), fs.getConf(), false);
    }
    if (cluster == null || ticker.nanos() - readAt > REFRESH_NANOS) {
      cluster = ClusterView.of(fs);
      readAt = ticker.nanos();
    }
    Layout layout = group.layout();
    int parity = layout.units() - layout.dataUnits();
    int[] nodes = nodes(group);
    CodeShape shape = CodeShape.ofDataAndParity(layout.dataUnits(), parity);
    int racks = cluster.topology().liveRacks();
    RackRule rule = rules.rule(path, shape, nodes.length - parity, racks);
    StripeAudit audit = StripeAudit.of(nodes, parity, cluster.topology(), rule);
    if (audit.blocksMissing() > 0) {
      return null;
    }
    boolean isAtRisk =
        audit.rackFailuresTolerated() < 1 && rule.blocksPerRackMax() <= parity && racks > 1;
    return audit.relaxation().racksMissing() > 0 || isAtRisk ? audit.relaxation().toString() : null;
  }

  /** Returns the DataNode of each unit that has bytes. */
  private int[] nodes(GroupLocations group) {
    int[] nodes = new int[group.layout().units()];
    int count = 0;
    for (int unit = 0; unit < nodes.length; unit++) {
      if (group.unitBytes(unit) > 0) {
        nodes[count++] = node(group, unit);
      }
    }
    return Arrays.copyOf(nodes, count);
  }

  /** Returns the DataNode of a unit, of several replicas one on a live DataNode. */
  private int node(GroupLocations group, int unit) {
    int found = ABSENT;
    for (Copy copy : group.copies()) {
      if (copy.unit == unit) {
        int number = cluster.numbers(new DatanodeInfo[] {copy.node})[0];
        if (found == ABSENT || cluster.topology().state(number).isReadable()) {
          found = number;
        }
      }
    }
    return found;
  }
}
