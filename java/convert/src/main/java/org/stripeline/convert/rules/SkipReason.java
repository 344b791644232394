// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.rules;

/** Why a file is left alone. */
public enum SkipReason {
  /** A link: what it points to is met where it lies. */
  SYMLINK("symbolic link"),
  /** The file's pattern, owner, size or age is not what was asked for. */
  RULE("left out by the rules"),
  /** Some client writes it. */
  OPEN("open for writing"),
  /** Its writers rely on hflush or hsync, which do nothing on erasure-coded files. */
  SYNCED("written with hsync: needs replication; --include-synced takes it"),
  /** It is erasure-coded, for an estimate that names no layout. */
  CODED("already erasure-coded"),
  /** It has the layout that is wanted. */
  ALREADY("has this layout already"),
  /** It has another erasure coding policy. */
  OTHER_POLICY("erasure coded with another policy; undo that first"),
  /** No file that this command made. */
  NOT_CONVERTED("not converted by stripeline"),
  /** HDFS would wait in vain for the replicas that no DataNode is there for. */
  REPLICATION(
      "had more replicas than DataNodes are in service; add DataNodes, or use --max-replication"),
  /** Written to memory first; HDFS cannot append to or code it. */
  LAZY_PERSIST("storage policy LAZY_PERSIST"),
  /** One replica takes less than any code. */
  ONE_REPLICA("replication 1: coding would take more"),
  /** Parity would take what the replicas take now, or more. */
  TOO_SMALL("too small: coded it would take as much space as now"),
  /** Holds nothing. */
  EMPTY("empty"),
  /** A snapshot keeps the replicas, so that no space would be freed. */
  SNAPSHOTTED("in a snapshot, whose replicas would stay; --include-snapshotted takes it"),
  /** Its blocks cannot be cells. */
  BLOCK_SIZE("blocks cannot be cells (2 GiB in a group, or no whole KiB); try --layout=striped"),
  /** HDFS lets the owner read it and no superuser, so that copies cannot be compared with it. */
  UNREADABLE_BY_SUPERUSER("security.hdfs.unreadable.by.superuser is set: no superuser can read it"),
  /** With the one that remembers the replication, it has more than the NameNode takes. */
  ATTRIBUTES_FULL(
      "no extended attribute can be added: dfs.namenode.fs-limits.max-xattrs-per-inode"),
  /** The NameNode's limit has been lowered since it was set. */
  ATTRIBUTE_TOO_LARGE(
      "an extended attribute is larger than dfs.namenode.fs-limits.max-xattr-size by now"),
  /** A block is missing or not complete. */
  UNREADABLE("a block has no live replica");

  private final String text;

  SkipReason(String text) {
    this.text = text;
  }

  /** The reason in words. */
  public String text() {
    return text;
  }
}
