// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.io.erasurecode.ErasureCodeConstants;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ReplicaFiles;
import org.stripeline.testkit.Conditions;

/**
 * Files of which blocks are damaged on disk, most of them beneath their checksums. Knows the right
 * bytes of every block, and which findings are true.
 */
final class SeededDamage {
  private static final int CELL = 64 << 10;
  static final int BLOCK = 512 << 10;
  private static final int DATA_UNITS = 3;

  /** Two cells of each data block. */
  private static final int SHORT_FILE = 6 * CELL;

  private final DistributedFileSystem fs;
  private final Path storages;
  private final Random random;
  private final String root;
  private final ErasureCodingPolicy policy;

  private final List<String> files = new ArrayList<>();

  /** The bytes of each block as they were written. */
  private final Map<Long, byte[]> right = new TreeMap<>();

  /** The DataNode of each wrong replica, and which kinds of findings are true of it. */
  private final Map<Long, String> holders = new TreeMap<>();

  private final Map<Long, Set<String>> kinds = new TreeMap<>();

  /** The groups, or replicated blocks, that have a wrong replica. */
  private final Set<String> damagedGroups = new TreeSet<>();

  /** Those whose damage HDFS cannot see. */
  private final Set<String> hiddenGroups = new TreeSet<>();

  private boolean isMoving;

  /**
   * Writes files.
   *
   * @param storages a directory above the storages of all DataNodes
   * @param root a directory on HDFS for the files
   * @param striped erasure-coded files of one group or two
   * @param replicated files of one block
   */
  SeededDamage(
      DistributedFileSystem fs,
      Path storages,
      String root,
      int striped,
      int replicated,
      Random random)
      throws IOException {
    this.fs = fs;
    this.storages = storages;
    this.root = root;
    this.random = random;
    policy = policy(fs);
    for (int i = 0; i < striped; i++) {
      int length = DATA_UNITS * BLOCK + (i % 3 == 0 ? SHORT_FILE : 0);
      write(root + "/striped" + i, length, false);
    }
    for (int i = 0; i < replicated; i++) {
      write(root + "/replicated" + i, BLOCK, true);
    }
    learn();
  }

  private static ErasureCodingPolicy policy(DistributedFileSystem fs) throws IOException {
    ErasureCodingPolicy policy = new ErasureCodingPolicy(ErasureCodeConstants.RS_3_2_SCHEMA, CELL);
    policy = fs.addErasureCodingPolicies(new ErasureCodingPolicy[] {policy})[0].getPolicy();
    fs.enableErasureCodingPolicy(policy.getName());
    return policy;
  }

  private static org.apache.hadoop.fs.Path path(String file) {
    return new org.apache.hadoop.fs.Path(file);
  }

  private void write(String file, int length, boolean isReplicated) throws IOException {
    var builder = fs.createFile(path(file)).recursive().blockSize(BLOCK);
    if (isReplicated) {
      builder.replicate();
    } else {
      builder.ecPolicyName(policy.getName());
    }
    try (FSDataOutputStream out = builder.build()) {
      out.write(content(file, length));
    }
    files.add(file);
  }

  private static byte[] content(String file, int length) {
    return ConvertCluster.bytes(file.hashCode(), length);
  }

  private List<LocatedBlock> blocks(String file) throws IOException {
    return fs.getClient().getLocatedBlocks(file, 0, Long.MAX_VALUE).getLocatedBlocks();
  }

  /** Returns the ids of the blocks on DataNodes. */
  private static List<Long> ids(LocatedBlock block) {
    List<Long> ids = new ArrayList<>();
    if (block instanceof LocatedStripedBlock) {
      for (byte index : ((LocatedStripedBlock) block).getBlockIndices()) {
        ids.add(block.getBlock().getBlockId() + index);
      }
    } else {
      ids.add(block.getBlock().getBlockId());
    }
    return ids;
  }

  private org.stripeline.lab.cluster.ReplicaFiles onDisk() throws IOException {
    return org.stripeline.lab.cluster.ReplicaFiles.find(List.of(storages));
  }

  private void learn() throws IOException {
    org.stripeline.lab.cluster.ReplicaFiles disk = onDisk();
    for (String file : files) {
      for (LocatedBlock block : blocks(file)) {
        for (long id : ids(block)) {
          right.put(id, Files.readAllBytes(disk.filesOf(id).get(0)));
        }
      }
    }
  }

  /** Returns the id of the DataNode that has a replica in one of its storages. */
  private static String holder(Path replica) throws IOException {
    Path at = replica.getParent();
    while (!Files.exists(at.resolve("VERSION")) || !at.endsWith("current") || isPool(at)) {
      at = at.getParent();
    }
    Properties version = new Properties();
    try (InputStream in = Files.newInputStream(at.resolve("VERSION"))) {
      version.load(in);
    }
    return version.getProperty("datanodeUuid");
  }

  private static boolean isPool(Path current) {
    return current.getParent().getFileName().toString().startsWith("BP-");
  }

  /**
   * Damages one block of each of some groups; of replicated blocks, one replica.
   *
   * @param victim a DataNode that will be lost for a time. If HDFS rebuilt a right block of a
   *     damaged group, it could do so from the wrong one, and the other right ones would then be in
   *     the minority; so in groups with a block there, that one is damaged
   */
  void damage(int striped, int replicated, String victim) throws IOException {
    List<String> shuffled = new ArrayList<>(files);
    Collections.shuffle(shuffled, random);
    org.stripeline.lab.cluster.ReplicaFiles disk = onDisk();
    for (String file : shuffled) {
      boolean isReplicated = file.contains("/replicated");
      if (isReplicated ? replicated-- <= 0 : striped-- <= 0) {
        continue;
      }
      List<LocatedBlock> blocks = blocks(file);
      LocatedBlock block = blocks.get(random.nextInt(blocks.size()));
      List<Path> replicas = new ArrayList<>();
      ids(block).forEach(id -> replicas.addAll(disk.filesOf(id)));
      Path chosen = replicas.get(random.nextInt(replicas.size()));
      for (Path replica : replicas) {
        chosen = holder(replica).equals(victim) ? replica : chosen;
      }
      // Every fifth striped one has wrong checksums, too, and every replicated one.
      boolean isSeen = isReplicated || striped % 5 == 0;
      damage(chosen, isSeen);
      damagedGroups.add(block.getBlock().getBlockName());
      if (!isSeen) {
        hiddenGroups.add(block.getBlock().getBlockName());
      }
    }
  }

  private void damage(Path replica, boolean isSeen) throws IOException {
    long id = Long.parseLong(replica.getFileName().toString().substring("blk_".length()));
    byte[] bytes = Files.readAllBytes(replica);
    // DataNodes have the checksum of the last part of a block in memory, so it stays as it is.
    int start = random.nextInt(bytes.length / 2);
    if (isSeen) {
      ReplicaFiles.of(replica).flip(start);
    } else {
      int end = start + 1 + random.nextInt(5000);
      for (int i = start; i < end; i++) {
        bytes[i] ^= (byte) (1 + random.nextInt(255));
      }
      ReplicaFiles.of(replica).replace(bytes);
    }
    holders.put(id, holder(replica));
    kinds.put(id, isSeen ? Set.of("BAD_CHECKSUM", "WRONG_BYTES") : Set.of("WRONG_BYTES"));
  }

  /** From now on wrong replicas may be on any DataNodes, because HDFS moves them. */
  void moves() {
    isMoving = true;
  }

  List<String> files() {
    return files;
  }

  String root() {
    return root;
  }

  /**
   * Requires that what is reported as damage is damage.
   *
   * @param others further kinds of findings that are true while servers end or blocks move; if
   *     NOT_CHECKED is one of them, damage of a group that has too few blocks need not be located
   */
  void requireNoFalseAlarm(Collection<JsonObject> groups, String... others) {
    List<String> harmless = Arrays.asList(others);
    boolean canBeUnlocated = harmless.contains("NOT_CHECKED");
    for (JsonObject group : groups) {
      for (JsonElement element : group.getAsJsonArray("findings")) {
        JsonObject finding = element.getAsJsonObject();
        String kind = finding.get("kind").getAsString();
        if (harmless.contains(kind)) {
          continue;
        }
        if (kind.equals("UNLOCATED") && canBeUnlocated) {
          assertThat(damagedGroups).contains(group.get("block").getAsString());
          continue;
        }
        assertThat(finding.has("block")).as("%s", group).isTrue();
        long id = finding.get("block").getAsLong();
        assertThat(holders).as("%s", group).containsKey(id);
        String node = finding.get("nodeId").getAsString();
        assertThat(isMoving || node.equals(holders.get(id))).as("%s", group).isTrue();
        assertThat(kinds.get(id)).as("%s", group).contains(kind);
      }
    }
  }

  /** Requires that all damage is reported, and nothing else. */
  void requireFound(Collection<JsonObject> groups) {
    requireNoFalseAlarm(groups);
    assertThat(names(groups)).isEqualTo(damagedGroups);
  }

  /** Requires that the damage is reported that HDFS cannot see and therefore does not repair. */
  void requireHiddenFound(Collection<JsonObject> groups) {
    assertThat(names(groups)).containsAll(hiddenGroups);
  }

  private static Set<String> names(Collection<JsonObject> groups) {
    Set<String> names = new TreeSet<>();
    groups.forEach(group -> names.add(group.get("block").getAsString()));
    return names;
  }

  /** Waits until all blocks on the disks have the bytes that were written, and reads all files. */
  void awaitRight() throws IOException {
    List<String> wrong = new ArrayList<>();
    try {
      Conditions.await(
          "the right bytes on all disks",
          () -> {
            wrong.clear();
            wrong.addAll(differing());
            return wrong.isEmpty();
          });
    } catch (AssertionError e) {
      throw new AssertionError(wrong.toString(), e);
    }
    for (String file : files) {
      byte[] read = ConvertCluster.read(fs, file);
      assertThat(read).as(file).isEqualTo(content(file, read.length));
    }
  }

  /**
   * Returns the id of each block with the id of each DataNode that has it according to the
   * NameNode. If a DataNode is being decommissioned, HDFS may leave a replica on its disk that it
   * knows to be corrupt.
   */
  private Set<String> listed() throws IOException {
    Set<String> listed = new TreeSet<>();
    for (String file : files) {
      for (LocatedBlock block : blocks(file)) {
        List<Long> ids = ids(block);
        for (int i = 0; i < block.getLocations().length; i++) {
          long id = ids.get(block.isStriped() ? i : 0);
          listed.add(id + block.getLocations()[i].getDatanodeUuid());
        }
      }
    }
    return listed;
  }

  private List<String> differing() throws IOException {
    List<String> wrong = new ArrayList<>();
    org.stripeline.lab.cluster.ReplicaFiles disk = onDisk();
    Set<String> listed = listed();
    for (Map.Entry<Long, byte[]> block : right.entrySet()) {
      List<Path> copies = disk.filesOf(block.getKey());
      if (copies.isEmpty()) {
        wrong.add(block.getKey() + " is on no disk");
      }
      for (Path copy : copies) {
        if (isMoving && !listed.contains(block.getKey() + holder(copy))) {
          continue;
        }
        try {
          if (!Arrays.equals(Files.readAllBytes(copy), block.getValue())) {
            wrong.add(copy.toString());
          }
        } catch (NoSuchFileException e) {
          // A DataNode has moved or removed it; another one must be there next time.
          wrong.add(copy + " is gone");
        }
      }
    }
    return wrong;
  }

  /** Counts the replicas in quarantine. */
  int quarantined() throws IOException {
    int[] count = new int[1];
    Files.walkFileTree(
        storages,
        new SimpleFileVisitor<Path>() {
          @Override
          public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
            return visited.endsWith("current")
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            count[0] += file.getFileName().toString().endsWith(".meta") ? 1 : 0;
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            // DataNodes create and delete files during this walk.
            return FileVisitResult.CONTINUE;
          }
        });
    return count[0];
  }
}
