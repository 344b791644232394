// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.net.InetAddress;
import java.util.function.BiConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.server.namenode.AuditLogger;

/** Does something after the NameNode has carried out a call, and before its caller knows. */
public final class LateCalls implements AuditLogger {
  private static volatile BiConsumer<String, String> action = (command, path) -> {};

  /** Is told of each call: how audit logs name it, and the path. */
  static void after(BiConsumer<String, String> what) {
    action = what;
  }

  static void install(Configuration conf) {
    conf.set("dfs.namenode.audit.loggers", LateCalls.class.getName());
  }

  @Override
  public void initialize(Configuration conf) {
    action = (command, path) -> {};
  }

  @Override
  public void logAuditEvent(
      boolean isAllowed,
      String user,
      InetAddress address,
      String command,
      String path,
      String target,
      FileStatus status) {
    action.accept(command, String.valueOf(path));
  }
}
