// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;

/** The room that a new internal block needs: so many bytes in one storage of some types. */
final class BlockNeed {
  private final long bytes;
  private final Set<StorageType> types;

  private BlockNeed(long bytes, Set<StorageType> types) {
    this.bytes = bytes;
    this.types = types;
  }

  /**
   * What the NameNode looks for with a storage policy.
   *
   * <p>Of coded files it heeds those that put all blocks into one type of storage, and takes HOT
   * for any other (ErasureCodingPolicyManager.checkStoragePolicySuitableForECStripedMode).
   *
   * @param policy that of the file
   * @param bytes length of the longest block
   */
  static BlockNeed of(BlockStoragePolicy policy, long bytes) {
    Set<StorageType> types = EnumSet.noneOf(StorageType.class);
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
    long most = 0;
    for (StorageReport storage : storages) {
      boolean isUsable =
          !storage.isFailed()
              && storage.getStorage().getState() == DatanodeStorage.State.NORMAL
              && types.contains(storage.getStorage().getStorageType());
      if (isUsable) {
        all += storage.getRemaining();
        most = Math.max(most, storage.getRemaining());
      }
    }
    return most >= bytes && all - promised >= bytes;
  }
}
