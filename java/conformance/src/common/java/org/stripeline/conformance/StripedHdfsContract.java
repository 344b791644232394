// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.hdfs.HDFSContract;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.io.erasurecode.ECSchema;

/**
 * Hadoop's contract of HDFS, on erasure-coded files: Hadoop's own tests use only replicated ones.
 * The contract's cluster has two DataNodes and blocks of 1 KiB, so the policy is the smallest
 * possible one.
 */
public final class StripedHdfsContract extends HDFSContract {
  private static boolean isStriped;

  /** Creates the contract; called by the tests. */
  public StripedHdfsContract(Configuration conf) {
    super(conf);
  }

  @Override
  public void init() throws IOException {
    super.init();
    if (getCluster() == null) {
      createCluster();
    }
    if (!isStriped) {
      makeStriped();
      isStriped = true;
    }
  }

  private static void makeStriped() throws IOException {
    Configuration conf = getCluster().getConfiguration(0);
    getCluster().startDataNodes(conf, 1, true, null, null);
    getCluster().waitActive();
    try (DistributedFileSystem fs =
        (DistributedFileSystem) FileSystem.newInstance(getCluster().getURI(), conf)) {
      ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("xor", 2, 1), 1024);
      fs.addErasureCodingPolicies(new ErasureCodingPolicy[] {policy});
      fs.enableErasureCodingPolicy(policy.getName());
      fs.setErasureCodingPolicy(new Path("/"), policy.getName());
    }
  }
}
