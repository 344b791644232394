// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.BadReplica;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.convert.job.AdoptionTraffic;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.GroupPlanner;
import org.stripeline.placement.group.PlacementException;
import org.stripeline.placement.group.RackTraffic;

/** One group of a file: the placement of its blocks, and the requests to the agents. */
final class GroupWork implements AutoCloseable {
  private final ErasureCodingPolicy policy;
  private final long bytes;

  /** Blocks that are sent: those that the plan could not keep, or that could not be linked. */
  private final BitSet sent = new BitSet();

  /** DataNodes on which blocks are linked already; null for those that are not. */
  private final DatanodeInfo[] linked;

  /**
   * DataNodes that were asked to link a block, so that the link may exist; null if none was asked.
   */
  private final DatanodeInfo[] asked;

  /** Whether an agent was asked to write the blocks that the plan does not keep. */
  private boolean isEncodeAsked;

  /** UUIDs of DataNodes that have failed to encode this group. */
  private final Set<String> failedEncoders = new HashSet<>();

  private final BadReplicas bad = new BadReplicas();

  /** The rule for the racks of the group, by the number of racks. */
  private final IntFunction<RackRule> rule;

  private final BlockNeed need;
  private final JobLoad load;
  private JobLoad.Share share = new JobLoad.Share();
  private List<LocatedBlock> blocks;
  private AgentNodes.Snapshot cluster;
  private GroupPlan plan;
  private LocatedBlock allocated;

  private GroupWork(
      List<LocatedBlock> blocks,
      ErasureCodingPolicy policy,
      BlockStoragePolicy storagePolicy,
      IntFunction<RackRule> rule,
      JobLoad load) {
    this.blocks = blocks;
    this.policy = policy;
    this.rule = rule;
    this.load = load;
    need = BlockNeed.of(storagePolicy, blocks.get(0).getBlockSize());
    linked = new DatanodeInfo[blocks.size()];
    asked = new DatanodeInfo[blocks.size()];
    long sum = 0;
    for (LocatedBlock block : blocks) {
      sum += block.getBlockSize();
    }
    bytes = sum;
  }

  /**
   * Plans a group on its existing replicas.
   *
   * @param storagePolicy storage policy of the file; new blocks are only placed where it has space
   * @param rule returns the rule for the racks of the group for a number of live racks
   * @param load traffic and writes of groups planned before; this one is added until it is closed
   * @param seed decides between equal plans
   * @throws PlacementException if there are too few nodes, or a block cannot be read
   */
  static GroupWork plan(
      List<LocatedBlock> blocks,
      ErasureCodingPolicy policy,
      BlockStoragePolicy storagePolicy,
      IntFunction<RackRule> rule,
      AgentNodes.Snapshot cluster,
      JobLoad load,
      long seed)
      throws PlacementException {
    GroupWork group = new GroupWork(blocks, policy, storagePolicy, rule, load);
    group.take(cluster, (nodes, traffic) -> group.solve(nodes, traffic, seed));
    return group;
  }

  /**
   * Removes the group's traffic and writes from the load, after it was encoded or abandoned. Also
   * forgets the snapshot, which has all DataNodes: a file has thousands of groups.
   */
  @Override
  public void close() {
    load.remove(share);
    cluster = null;
    plan = null;
    blocks = null;
  }

  private GroupPlan solve(AgentNodes.Snapshot nodes, RackTraffic traffic, long seed)
      throws PlacementException {
    CodeShape shape =
        CodeShape.ofDataAndParity(policy.getNumDataUnits(), policy.getNumParityUnits());
    int[][] replicas = new int[blocks.size()][];
    for (int i = 0; i < replicas.length; i++) {
      replicas[i] = nodes.numbers(bad.others(i, blocks.get(i)));
      if (linked[i] != null && !bad.has(i, linked[i])) {
        // A linked block stays on its DataNode if that is possible.
        int[] there = nodes.numbers(new DatanodeInfo[] {linked[i]});
        boolean stays = there.length == 1 && nodes.topology().state(there[0]).keeps();
        replicas[i] = stays ? there : replicas[i];
      }
    }
    RackRule now = rule.apply(nodes.topology().liveRacks());
    return GroupPlanner.plan(
        shape, replicas, nodes.topology(), now, null, traffic, new SplittableRandom(seed));
  }

  /** Excludes replicas from further plans, and returns whether any of them was not excluded yet. */
  boolean leaveOut(List<BadReplica> found) {
    return bad.add(found);
  }

  private void take(AgentNodes.Snapshot nodes, JobLoad.Planner planner) throws PlacementException {
    load.remove(share);
    share =
        load.plan(
            nodes,
            need,
            (open, traffic) -> {
              requireRoom(open);
              plan = planner.plan(open, traffic);
              // Node numbers in a plan refer to the snapshot that it was made for.
              cluster = open;
              return plan;
            });
    sent.clear();
    for (int i = 0; i < blocks.size(); i++) {
      sent.set(i, !plan.isAdopted(i));
    }
  }

  /** Requires k DataNodes with space, without which the NameNode does not allocate a group. */
  private void requireRoom(AgentNodes.Snapshot open) throws PlacementException {
    int k = policy.getNumDataUnits();
    if (open.takers() < k) {
      throw new PlacementException(
          "Cannot place a group: HDFS creates one only if "
              + k
              + " DataNodes have room for a"
              + " block of "
              + need.bytes()
              + " bytes, "
              + open.takers()
              + " of "
              + open.topology().nodes()
              + " have; free space, or add DataNodes");
    }
  }

  /**
   * Plans the group again after DataNodes have failed. Linked blocks stay on their DataNodes if
   * these can keep them. Blocks that are written go to other DataNodes than before, unless that
   * makes the placement worse, since the failed task may still be running there.
   *
   * @param now the same blocks with the current locations of their replicas
   * @return blocks that are no longer needed, by the DataNode that may have them
   * @throws PlacementException if there are too few nodes, or a block cannot be read
   */
  Map<DatanodeInfo, List<AgentBlock>> planAgain(
      List<LocatedBlock> now, AgentNodes.Snapshot nodes, long seed) throws PlacementException {
    Map<DatanodeInfo, List<AgentBlock>> unwanted = new LinkedHashMap<>();
    Set<String> before = new HashSet<>();
    for (int unit : written()) {
      DatanodeInfo node = node(unit);
      before.add(node.getDatanodeUuid());
      if (isEncodeAsked) {
        unwanted.computeIfAbsent(node, any -> new ArrayList<>()).add(target(unit));
      }
    }
    isEncodeAsked = false;
    blocks = now;
    take(nodes, (open, traffic) -> elsewhere(open, before, traffic, seed));
    for (int i = 0; i < asked.length; i++) {
      boolean stays =
          asked[i] == null
              || isAdopted(i)
                  && !bad.has(i, asked[i])
                  && asked[i].getDatanodeUuid().equals(dataNode(i).getDatanodeUuid());
      if (!stays) {
        // An agent whose answer was lost may have linked the block.
        unwanted.computeIfAbsent(asked[i], any -> new ArrayList<>()).add(target(i));
        asked[i] = null;
        linked[i] = null;
      }
    }
    return unwanted;
  }

  private GroupPlan elsewhere(
      AgentNodes.Snapshot nodes, Set<String> before, RackTraffic traffic, long seed)
      throws PlacementException {
    GroupPlan anywhere = solve(nodes, traffic, seed);
    try {
      GroupPlan elsewhere = solve(nodes.sparing(before), traffic, seed);
      boolean isNoWorse =
          elsewhere.sends() <= anywhere.sends()
              && (elsewhere.relaxation().isNone() || !anywhere.relaxation().isNone());
      return isNoWorse ? elsewhere : anywhere;
    } catch (PlacementException e) {
      return anywhere;
    }
  }

  /** Selects another DataNode as encoder from now on. */
  void encoderFailed() {
    failedEncoders.add(encoder().getDatanodeUuid());
  }

  /** Returns the DataNodes that the NameNode should expect for the group. */
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

  /** Sets the group that the NameNode allocated. */
  void allocate(LocatedBlock group) {
    allocated = group;
  }

  /** Returns the group with its final length. */
  ExtendedBlock committed() {
    ExtendedBlock group = new ExtendedBlock(allocated.getBlock());
    group.setNumBytes(bytes);
    return group;
  }

  String pool() {
    return allocated.getBlock().getBlockPoolId();
  }

  int dataBlocks() {
    return linked.length;
  }

  boolean isAdopted(int block) {
    return !sent.get(block);
  }

  /** Returns whether a kept block has been linked. */
  boolean isLinked(int block) {
    return linked[block] != null;
  }

  /** Records that an agent is asked to link a block, so that the link may exist. */
  void linkAsked(int block) {
    asked[block] = dataNode(block);
  }

  /** Records that a link does not exist, since the agent did not receive the request. */
  void linkRefused(int block) {
    asked[block] = null;
  }

  /** Records that a block has been linked. */
  void linked(int block) {
    linked[block] = dataNode(block);
  }

  /** Returns whether a kept block could also be written to its DataNode. */
  boolean canBeSent(int block) {
    return !cluster.isSpared(dataNode(block));
  }

  /** Marks a block to be sent to its DataNode, since its replica there cannot be linked. */
  void send(int block) {
    sent.set(block);
    load.addWrite(share, dataNode(block).getDatanodeUuid(), need.bytes());
  }

  /** Returns the number of blocks of which a replica is kept. */
  int adopted() {
    return blocks.size() - sent.cardinality();
  }

  /** Returns the number of blocks that must be sent. */
  int sends() {
    return sent.cardinality();
  }

  AgentBlock source(int block) {
    return AgentBlock.of(blocks.get(block).getBlock());
  }

  AgentBlock target(int unit) {
    boolean isData = unit < policy.getNumDataUnits();
    // Only the last block of a group can be short; parity is as long as the first.
    long length = blocks.get(isData ? unit : 0).getBlockSize();
    ExtendedBlock group = allocated.getBlock();
    return new AgentBlock(group.getBlockId() + unit, group.getGenerationStamp(), length);
  }

  DatanodeInfo dataNode(int block) {
    return cluster.node(plan.dataNode(block));
  }

  /**
   * Returns the encoder: the one of the plan, or if that failed another one in the core rack, or
   * else any.
   */
  DatanodeInfo encoder() {
    return cluster.node(encoderNumber());
  }

  private int encoderNumber() {
    return choice().number(failedEncoders);
  }

  private EncoderChoice choice() {
    return new EncoderChoice(plan, cluster, blocks);
  }

  /** Returns the DataNodes that the plan uses. */
  Set<DatanodeInfo> nodes() {
    Set<DatanodeInfo> all = new LinkedHashSet<>();
    all.add(encoder());
    for (int i = 0; i < blocks.size(); i++) {
      all.add(dataNode(i));
    }
    for (int unit : written()) {
      all.add(node(unit));
    }
    return all;
  }

  /** Returns the units that the encoder writes: parity, and data that is sent. */
  private List<Integer> written() {
    List<Integer> units = new ArrayList<>();
    sent.stream().forEach(units::add);
    for (int i = 0; i < policy.getNumParityUnits(); i++) {
      units.add(policy.getNumDataUnits() + i);
    }
    return units;
  }

  private DatanodeInfo node(int unit) {
    int k = policy.getNumDataUnits();
    return unit < k ? dataNode(unit) : cluster.node(plan.parityNode(unit - k));
  }

  /** Returns all internal blocks that will be created, each with its DataNode. */
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

  /** Counts the bytes of the group, which {@code encoder} has encoded, for each DataNode. */
  void count(DatanodeInfo encoder, AdoptionTraffic traffic) {
    traffic.add(encoder, bytes, 0, 0);
    for (int i = 0; i < blocks.size(); i++) {
      if (isAdopted(i)) {
        traffic.add(dataNode(i), 0, target(i).length, 0);
      }
    }
    for (int unit : written()) {
      traffic.add(node(unit), 0, 0, target(unit).length);
    }
  }

  /** Returns the request to the encoder. */
  EncodeRequest request(long bytesPerSecond) {
    int k = policy.getNumDataUnits();
    int m = policy.getNumParityUnits();
    int encoder = encoderNumber();
    isEncodeAsked = true;
    EncodeRequest.Builder request =
        new EncodeRequest.Builder(pool(), policy.getCodecName(), k, m)
            .rack(cluster.node(encoder).getNetworkLocation())
            .bytesPerSecond(bytesPerSecond);
    for (int i = 0; i < blocks.size(); i++) {
      request.data(new EncodeRequest.Source(source(i), choice().readOrder(i, encoder, bad)));
      if (isAdopted(i)) {
        request.kept(new EncodeRequest.Kept(i, target(i), AgentNode.of(dataNode(i))));
      } else {
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
    // The NameNode expected another node there, but accepts a group's blocks from any.
    StorageType fits = need.typeOn(cluster.storages(node));
    StorageType type = fits == null ? allocated.getStorageTypes()[0] : fits;
    return new EncodeRequest.Target(target(unit), AgentNode.of(node), type.name(), "");
  }
}
