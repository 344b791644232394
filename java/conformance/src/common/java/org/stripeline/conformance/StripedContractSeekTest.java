// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.apache.hadoop.fs.contract.hdfs.TestHDFSContractSeek;

/** Hadoop's contract of seek, on erasure-coded files. */
public class StripedContractSeekTest extends TestHDFSContractSeek {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new StripedHdfsContract(conf);
  }
}
