// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.FingerprintRequest;

/** What the check of one group needs of a cluster. All methods are thread-safe. */
public interface GroupAccess {
  /** Returns the group as the NameNode knows it now, or null if the file has it no more. */
  GroupLocations locate() throws IOException;

  /**
   * Returns fingerprints of a replica, as {@code Agents.fingerprint} does.
   *
   * @throws NotAskedException if the DataNode is not asked for a while
   */
  BlockFingerprints fingerprint(DatanodeInfo node, FingerprintRequest request) throws IOException;

  /**
   * Reads bytes of a replica as they are, whether they match their checksums or not.
   *
   * @param bytes number of bytes, all within the replica
   */
  byte[] read(Copy copy, long offset, int bytes) throws IOException;

  /**
   * Returns how the racks of a complete group break the rule for them, for people; null if they do
   * not.
   */
  String rackProblem(GroupLocations group) throws IOException;

  /**
   * Waits before replicas are asked again.
   *
   * @param round 1 for the first repetition
   */
  void pause(int round) throws IOException;
}
