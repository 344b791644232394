// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.blockmanagement.EarPlacementPolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.EarStripedPlacementPolicy;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.server.namenode.EarSettings;
import org.stripeline.terminal.Quantity;

/**
 * The rules for the racks of block groups: HDFS's own, or for files that a NameNode placed for
 * encoding, the rule by which it placed them. Immutable.
 */
public final class RackRules {
  /** HDFS's own rule for all files. */
  public static final RackRules OF_HDFS = new RackRules(null, false, false, null);

  /** Null if no NameNode places files by a rule of its own. */
  private final EarSettings placed;

  /** Whether NameNodes leave groups that follow the rule where they are. */
  private final boolean isKept;

  private final boolean allowsRackLoss;

  /** Why the settings of the NameNodes could not be used; null if they could. */
  private final String unknown;

  private RackRules(EarSettings placed, boolean isKept, boolean allowsRackLoss, String unknown) {
    this.placed = placed;
    this.isKept = isKept;
    this.allowsRackLoss = allowsRackLoss;
    this.unknown = unknown;
  }

  /**
   * Asks the NameNodes of a nameservice for their settings. HDFS's own rule is returned if one does
   * not answer or they differ, because each of them may become active.
   *
   * @param allowsRackLoss whether a group may lose data if one rack fails
   */
  public static RackRules ask(URI hdfs, Configuration client, boolean allowsRackLoss) {
    RackRules first = null;
    for (ServerSettings server : NameNodes.ask(hdfs, client)) {
      if (server.isSecondary()) {
        continue;
      }
      if (!server.isKnown()) {
        return unknown(server.name() + " could not be asked: " + server.reason());
      }
      RackRules rules = of(server.conf(), allowsRackLoss);
      if (first != null && !first.isSame(rules)) {
        return unknown("NameNodes have different settings of stripeline.ear and dfs.block");
      }
      first = rules;
    }
    return first == null ? OF_HDFS : first;
  }

  private static RackRules unknown(String reason) {
    return new RackRules(null, false, false, reason);
  }

  /** Returns the rules of a NameNode with some settings. */
  static RackRules of(Configuration nameNode, boolean allowsRackLoss) {
    String replicas = nameNode.getTrimmed(DFSConfigKeys.DFS_BLOCK_REPLICATOR_CLASSNAME_KEY);
    if (!EarPlacementPolicy.class.getName().equals(replicas)) {
      return OF_HDFS;
    }
    EarSettings settings;
    try {
      settings = EarSettings.of(nameNode);
    } catch (IllegalArgumentException e) {
      // The NameNode also ignores them.
      return OF_HDFS;
    }
    String groups = nameNode.getTrimmed(DFSConfigKeys.DFS_BLOCK_PLACEMENT_EC_CLASSNAME_KEY);
    boolean isKept = EarStripedPlacementPolicy.class.getName().equals(groups);
    return settings.hasOwnRule() ? new RackRules(settings, isKept, allowsRackLoss, null) : OF_HDFS;
  }

  private boolean isSame(RackRules other) {
    return isKept == other.isKept && String.valueOf(placed).equals(String.valueOf(other.placed));
  }

  /**
   * Returns the rule for a group of a file.
   *
   * @param file absolute path
   * @param dataBlocks the data blocks of the group, 1 to k
   * @param racks the number of racks with a live DataNode
   */
  public RackRule rule(String file, CodeShape shape, int dataBlocks, int racks) {
    RackRule ofHdfs = RackRule.even(shape, Math.max(1, racks));
    boolean isPlaced = placed != null && placed.covers(file) && placed.shape().equals(shape);
    boolean isFull = dataBlocks == shape.data();
    if (!isPlaced || !isFull || !isPossible(racks) || isThatOfHdfs(racks)) {
      return ofHdfs;
    }
    RackRule rule = placed.rule(racks);
    return isKept ? rule : RackRule.atMost(rule.blocksPerRackMax()).spread();
  }

  /** Returns whether groups that follow the rule always use as many racks as HDFS wants. */
  private boolean isThatOfHdfs(int racks) {
    int most = placed.rule(racks).blocksPerRackMax();
    int used = (placed.shape().total() + most - 1) / most;
    return used >= Math.min(placed.shape().total(), racks);
  }

  /** Returns whether groups can follow the rule, and survive the loss of a rack if they must. */
  private boolean isPossible(int racks) {
    RackRule rule = placed.rule(racks);
    int used = rule.targetRacks() == 0 ? racks : Math.min(rule.targetRacks(), racks);
    boolean survives = racks <= 1 || rule.blocksPerRackMax() <= placed.shape().parity();
    return (survives || allowsRackLoss)
        && (long) used * rule.blocksPerRackMax() >= placed.shape().total();
  }

  /**
   * Returns why groups of a tree do not follow the rule by which the NameNode placed the blocks, as
   * a sentence; null if they do, or there is none.
   *
   * @param shape the code to convert to
   * @param racks the number of racks with a live DataNode
   */
  public String obstacle(String tree, CodeShape shape, int racks) {
    if (unknown != null) {
      return unknown
          + "; groups follow HDFS's rule for racks, whatever the NameNode placed the blocks for";
    }
    if (!placesFilesOf(tree)) {
      return null;
    }
    if (!placed.shape().equals(shape)) {
      return placedAs() + "but files that get another code follow HDFS's rule for racks";
    }
    if (!isPossible(racks)) {
      return placedAs() + "but " + impossible(racks) + "; groups follow HDFS's rule for racks";
    }
    if (isKept || isThatOfHdfs(racks)) {
      return null;
    }
    return placedAs()
        + "but its policy for erasure-coded files moves blocks until a group is in "
        + racksOfHdfs(racks)
        + ", so groups use that many, and blocks that cannot stay then are sent; to keep what it"
        + " placed, set "
        + DFSConfigKeys.DFS_BLOCK_PLACEMENT_EC_CLASSNAME_KEY
        + "="
        + EarStripedPlacementPolicy.class.getName()
        + " on all NameNodes";
  }

  /**
   * Returns what the racks of groups of a tree have to do with the placement of the blocks, as a
   * sentence; null if all follow HDFS's own rule.
   *
   * @param shape the code to convert to
   * @param racks the number of racks with a live DataNode
   */
  public String describe(String tree, CodeShape shape, int racks) {
    String obstacle = obstacle(tree, shape, racks);
    if (obstacle != null || !placesFilesOf(tree) || isThatOfHdfs(racks)) {
      return obstacle;
    }
    return placedAs()
        + "full groups follow that rule instead of HDFS's own, by which a group is in "
        + racksOfHdfs(racks)
        + "; its policy for erasure-coded files leaves them there";
  }

  private String placedAs() {
    return "the NameNode places files for encoding in " + placed + "; ";
  }

  private String racksOfHdfs(int racks) {
    return Quantity.counted(Math.min(placed.shape().total(), racks), "rack");
  }

  private String impossible(int racks) {
    int most = placed.rule(racks).blocksPerRackMax();
    return most > placed.shape().parity() && racks > 1 && !allowsRackLoss
        ? "a rack with "
            + most
            + " blocks of a group can lose data if it fails, which needs --allow-rack-loss"
        : racks + " racks do not hold a group by that rule";
  }

  private boolean placesFilesOf(String tree) {
    String directory = tree.endsWith("/") ? tree : tree + "/";
    return placed != null
        && (placed.covers(directory)
            || placed.directories().stream().anyMatch(one -> one.startsWith(directory)));
  }
}
