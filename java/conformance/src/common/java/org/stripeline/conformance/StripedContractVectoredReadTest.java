// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractVectoredReadTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/**
 * Hadoop's contract of vectored reads, on erasure-coded files. The cluster ends with the JVM:
 * Hadoop 3.3.6 has no HDFS test class of this contract that would stop it.
 */
public class StripedContractVectoredReadTest extends AbstractContractVectoredReadTest {
  /** Creates the test for one type of buffer; called by the runner. */
  public StripedContractVectoredReadTest(String bufferType) {
    super(bufferType);
  }

  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new StripedHdfsContract(conf);
  }
}
