// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.AddErasureCodingPolicyResponse;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.tools.DebugAdmin;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.apache.hadoop.util.ToolRunner;
import org.stripeline.convert.fixture.AgentSwitch;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ReplicaFiles;
import org.stripeline.natives.codec.Code;
import org.stripeline.scrub.check.Layout;
import org.stripeline.terminal.ExitStatus;

/**
 * A cluster with files of all policies, of which blocks are damaged beneath their checksums at
 * random places, and the comparison of what a scrub finds with what was damaged.
 */
final class DamageTrial implements AutoCloseable {
  private static final int WINDOW = 1 << 20;
  private static final int DAMAGED_BYTES_MAX = 5000;
  private static final int CELL_SMALL = 64 << 10;

  private static final List<String> BUILT_IN =
      List.of(
          "RS-6-3-1024k", "RS-3-2-1024k", "RS-10-4-1024k", "RS-LEGACY-6-3-1024k", "XOR-2-1-1024k");

  private final ConvertCluster cluster;
  private final Random random;

  /** The policy of each file; null for a replicated one. */
  private final Map<String, ErasureCodingPolicy> files = new LinkedHashMap<>();

  /** The damaged units of each damaged window of each damaged group, named by its first block. */
  private final Map<String, Map<Long, Set<Integer>>> damaged = new TreeMap<>();

  private final Set<String> damagedFiles = new TreeSet<>();

  DamageTrial(Path directory, long seed) throws IOException {
    random = new Random(seed);
    cluster =
        new ConvertCluster(
            directory.resolve("dfs"),
            14,
            14,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.set("stripeline.agent.scrub.bandwidth", "0");
              conf.setInt("dfs.datanode.scan.period.hours", -1);
              conf.setInt("dfs.datanode.directoryscan.interval", -1);
              // Under load, HDFS would rebuild blocks that are reported late, so that there are
              // two.
              conf.setInt("dfs.namenode.replication.max-streams", 0);
              conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 0);
            });
  }

  /** Returns a policy of a name with cells of 1 MiB, or the same with small cells. */
  private ErasureCodingPolicy policy(String name, boolean isSmall) throws IOException {
    DistributedFileSystem fs = cluster.fs();
    ErasureCodingPolicy found = null;
    for (var each : fs.getAllErasureCodingPolicies()) {
      found = each.getPolicy().getName().equals(name) ? each.getPolicy() : found;
    }
    if (isSmall) {
      ECSchema schema = found.getSchema();
      AddErasureCodingPolicyResponse[] added =
          fs.addErasureCodingPolicies(
              new ErasureCodingPolicy[] {new ErasureCodingPolicy(schema, CELL_SMALL)});
      assertThat(added[0].isSucceed()).as("%s", added[0]).isTrue();
      found = added[0].getPolicy();
    }
    fs.enableErasureCodingPolicy(found.getName());
    return found;
  }

  /**
   * Writes files.
   *
   * @param perPolicy files of several groups, or of several stripes, for each policy
   * @param small files of one small group each
   */
  void write(int perPolicy, int small) throws IOException {
    List<ErasureCodingPolicy> policies = new ArrayList<>();
    for (String name : BUILT_IN) {
      policies.add(policy(name, false));
      policies.add(policy(name, true));
    }
    policies.add(null);
    for (ErasureCodingPolicy policy : policies) {
      String name = policy == null ? "replicated" : policy.getName();
      for (int i = 0; i < perPolicy; i++) {
        // Blocks of 3 MiB have several windows; groups of 1 MiB blocks are many.
        long block = i % 2 == 0 ? 3L << 20 : 1L << 20;
        long group = policy == null ? block : block * policy.getNumDataUnits();
        write("/tree/" + name + i, policy, block, 1 + (int) (group * random.nextDouble() * 1.5));
      }
    }
    for (int i = 0; i < small; i++) {
      ErasureCodingPolicy policy = policies.get(i % policies.size());
      int cell = policy == null ? CELL_SMALL : policy.getCellSize();
      int[] lengths = {1 + random.nextInt(5000), 1 + random.nextInt(100_000), cell - 1, cell + 1};
      int length = cell > CELL_SMALL ? lengths[i % 2] : lengths[i % 4];
      write("/tree/small" + i / 1000 + "/" + i, policy, 1 << 20, length);
    }
  }

  private void write(String path, ErasureCodingPolicy policy, long block, int length)
      throws IOException {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(path);
    var builder = cluster.fs().createFile(file).recursive().blockSize(block);
    if (policy == null) {
      builder.replicate();
    } else {
      builder.ecPolicyName(policy.getName());
    }
    try (FSDataOutputStream out = builder.build()) {
      out.write(ConvertCluster.bytes(path.hashCode(), length));
    }
    files.put(path, policy);
  }

  /** Damages one to m blocks of each of some groups, chosen at random. */
  void damage(int groups) throws IOException {
    List<String> paths = new ArrayList<>(files.keySet());
    for (int done = 0; done < groups; ) {
      // Half of the damages are in the files of many blocks, which come first.
      int range = random.nextBoolean() ? Math.min(paths.size(), 44) : paths.size();
      String path = paths.get(random.nextInt(range));
      List<LocatedBlock> blocks = cluster.blocks(path);
      LocatedBlock group = blocks.get(random.nextInt(blocks.size()));
      if (!damaged.containsKey(group.getBlock().getBlockName())) {
        damage(path, group);
        done++;
      }
    }
  }

  private void damage(String path, LocatedBlock group) throws IOException {
    ErasureCodingPolicy policy = files.get(path);
    Map<Integer, Integer> lengths = lengths(policy, group);
    List<Integer> units = new ArrayList<>(lengths.keySet());
    Collections.shuffle(units, random);
    int most = policy == null ? 1 : policy.getNumParityUnits();
    units = units.subList(0, 1 + random.nextInt(Math.min(most, units.size())));
    boolean isAtOnePlace = random.nextBoolean();
    int shortest = units.stream().mapToInt(lengths::get).min().getAsInt();
    int common = random.nextInt(shortest);
    Map<Long, Set<Integer>> windows = new TreeMap<>();
    for (int unit : units) {
      int start = isAtOnePlace ? common : random.nextInt(lengths.get(unit));
      int end = Math.min(lengths.get(unit), start + 1 + random.nextInt(DAMAGED_BYTES_MAX));
      change(group, unit, policy != null, start, end);
      for (long window = start / WINDOW; window <= (end - 1) / WINDOW; window++) {
        windows.computeIfAbsent(window, any -> new TreeSet<>()).add(unit);
      }
    }
    damaged.put(group.getBlock().getBlockName(), windows);
    damagedFiles.add(path);
  }

  /** Returns the length of each unit that has bytes, or of the one block. */
  private static Map<Integer, Integer> lengths(ErasureCodingPolicy policy, LocatedBlock group) {
    Map<Integer, Integer> lengths = new TreeMap<>();
    if (policy == null) {
      lengths.put(0, (int) group.getBlockSize());
      return lengths;
    }
    int data = policy.getNumDataUnits();
    Layout layout =
        Layout.striped(
            Code.of(policy.getCodecName()), data, policy.getNumParityUnits(), policy.getCellSize());
    for (int unit = 0; unit < layout.units(); unit++) {
      int length = (int) layout.unitBytes(unit, group.getBlockSize());
      if (length > 0) {
        lengths.put(unit, length);
      }
    }
    return lengths;
  }

  /** Changes every byte of a range of one replica, and recomputes the checksums. */
  private void change(LocatedBlock group, int unit, boolean isStriped, int start, int end)
      throws IOException {
    int place = isStriped ? -1 : random.nextInt(group.getLocations().length);
    if (isStriped) {
      byte[] indices = ((LocatedStripedBlock) group).getBlockIndices();
      for (int i = 0; i < indices.length; i++) {
        place = indices[i] == unit ? i : place;
      }
    }
    DatanodeInfo node = group.getLocations()[place];
    long block = group.getBlock().getBlockId() + (isStriped ? unit : 0);
    ReplicaFiles replica = ReplicaFiles.of(cluster, node.getDatanodeUuid(), block);
    byte[] bytes = replica.bytes();
    for (int i = start; i < end; i++) {
      bytes[i] ^= (byte) (1 + random.nextInt(255));
    }
    replica.replace(bytes);
  }

  /** Scrubs all files and compares the findings, to the window, with the damage. */
  void requireFound() {
    ScrubReport report = ScrubReport.of(cluster.uri() + "/tree", "--json", "--groups-at-once=16");
    Map<String, JsonObject> found = new HashMap<>();
    for (JsonObject group : report.groups()) {
      found.put(group.get("block").getAsString(), group);
    }
    for (Map.Entry<String, JsonObject> one : found.entrySet()) {
      assertThat(damaged).as("damage reported: %s", one.getValue()).containsKey(one.getKey());
    }
    for (Map.Entry<String, Map<Long, Set<Integer>>> one : damaged.entrySet()) {
      JsonObject group = found.get(one.getKey());
      assertThat(group).as("damage of %s in %s", one.getKey(), one.getValue()).isNotNull();
      String path = group.get("path").getAsString();
      requireFound(group, files.get(path), one.getValue());
    }
    assertThat(report.sum("files")).isEqualTo(files.size());
    assertThat(report.sum("groupsDamaged")).isEqualTo(damaged.size());
    assertThat(report.sum("groupsHealthy")).isEqualTo(report.sum("groups") - damaged.size());
    assertThat(report.status).isEqualTo(damaged.isEmpty() ? ExitStatus.SOUND : ExitStatus.FAILED);
  }

  private static void requireFound(
      JsonObject group, ErasureCodingPolicy policy, Map<Long, Set<Integer>> windows) {
    Map<Integer, Set<Long>> locatable = new TreeMap<>();
    Set<Long> unlocatable = new TreeSet<>();
    windows.forEach(
        (window, units) -> {
          if (policy != null && 2 * units.size() <= policy.getNumParityUnits()) {
            units.forEach(
                unit -> locatable.computeIfAbsent(unit, any -> new TreeSet<>()).add(window));
          } else {
            unlocatable.add(window);
          }
        });
    Map<Integer, String> wrong = new TreeMap<>();
    Set<Long> unlocated = new TreeSet<>();
    for (JsonElement element : group.getAsJsonArray("findings")) {
      JsonObject finding = element.getAsJsonObject();
      long first = finding.get("firstWindow").getAsLong();
      if (finding.get("kind").getAsString().equals("WRONG_BYTES")) {
        wrong.put(finding.get("unit").getAsInt(), first + "+" + finding.get("windows").getAsInt());
      } else {
        assertThat(finding.get("kind").getAsString()).as("%s", group).isEqualTo("UNLOCATED");
        unlocated.add(first);
      }
    }
    Map<Integer, String> expected = new TreeMap<>();
    locatable.forEach((unit, own) -> expected.put(unit, own.iterator().next() + "+" + own.size()));
    assertThat(wrong).as("%s damaged in %s", group, windows).isEqualTo(expected);
    assertThat(unlocated.isEmpty()).as("%s", group).isEqualTo(unlocatable.isEmpty());
    assertThat(unlocatable).as("%s", group).containsAll(unlocated);
  }

  /** Requires that Hadoop's own tool finds the same files wrong, of all files or the first ones. */
  void requireVerifyAgrees(int undamagedMax) throws Exception {
    int undamaged = 0;
    for (Map.Entry<String, ErasureCodingPolicy> file : files.entrySet()) {
      boolean isDamaged = damagedFiles.contains(file.getKey());
      undamaged += isDamaged ? 0 : 1;
      if (file.getValue() != null && (isDamaged || undamaged <= undamagedMax)) {
        String[] command = {"verifyEC", "-file", file.getKey()};
        int status = ToolRunner.run(new DebugAdmin(cluster.conf()), command);
        assertThat(status != 0).as(file.getKey()).isEqualTo(isDamaged);
      }
    }
  }

  /**
   * Restarts all DataNodes. They keep the checksum of the last part of a block in memory, which
   * does not match changed bytes.
   */
  void restartDataNodes() throws IOException {
    assertThat(cluster.mini.restartDataNodes(true)).isTrue();
    cluster.mini.waitActive();
  }

  /** Stops the agents of all DataNodes, so that the client reads. */
  void stopAgents() {
    cluster.mini.getDataNodes().forEach(AgentSwitch::stop);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
