// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.GroupPlan;
import org.stripeline.placement.GroupPlanner;
import org.stripeline.placement.PlacementException;
import org.stripeline.placement.RackRule;
import org.stripeline.server.agent.AgentBlock;
import org.stripeline.server.agent.AgentNode;
import org.stripeline.server.agent.EncodeRequest;

/** One group of a file: what its blocks become, where, and what has to be asked of which agent. */
final class GroupWork {
  private final List<LocatedBlock> blocks;
  private final int number;
  private final ErasureCodingPolicy policy;
  private final AgentNodes.Snapshot cluster;
  private final GroupPlan plan;

  /** Blocks that are sent: those that the plan could not keep, or that would not be linked. */
  private final BitSet sent = new BitSet();

  private LocatedBlock allocated;

  private GroupWork(
      List<LocatedBlock> blocks,
      int number,
      ErasureCodingPolicy policy,
      AgentNodes.Snapshot cluster,
      GroupPlan plan) {
    this.blocks = blocks;
    this.number = number;
    this.policy = policy;
    this.cluster = cluster;
    this.plan = plan;
    for (int i = 0; i < blocks.size(); i++) {
      sent.set(i, !plan.isAdopted(i));
    }
  }

  /**
   * Plans a group on the replicas as they are.
   *
   * @param number index of the group in its file
   * @param seed decides between equal plans
   * @throws PlacementException if there are too few nodes, or a block cannot be read
   */
  static GroupWork plan(
      List<LocatedBlock> blocks,
      int number,
      ErasureCodingPolicy policy,
      AgentNodes.Snapshot cluster,
      long seed)
      throws PlacementException {
    CodeShape shape =
        CodeShape.ofDataAndParity(policy.getNumDataUnits(), policy.getNumParityUnits());
    int[][] replicas = new int[blocks.size()][];
    for (int i = 0; i < replicas.length; i++) {
      replicas[i] = cluster.numbers(blocks.get(i).getLocations());
    }
    // The NameNode's own rule for coded files, or it would move blocks again.
    RackRule rule = RackRule.even(shape, Math.max(1, cluster.topology().liveRacks()));
    GroupPlan plan =
        GroupPlanner.plan(shape, replicas, cluster.topology(), rule, new SplittableRandom(seed));
    return new GroupWork(blocks, number, policy, cluster, plan);
  }

  /** DataNodes that the NameNode is asked to expect the group on. */
  String[] favoredNodes() {
    Set<String> addresses = new LinkedHashSet<>();
    for (int i = 0; i < plan.dataBlocks(); i++) {
      addresses.add(cluster.node(plan.dataNode(i)).getXferAddr());
    }
    for (int i = 0; i < policy.getNumParityUnits(); i++) {
      addresses.add(cluster.node(plan.parityNode(i)).getXferAddr());
    }
    return addresses.toArray(new String[0]);
  }

  /** Takes the group that the NameNode made. */
  void allocate(LocatedBlock group) {
    allocated = group;
  }

  /** The group with the length that it will have. */
  ExtendedBlock committed() {
    ExtendedBlock group = new ExtendedBlock(allocated.getBlock());
    long bytes = 0;
    for (LocatedBlock block : blocks) {
      bytes += block.getBlockSize();
    }
    group.setNumBytes(bytes);
    return group;
  }

  String pool() {
    return allocated.getBlock().getBlockPoolId();
  }

  /** Index of the group in its file. */
  int number() {
    return number;
  }

  int dataBlocks() {
    return blocks.size();
  }

  boolean isAdopted(int block) {
    return !sent.get(block);
  }

  /** Has a block sent to its node, since its replica there cannot be linked. */
  void send(int block) {
    sent.set(block);
  }

  /** Blocks that must be sent. */
  int sends() {
    return sent.cardinality();
  }

  AgentBlock source(int block) {
    return AgentBlock.of(blocks.get(block).getBlock());
  }

  AgentBlock target(int unit) {
    boolean isData = unit < policy.getNumDataUnits();
    // Only the last block of a group can be short: parity is as long as the first.
    long length = blocks.get(isData ? unit : 0).getBlockSize();
    ExtendedBlock group = allocated.getBlock();
    return new AgentBlock(group.getBlockId() + unit, group.getGenerationStamp(), length);
  }

  DatanodeInfo dataNode(int block) {
    return cluster.node(plan.dataNode(block));
  }

  DatanodeInfo encoder() {
    return cluster.node(plan.encoder());
  }

  /** All internal blocks that will come to be, each on its DataNode. */
  List<JournalRecord.Placed> placed() {
    List<JournalRecord.Placed> all = new ArrayList<>();
    for (int i = 0; i < blocks.size(); i++) {
      all.add(placed(i, dataNode(i)));
    }
    for (int i = 0; i < policy.getNumParityUnits(); i++) {
      all.add(placed(policy.getNumDataUnits() + i, cluster.node(plan.parityNode(i))));
    }
    return Collections.unmodifiableList(all);
  }

  private JournalRecord.Placed placed(int unit, DatanodeInfo node) {
    AgentBlock block = target(unit);
    return new JournalRecord.Placed(
        node.getDatanodeUuid(), block.id, block.generationStamp, block.length);
  }

  /** What the encoder has to do. */
  EncodeRequest request(long bytesPerSecond) {
    int k = policy.getNumDataUnits();
    int m = policy.getNumParityUnits();
    EncodeRequest.Builder request =
        new EncodeRequest.Builder(pool(), policy.getCodecName(), k, m)
            .rack(encoder().getNetworkLocation())
            .bytesPerSecond(bytesPerSecond);
    for (int i = 0; i < blocks.size(); i++) {
      List<AgentNode> nodes = new ArrayList<>();
      for (int node : plan.readOrder(i)) {
        nodes.add(AgentNode.of(cluster.node(node)));
      }
      request.data(new EncodeRequest.Source(source(i), nodes));
      if (!isAdopted(i)) {
        request.send(new EncodeRequest.Send(i, goal(i, dataNode(i))));
      }
    }
    for (int i = 0; i < m; i++) {
      request.parity(goal(k + i, cluster.node(plan.parityNode(i))));
    }
    return request.build();
  }

  private EncodeRequest.Target goal(int unit, DatanodeInfo node) {
    DatanodeInfo[] expected = allocated.getLocations();
    for (int i = 0; i < expected.length; i++) {
      if (expected[i].getDatanodeUuid().equals(node.getDatanodeUuid())) {
        return new EncodeRequest.Target(
            target(unit),
            AgentNode.of(node),
            allocated.getStorageTypes()[i].name(),
            allocated.getStorageIDs()[i]);
      }
    }
    // The NameNode expected another node there, but takes a group's blocks from any.
    return new EncodeRequest.Target(target(unit), AgentNode.of(node), "DISK", "");
  }
}
