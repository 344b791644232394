// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.apache.hadoop.fs.contract.hdfs.TestHDFSContractMultipartUploader;

/** Hadoop's contract of multipart uploads, on erasure-coded files. */
public class StripedContractMultipartUploaderTest extends TestHDFSContractMultipartUploader {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new StripedHdfsContract(conf);
  }
}
