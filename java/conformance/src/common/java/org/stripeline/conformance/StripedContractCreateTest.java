// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.apache.hadoop.fs.contract.hdfs.TestHDFSContractCreate;

/** Hadoop's contract of create, on erasure-coded files. */
public class StripedContractCreateTest extends TestHDFSContractCreate {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new StripedHdfsContract(conf);
  }
}
