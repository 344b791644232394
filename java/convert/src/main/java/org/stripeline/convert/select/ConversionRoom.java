// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorageReport;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.stripeline.convert.rules.SpaceNeed;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.terminal.Quantity;

/**
 * Compares the space that a conversion needs while it runs with the free space of the DataNodes,
 * for each storage type, and with space quotas.
 */
public final class ConversionRoom {
  private static final short REPLICAS = 3;

  private final DistributedFileSystem fs;
  private final BlockStoragePolicy[] policies;

  /** Asks the NameNode for its storage policies, which any user may. */
  public ConversionRoom(DistributedFileSystem fs) throws IOException {
    this.fs = fs;
    policies = fs.getClient().getStoragePolicies();
  }

  /** Returns the id of a storage policy, or null if there is none of that name. */
  public Integer idOf(String storagePolicy) {
    for (BlockStoragePolicy policy : policies) {
      if (policy.getName().equals(storagePolicy)) {
        return (int) policy.getId();
      }
    }
    return null;
  }

  /** Returns the needs by storage type, from those by the ids of storage policies. */
  public Map<StorageType, SpaceNeed> byType(Map<Integer, SpaceNeed> needs) {
    Map<StorageType, SpaceNeed> byType = new EnumMap<>(StorageType.class);
    needs.forEach(
        (id, need) -> byType.computeIfAbsent(typeOf(id), any -> new SpaceNeed()).add(need));
    return byType;
  }

  /**
   * Returns the type on which HDFS puts the blocks of erasure-coded files. Policies that mix types
   * do not apply to these files.
   */
  private StorageType typeOf(int id) {
    for (BlockStoragePolicy policy : policies) {
      if (policy.getId() == id) {
        Set<StorageType> types = EnumSet.copyOf(policy.chooseStorageTypes(REPLICAS));
        return types.size() == 1 ? types.iterator().next() : StorageType.DISK;
      }
    }
    return StorageType.DISK;
  }

  /**
   * Returns the free bytes on which HDFS can put blocks of a type: on storage of that type, and of
   * those to which the storage policies fall back when a file is created.
   *
   * @param free of {@link #free}
   * @return null if no DataNode in service has any such storage
   */
  public Long left(StorageType type, Map<StorageType, Long> free) {
    Set<StorageType> types = EnumSet.of(type);
    for (BlockStoragePolicy policy : policies) {
      if (typeOf(policy.getId()) == type) {
        Collections.addAll(types, policy.getCreationFallbacks());
      }
    }
    Long left = null;
    for (StorageType one : types) {
      if (free.containsKey(one)) {
        left = (left == null ? 0 : left) + free.get(one);
      }
    }
    return left;
  }

  /**
   * Returns whether a job is refused that lacks space on one type. Any user can give a file a
   * policy whose storage no DataNode has, so such files do not keep the others from being
   * converted.
   *
   * @param left of {@link #left}
   * @param needs what the job needs, by storage type
   */
  public static boolean isRefused(
      Long left, Map<StorageType, SpaceNeed> needs, Map<StorageType, Long> free) {
    return left != null || needs.keySet().stream().noneMatch(free::containsKey);
  }

  /** Returns the free bytes of the DataNodes in service; only superusers may ask. */
  public Map<StorageType, Long> free() throws IOException {
    Map<StorageType, Long> free = new EnumMap<>(StorageType.class);
    for (DatanodeStorageReport node :
        fs.getClient().getDatanodeStorageReport(DatanodeReportType.LIVE)) {
      if (node.getDatanodeInfo().isInService()) {
        for (StorageReport storage : node.getStorageReports()) {
          free.merge(storage.getStorage().getStorageType(), storage.getRemaining(), Long::sum);
        }
      }
    }
    return free;
  }

  /**
   * Refuses a job for which the DataNodes have no space.
   *
   * @param path the tree that is converted
   * @param filesAtOnce how many files are in progress at a time
   * @return a warning of files that will be left for that reason, or null
   */
  public String require(String path, Map<Integer, SpaceNeed> needs, int filesAtOnce)
      throws IOException {
    Map<StorageType, Long> free = free();
    Map<StorageType, SpaceNeed> byType = byType(needs);
    String warning = null;
    for (Map.Entry<StorageType, SpaceNeed> entry : byType.entrySet()) {
      StorageType type = entry.getKey();
      Long left = left(type, free);
      long bytes = left == null ? 0 : left;
      if (entry.getValue().peak(filesAtOnce) <= bytes) {
        continue;
      }
      if (isRefused(left, byType, free)) {
        throw new RefusedException(
            text(path, entry.getValue(), filesAtOnce)
                + " on storage of type "
                + type
                + ", and the DataNodes in service have "
                + Quantity.bytes(bytes)
                + " left there; free space or add DataNodes"
                + wayOut(entry.getValue().peak(1), filesAtOnce));
      }
      warning = withoutStorage(type);
    }
    return warning;
  }

  /** Returns the warning of files that are left because no DataNode has their storage. */
  public static String withoutStorage(StorageType type) {
    return "no DataNode in service has storage of type "
        + type
        + ", so files whose storage policy requires it are left unchanged";
  }

  /**
   * Refuses a job for which the space quotas have no room. The NameNode counts a file in full while
   * it is made, although adopted replicas take no further space, and as long as a snapshot keeps
   * the old one.
   *
   * @param path the tree that is converted
   * @param jobs parent of all job directories, which has the temporary files
   * @param need what the new files count
   * @param filesAtOnce how many files are in progress at a time
   */
  public void requireQuotas(String path, String jobs, SpaceNeed need, int filesAtOnce)
      throws RefusedException {
    requireQuota(path, path, need.kept(), "");
    long bytes = need.peak(filesAtOnce);
    if (bytes > 0) {
      // The last blocks of the open journal, and of the status while it is written, count in full.
      Path root = new Path(jobs);
      long own = 2 * fs.getDefaultReplication(root) * fs.getDefaultBlockSize(root);
      requireQuota(path, jobs, bytes + own, wayOut(need.peak(1) + own, filesAtOnce));
    }
  }

  /** Checks the quotas of a directory and of those above it. */
  private void requireQuota(String path, String top, long bytes, String wayOut)
      throws RefusedException {
    if (bytes == 0) {
      return;
    }
    SpaceQuotas quotas = new SpaceQuotas(fs);
    for (String directory : SpaceQuotas.parents(top.equals("/") ? top : top + "/")) {
      Long left = quotas.left(directory);
      if (left != null && bytes > left) {
        throw new RefusedException(
            "Cannot convert "
                + path
                + ": while it runs, up to "
                + Quantity.bytes(bytes)
                + " of new files, the journal and the status count below "
                + directory
                + ", whose space quota leaves "
                + Quantity.bytes(Math.max(0, left))
                + "; raise it with 'hdfs dfsadmin -setSpaceQuota'"
                + wayOut);
      }
    }
  }

  private static String text(String path, SpaceNeed need, int filesAtOnce) {
    return "Cannot convert "
        + path
        + ": while it runs it needs up to "
        + Quantity.bytes(need.peak(filesAtOnce))
        + " more for the new blocks of "
        + Quantity.counted(filesAtOnce, "file")
        + " at once"
        + (need.kept() == 0
            ? ""
            : ", and of all files in snapshots, which keep the old replicas ("
                + Quantity.bytes(need.kept())
                + ")");
  }

  private static String wayOut(long withOne, int filesAtOnce) {
    return filesAtOnce == 1
        ? ""
        : ", or use a smaller --files-at-once: with 1 it needs " + Quantity.bytes(withOne);
  }
}
