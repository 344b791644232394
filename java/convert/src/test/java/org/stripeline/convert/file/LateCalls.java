// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.net.InetAddress;
import java.util.function.BiConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.server.namenode.AuditLogger;

/** Runs an action after the NameNode has executed a call and before it returns to the caller. */
public final class LateCalls implements AuditLogger {
  private static volatile BiConsumer<String, String> action = (command, path) -> {};

  /** Sets the action, which receives the name of each call in the audit log, and the path. */
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
