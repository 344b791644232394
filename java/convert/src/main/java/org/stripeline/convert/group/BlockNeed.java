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

/** The room that a new internal block needs: so many bytes in one storage of some types. */
final class BlockNeed {
  private final long bytes;

  /** Those that are wanted, then those that will do. */
  private final List<StorageType> types;

  private BlockNeed(long bytes, List<StorageType> types) {
    this.bytes = bytes;
    this.types = types;
  }

  /**
   * What the NameNode looks for with a storage policy.
   *
   * <p>Of coded files it heeds those that put all blocks into one type of storage
   * (ErasureCodingPolicyManager.checkStoragePolicySuitableForECStripedMode). For others it takes
   * its default, which is taken for HOT here, as it is unless configured.
   *
   * @param policy that of the file
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
   * Tells whether a DataNode has the room.
   *
   * @param storages of the DataNode
   * @param promised bytes of other blocks that it may still get
   */
  boolean isMetBy(StorageReport[] storages, long promised) {
    long all = 0;
    for (StorageReport storage : storages) {
      all += isUsable(storage) ? storage.getRemaining() : 0;
    }
    return typeOn(storages) != null && all - promised >= bytes;
  }

  /** The type of storage of a DataNode that a block is best written to; null if none has room. */
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
