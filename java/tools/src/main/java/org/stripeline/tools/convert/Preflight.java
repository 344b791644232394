// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;

/** What must hold before a job begins; asks, and changes nothing. */
final class Preflight {
  private Preflight() {}

  /**
   * Checks it all.
   *
   * @return the cluster as it is
   * @throws RefusedException if the job cannot be done, with what to do
   */
  static ClusterFacts check(DFSClient client, JobSettings settings) throws IOException {
    ClusterFacts facts = asSuperuser(client);
    HdfsFileStatus status;
    try {
      status = client.getFileInfo(settings.path);
    } catch (AccessControlException e) {
      throw new RefusedException(
          "Cannot convert " + settings.path + ": not permitted: " + Reasons.of(e));
    }
    if (status == null) {
      throw new RefusedException("Cannot convert " + settings.path + ": no such file or directory");
    }
    if (settings.storagePolicy != null) {
      requireStoragePolicy(client, settings);
    }
    if (!settings.undo) {
      PolicyRequest request = settings.request();
      if (settings.layout == Layout.striped && !request.takesCell(settings.cellBytes)) {
        throw new RefusedException(
            "Cannot use cells of " + settings.cellBytes + " bytes: " + request.dataUnits()
                + " of them reach 2 GiB, which HDFS cannot count; at most "
                + request.cellBytesMax() + " bytes are possible with " + request);
      }
      facts.require(request, settings.allowRackLoss);
    }
    return facts;
  }

  private static ClusterFacts asSuperuser(DFSClient client) throws IOException {
    try {
      return ClusterFacts.of(client);
    } catch (AccessControlException e) {
      throw notSuperuser(e);
    } catch (RemoteException e) {
      IOException cause = e.unwrapRemoteException(AccessControlException.class);
      throw cause == e ? e : notSuperuser(cause);
    }
  }

  private static RefusedException notSuperuser(IOException e) {
    return new RefusedException(
        "Cannot convert files of other owners: the NameNode says '" + Reasons.of(e)
            + "'; run this as the user that runs the NameNode, or as a member of the group that"
            + " dfs.permissions.superusergroup names");
  }

  private static void requireStoragePolicy(DFSClient client, JobSettings settings)
      throws IOException {
    for (BlockStoragePolicy policy : client.getStoragePolicies()) {
      if (policy.getName().equals(settings.storagePolicy)) {
        return;
      }
    }
    throw new RefusedException(
        "Cannot set storage policy " + settings.storagePolicy
            + ": the NameNode has none of that name; see 'hdfs storagepolicies -listPolicies'");
  }

  /** Walks a tree, letting go what vanishes meanwhile. */
  static FileFinder walk(DFSClient client, JobSettings settings, String except)
      throws IOException {
    try {
      return new FileFinder(client, settings.path, except);
    } catch (FileNotFoundException e) {
      throw new RefusedException("Cannot convert " + settings.path + ": no such file or directory");
    }
  }
}
