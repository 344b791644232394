// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.rules;

/** The reason for which a file is not converted. */
public enum SkipReason {
  /** A symbolic link; the walk handles its target at the target's own path. */
  SYMLINK("symbolic link"),
  /** The name, owner, size or age of the file does not match the filter. */
  RULE("excluded by the options"),
  /** A client has the file open for writing. */
  OPEN("open for writing"),
  /** Its writers rely on hflush or hsync, which do nothing on erasure-coded files. */
  SYNCED("written with hsync: needs replication; convert with --include-synced"),
  /** The file is erasure-coded; used where each file gets its own layout. */
  CODED("already erasure-coded"),
  /** The file already has the requested layout. */
  ALREADY("has this layout already"),
  /** The file has another erasure coding policy. */
  OTHER_POLICY("erasure-coded with another policy; run --undo first"),
  /** The file was not converted by this command. */
  NOT_CONVERTED("not converted by stripeline"),
  /** There are fewer DataNodes than replicas, so HDFS could never reach the replication. */
  REPLICATION(
      "had more replicas than DataNodes are in service; add DataNodes, or use --max-replication"),
  /** Blocks are written to memory first; HDFS cannot append to such files or erasure-code them. */
  LAZY_PERSIST("storage policy LAZY_PERSIST"),
  /** The file has one replica, which takes less space than any code. */
  ONE_REPLICA("replication 1: erasure-coded it would take more space"),
  /** Erasure-coded, the file would take at least as much space as now. */
  TOO_SMALL("too small: erasure-coded it would take at least as much space"),
  /** Adopted, the file would not shrink; copied it would, which was not allowed. */
  STALE_READERS("only a copy would save space: convert with --allow-stale-readers"),
  /** The file has no bytes. */
  EMPTY("empty"),
  /** A snapshot keeps the replicas, so a conversion would free no space. */
  SNAPSHOTTED("in a snapshot, so its replicas would stay; convert with --include-snapshotted"),
  /** A block of the file cannot be a cell. */
  BLOCK_SIZE(
      "blocks cannot be cells (2 GiB per stripe, or not a multiple of 1 KiB); try"
          + " --layout=striped"),
  /** The file needs a policy that is not added, because HDFS can add few. */
  POLICY_LIMIT(
      "needs a further erasure coding policy, of which a job adds few; add it with 'hdfs ec"
          + " -addPolicies'"),
  /** A NameNode does not accept cells as large as the blocks. */
  CELL_LIMIT(
      "blocks are larger than dfs.namenode.ec.policies.max.cellsize of a NameNode; raise that key"),
  /** A copy could not be written: HDFS cannot divide its blocks into cells. */
  CELL_SIZE("block size is not a multiple of the cell size; use a smaller --cell-size"),
  /** Superusers cannot read the file, so a copy could not be compared with it. */
  UNREADABLE_BY_SUPERUSER("security.hdfs.unreadable.by.superuser is set: no superuser can read it"),
  /**
   * With the attribute that records the replication, the file would exceed the limit of the
   * NameNode.
   */
  ATTRIBUTES_FULL(
      "no extended attribute can be added: dfs.namenode.fs-limits.max-xattrs-per-inode"),
  /** The limit of the NameNode was lowered after the attribute was set. */
  ATTRIBUTE_TOO_LARGE("an extended attribute is larger than dfs.namenode.fs-limits.max-xattr-size"),
  /** A block is missing or incomplete. */
  UNREADABLE("a block has no live replica"),
  /** No group of the code can be placed for some of the blocks; only plans know this before. */
  UNPLACEABLE("too few DataNodes or racks for its blocks");

  private final String text;

  SkipReason(String text) {
    this.text = text;
  }

  /** Returns the reason as text for users. */
  public String text() {
    return text;
  }
}
