// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.balancer;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.ToolRunner;

/** Runs the command {@code hdfs balancer}, whose class is package-private. */
public final class BalancerCommand {
  private BalancerCommand() {}

  /** Runs the command and returns its exit status. */
  public static int run(Configuration conf, String... arguments) throws Exception {
    return ToolRunner.run(conf, new Balancer.Cli(), arguments);
  }
}
