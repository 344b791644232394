// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.apache.hadoop.fs.contract.hdfs.TestHDFSContractConcat;

/** Hadoop's contract of concatenation, on erasure-coded files. */
public class StripedContractConcatTest extends TestHDFSContractConcat {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new StripedHdfsContract(conf);
  }
}
