// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.stripeline.agent.Wire;

/** The validated values of {@link AgentKeys}. */
final class AgentSettings {
  /** Maximum bytes of a window; a task holds k+m times {@link #windows} of them. */
  static final int WINDOW_MAX = 64 << 20;

  final int tasks;
  final int queue;
  final int window;
  final int windows;
  final long bandwidth;
  final int timeoutMillis;
  final int linksMax;
  final boolean hardLinks;

  /** Handlers for calls that do work. */
  final int workers;

  /** Handlers for calls that wait for tasks. */
  final int waiters;

  final long resultNanos;
  final long abandonNanos;
  final long stallNanos;

  /**
   * Reads the settings.
   *
   * @throws IllegalArgumentException if one is out of range; the message names it
   */
  AgentSettings(Configuration conf) {
    tasks = integer(conf, AgentKeys.TASKS, AgentKeys.TASKS_DEFAULT, 1, 64);
    queue = integer(conf, AgentKeys.QUEUE, AgentKeys.QUEUE_DEFAULT, 1, 10_000);
    window =
        (int)
            checked(
                AgentKeys.WINDOW,
                conf.getLongBytes(AgentKeys.WINDOW, AgentKeys.WINDOW_DEFAULT),
                4096,
                WINDOW_MAX);
    windows = integer(conf, AgentKeys.WINDOWS, AgentKeys.WINDOWS_DEFAULT, 1, 16);
    bandwidth =
        checked(
            AgentKeys.BANDWIDTH,
            conf.getLongBytes(AgentKeys.BANDWIDTH, AgentKeys.BANDWIDTH_DEFAULT),
            0,
            Long.MAX_VALUE);
    timeoutMillis =
        (int) millis(conf, AgentKeys.TIMEOUT, AgentKeys.TIMEOUT_DEFAULT, Integer.MAX_VALUE);
    linksMax = integer(conf, AgentKeys.LINKS_MAX, AgentKeys.LINKS_MAX_DEFAULT, 1, Wire.BLOCKS_MAX);
    hardLinks = conf.getBoolean(AgentKeys.HARD_LINKS_ENABLED, AgentKeys.HARD_LINKS_ENABLED_DEFAULT);
    int calls = integer(conf, AgentKeys.CALLS, AgentKeys.CALLS_DEFAULT, 0, 1_000);
    if (calls == 0) {
      calls =
          conf.getInt(
                  DFSConfigKeys.DFS_DATANODE_HANDLER_COUNT_KEY,
                  DFSConfigKeys.DFS_DATANODE_HANDLER_COUNT_DEFAULT)
              / 2;
    }
    workers = Math.max(1, (calls + 1) / 2);
    waiters = calls / 2;
    long longest = TimeUnit.DAYS.toMillis(30);
    resultNanos =
        TimeUnit.MILLISECONDS.toNanos(
            millis(conf, AgentKeys.RESULT_PERIOD, AgentKeys.RESULT_PERIOD_DEFAULT, longest));
    abandonNanos =
        TimeUnit.MILLISECONDS.toNanos(
            millis(conf, AgentKeys.ABANDON_PERIOD, AgentKeys.ABANDON_PERIOD_DEFAULT, longest));
    stallNanos =
        TimeUnit.MILLISECONDS.toNanos(
            millis(conf, AgentKeys.STALL_PERIOD, AgentKeys.STALL_PERIOD_DEFAULT, longest));
  }

  private static int integer(Configuration conf, String key, int usual, int least, int most) {
    return (int) checked(key, conf.getInt(key, usual), least, most);
  }

  private static long millis(Configuration conf, String key, long usual, long most) {
    return checked(key, conf.getTimeDuration(key, usual, TimeUnit.MILLISECONDS), 1, most);
  }

  private static long checked(String key, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "Cannot use " + key + " = " + value + ": it must be from " + least + " to " + most);
    }
    return value;
  }
}
