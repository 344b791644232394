// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;

/** Where the NameNode says that the internal blocks of files lie. */
final class BlockGroups {

  private final List<Group> groups = new ArrayList<>();

  /** One block group of one file. */
  static final class Group {
    private final Path file;
    private final int number;
    private final long id;
    private final long bytes;
    private final StripeShape shape;
    private final Map<Integer, String> locations = new TreeMap<>();

    private Group(Path file, int number, LocatedStripedBlock block, StripeShape shape) {
      this.file = file;
      this.number = number;
      this.id = block.getBlock().getBlockId();
      this.bytes = block.getBlockSize();
      this.shape = shape;
      DatanodeInfo[] nodes = block.getLocations();
      for (int i = 0; i < nodes.length; i++) {
        locations.put((int) block.getBlockIndices()[i], nodes[i].getXferAddr());
      }
    }

    Path file() {
      return file;
    }

    /** Position of the group in its file. */
    int number() {
      return number;
    }

    /** Address of the DataNode for each unit that is known to lie somewhere. */
    Map<Integer, String> locations() {
      return locations;
    }

    /** Units that hold bytes: a short group has fewer data units, but all parity units. */
    List<Integer> units() {
      List<Integer> units = new ArrayList<>();
      for (int unit = 0; unit < shape.units(); unit++) {
        if (unitBytes(unit) > 0) {
          units.add(unit);
        }
      }
      return units;
    }

    /** Length of one internal block. */
    long unitBytes(int unit) {
      return StripedBlockUtil.getInternalBlockLength(
          bytes, (int) shape.cellBytes(), shape.dataUnits(), unit);
    }

    /** Block id under which a DataNode stores the unit. */
    long unitId(int unit) {
      return id + unit;
    }

    boolean isData(int unit) {
      return unit < shape.dataUnits();
    }
  }

  /** Asks the NameNode for all groups of some files. */
  static BlockGroups of(DistributedFileSystem fs, Collection<Path> files, StripeShape shape)
      throws IOException {
    BlockGroups all = new BlockGroups();
    for (Path file : files) {
      int number = 0;
      List<LocatedBlock> blocks =
          fs.getClient()
              .getLocatedBlocks(file.toUri().getPath(), 0, Long.MAX_VALUE)
              .getLocatedBlocks();
      for (LocatedBlock block : blocks) {
        if (!block.isStriped()) {
          throw new DemoException(
              "Cannot follow " + file + ": block " + block.getBlock() + " is not erasure coded");
        }
        all.groups.add(new Group(file, number++, (LocatedStripedBlock) block, shape));
      }
    }
    return all;
  }

  List<Group> groups() {
    return Collections.unmodifiableList(groups);
  }

  /** Those of files below a directory. */
  BlockGroups below(Path directory) {
    String prefix = directory.toUri().getPath() + "/";
    return only(group -> group.file().toUri().getPath().startsWith(prefix));
  }

  /** Those that have a block for every unit: no DataNode is left free to take a lost one. */
  BlockGroups ofFullWidth() {
    return only(group -> group.units().size() == group.shape.units());
  }

  private BlockGroups only(Predicate<Group> wanted) {
    BlockGroups some = new BlockGroups();
    groups.stream().filter(wanted).forEach(some.groups::add);
    return some;
  }

  /** Internal blocks that there should be. */
  int expected() {
    return groups.stream().mapToInt(g -> g.units().size()).sum();
  }

  /** What lies on some DataNodes, named by address. */
  Loss lossOf(Collection<String> addresses) {
    return loss(addresses::contains);
  }

  /** What lies on none of some DataNodes, named by address. */
  Loss missingFrom(Collection<String> addresses) {
    return loss(address -> !addresses.contains(address));
  }

  private Loss loss(Predicate<String> isLost) {
    Loss loss = new Loss();
    for (Group group : groups) {
      boolean lostData = false;
      for (int unit : group.units()) {
        if (isLost.test(group.locations().get(unit))) {
          loss.blocks++;
          loss.bytes += group.unitBytes(unit);
          if (group.isData(unit)) {
            loss.dataBytes += group.unitBytes(unit);
            lostData = true;
          }
        }
      }
      loss.groupsWithoutData += lostData ? 1 : 0;
    }
    return loss;
  }

  /** What goes when DataNodes go. */
  static final class Loss {
    private int blocks;
    private long bytes;
    private long dataBytes;
    private int groupsWithoutData;

    /** Internal blocks, data and parity. */
    int blocks() {
      return blocks;
    }

    /** Bytes in those blocks. */
    long bytes() {
      return bytes;
    }

    /** Bytes in data blocks only: what a reader must decode. */
    long dataBytes() {
      return dataBytes;
    }

    /** Groups of which a data block goes. */
    int groupsWithoutData() {
      return groupsWithoutData;
    }
  }

  /**
   * Chooses the DataNodes whose loss hurts readers most.
   *
   * @param count how many
   * @return the {@code count} addresses that hold most bytes of data blocks together
   */
  List<String> worstNodes(Collection<String> addresses, int count) {
    if (addresses.size() < count) {
      throw new DemoException(
          "Cannot choose " + count + " DataNodes to kill: only " + addresses.size() + " are live");
    }
    List<String> sorted = new ArrayList<>(addresses);
    Collections.sort(sorted);
    List<String> best = new ArrayList<>();
    long[] bestBytes = {-1};
    choose(sorted, 0, count, new ArrayList<>(), best, bestBytes);
    return best;
  }

  private void choose(
      List<String> from, int start, int left, List<String> taken, List<String> best, long[] bytes) {
    if (left == 0) {
      long hurt = lossOf(taken).dataBytes();
      if (hurt > bytes[0]) {
        bytes[0] = hurt;
        best.clear();
        best.addAll(taken);
      }
      return;
    }
    for (int i = start; i <= from.size() - left; i++) {
      taken.add(from.get(i));
      choose(from, i + 1, left - 1, taken, best, bytes);
      taken.remove(taken.size() - 1);
    }
  }
}
