// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * The estimated effect of erasure coding on a tree; the field names are those of the JSON output.
 * Bytes are whole numbers, expected ones rounded.
 */
final class PlanReport {
  String path;
  String source;
  boolean isComplete;
  String policy;
  String smallerPolicy;
  long stripedCellBytes;

  /** The command that does what the plan prints; null if there is none. */
  String carriedOutBy;

  Cluster cluster = new Cluster();
  Directory total;
  List<Directory> directories = new ArrayList<>();
  List<Group> sizeClasses = new ArrayList<>();
  List<Group> replication = new ArrayList<>();
  List<Group> treatments = new ArrayList<>();
  List<Group> left = new ArrayList<>();
  List<SmallFiles> smallFiles = new ArrayList<>();
  List<Synced> synced = new ArrayList<>();
  List<BlockSize> blockSizes = new ArrayList<>();
  Moves moves = new Moves();
  Room room = new Room();
  Duration time;
  Cost cost;
  List<String> warnings = new ArrayList<>();
  List<String> notes = new ArrayList<>();

  /** The nodes and racks that the code needs and that the cluster has. */
  static final class Cluster {
    int nodesNeeded;
    int racksNeeded;
    int nodes;
    int racks;
    boolean isAssumed;

    /** Whether only the nodes and racks that hold blocks of the tree are known. */
    boolean isPartial;

    int blocksPerRackMax;

    /** Whether the nodes and racks are enough; null if that cannot be known. */
    Boolean suffices;
  }

  /** A directory with everything below it. */
  static final class Directory {
    String path;
    long files;
    long blocks;
    long bytes;
    long bytesNow;
    long bytesAfter;
    long filesConverted;
    long filesCoded;
    long filesOfFewBlocks;
    long shortGroups;
    double adoptableShare;
    long bytesBoundBySnapshots;
  }

  /** Files of one kind. */
  static final class Group {
    String name;
    long files;
    long blocks;
    long bytes;
    long bytesNow;
    long bytesAfter;
  }

  /** Files of fewer than k blocks, if they were adopted like all others. */
  static final class SmallFiles {
    int blocks;
    long files;
    long bytes;
    long bytesNow;
    long bytesIfAdopted;
  }

  /** Files whose writers rely on hsync. */
  static final class Synced {
    String name;
    String pattern;
    String first;
    long files;
    long bytes;
  }

  /** A block size, and the policy that its files need. */
  static final class BlockSize {
    long blockBytes;
    String policy;
    long files;
    long bytes;
  }

  /**
   * The data that is moved: by four methods for the files to be adopted, and for the files to be
   * copied.
   */
  static final class Moves {
    boolean isExpected;
    long groups;
    long shortGroups;
    long shortGroupsExtraBytes;
    long groupsUnplaceable;
    long groupsAgainstRackRule;
    long blocksAdopted;
    long blocksSent;
    long bytesAdopted;
    long bytesSent;
    long parityBytes;
    long crossRackCopy;
    long crossRackHdfsRaid;
    long crossRackEar;
    long crossRackAdoption;
    long networkCopy;
    long networkAdoption;
    long crossRackStriped;
    long networkStriped;
  }

  /** The space that is needed in addition while files are converted. */
  static final class Room {
    int filesAtOnce;
    long undoBytes;
    List<RoomOnType> types = new ArrayList<>();
  }

  /** The space that is needed in addition on one type of storage. */
  static final class RoomOnType {
    /** The name of a storage type; null if the source does not know the types. */
    String storageType;

    long bytes;

    /** The part of the bytes that stays until snapshots are deleted. */
    long bytesKeptBySnapshots;

    /** The free bytes of the DataNodes; null if they are not known. */
    Long bytesFree;
  }

  /** The estimated duration at a given rate per node. */
  static final class Duration {
    long bytesPerSecondPerNode;
    int nodes;
    double adoptionSeconds;
    double stripedSeconds;
    double copySeconds;
  }

  /** The cost of storage relative to a byte on disk, which is 1. */
  static final class Cost {
    String storagePolicy;
    double archiveCost;
    double now;
    double afterOnDisk;
    double afterInArchive;
    double share;
  }
}
