// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSConfigKeys;

/** Sets the storage policies of temporary files. */
public final class StoragePolicies {
  private StoragePolicies() {}

  /**
   * Sets the storage policy of a file. Does nothing if the NameNode has storage policies switched
   * off: then all files have the same.
   *
   * @param policy name of the policy, or null for that of the directory
   */
  public static void set(DFSClient client, String path, String policy) throws IOException {
    try {
      if (policy == null) {
        client.unsetStoragePolicy(path);
      } else {
        client.setStoragePolicy(path, policy);
      }
    } catch (IOException e) {
      String key = DFSConfigKeys.DFS_STORAGE_POLICY_ENABLED_KEY;
      if (!String.valueOf(e.getMessage()).contains(key + " is set to false")) {
        throw e;
      }
    }
  }
}
