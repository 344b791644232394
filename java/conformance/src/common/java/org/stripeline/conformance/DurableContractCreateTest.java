// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.conf.Configuration;

/** Hadoop's contract of create, on erasure-coded files whose hflush and hsync are durable. */
public class DurableContractCreateTest extends StripedContractCreateTest {
  @Override
  protected Configuration createConfiguration() {
    Configuration conf = super.createConfiguration();
    conf.set(StripedHdfsContract.SYNC_KEY, "durable");
    return conf;
  }
}
