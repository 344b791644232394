// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;

/** The space that a new internal block needs: a number of bytes in one storage of certain types. */
final class BlockNeed {
  private final long bytes;

  /** The preferred types, followed by the fallbacks. */
  private final List<StorageType> types;

  private BlockNeed(long bytes, List<StorageType> types) {
    this.bytes = bytes;
    this.types = types;
  }

  /**
   * Returns the space that the NameNode requires with a storage policy.
   *
   * <p>For erasure-coded files, the NameNode applies the policies that put all blocks into one
   * storage type (ErasureCodingPolicyManager.checkStoragePolicySuitableForECStripedMode). For
   * others it uses its default policy, assumed here to be HOT, which it is unless configured
   * otherwise.
   *
   * @param policy storage policy of the file
   * @param bytes length of the longest block
   */
  static BlockNeed of(BlockStoragePolicy policy, long bytes) {
    List<StorageType> types = new ArrayList<>();
    switch (policy.getId()) {
      case HdfsConstants.COLD_STORAGE_POLICY_ID:
      case HdfsConstants.ALLSSD_STORAGE_POLICY_ID:
        types.addAll(Arrays.asList(policy.getStorageTypes()));
        types.addAll(Arrays.asList(policy.getCreationFallbacks()));
        break;
      default:
        types.add(StorageType.DISK);
    }
    return new BlockNeed(bytes, types);
  }

  long bytes() {
    return bytes;
  }

  /**
   * Returns whether a DataNode has the space.
   *
   * @param storages storages of the DataNode
   * @param promised bytes of other blocks that it may still get
   */
  boolean isMetBy(StorageReport[] storages, long promised) {
    long all = 0;
    for (StorageReport storage : storages) {
      all += isUsable(storage) ? storage.getRemaining() : 0;
    }
    return typeOn(storages) != null && all - promised >= bytes;
  }

  /**
   * Returns the preferred storage type of a DataNode that has space for the block; null if none
   * has.
   */
  StorageType typeOn(StorageReport[] storages) {
    for (StorageType type : types) {
      for (StorageReport storage : storages) {
        if (isUsable(storage)
            && storage.getStorage().getStorageType() == type
            && storage.getRemaining() >= bytes) {
          return type;
        }
      }
    }
    return null;
  }

  private boolean isUsable(StorageReport storage) {
    return !storage.isFailed()
        && storage.getStorage().getState() == DatanodeStorage.State.NORMAL
        && types.contains(storage.getStorage().getStorageType());
  }
}
