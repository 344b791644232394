// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.balancer;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.ToolRunner;

/** Command {@code hdfs balancer}, whose class is seen in this package only. */
public final class BalancerCommand {
  private BalancerCommand() {}

  /** Runs it; returns its exit status. */
  public static int run(Configuration conf, String... arguments) throws Exception {
    return ToolRunner.run(conf, new Balancer.Cli(), arguments);
  }
}
