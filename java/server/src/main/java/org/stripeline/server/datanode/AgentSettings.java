// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.agent.Wire;

/** The validated values of {@link AgentKeys}. */
public final class AgentSettings {
  /** Maximum bytes of a window; a task holds k+m times {@link #windows} of them. */
  public static final int WINDOW_MAX = 64 << 20;

  /** Maximum number of running tasks. */
  public final int tasks;

  /** Maximum number of queued tasks. */
  public final int queue;

  /** Bytes of each unit that are coded at a time, unless a request sets fewer. */
  public final int window;

  /** Maximum number of windows that a task reads, codes or sends concurrently. */
  public final int windows;

  /** Maximum bytes per second of all tasks; 0 for no limit. */
  public final long bandwidth;

  /** Maximum bytes per second that are read for fingerprints; 0 for no limit. */
  public final long scrubBandwidth;

  /** Maximum bytes in the quarantine of one storage. */
  public final long quarantineBytes;

  /** Time after which a replica in quarantine is deleted. */
  public final long quarantineMillis;

  /** Time without progress of a transfer after which the other DataNode is considered dead. */
  public final int timeoutMillis;

  /** Maximum number of links that one call makes. */
  public final int linksMax;

  /** Whether replicas are linked; otherwise they are copied. */
  public final boolean hardLinks;

  /** Handlers for calls that do work. */
  public final int workers;

  /** Handlers for calls that wait for tasks. */
  public final int waiters;

  /** Time for which the result of a task is kept. */
  public final long resultNanos;

  /** Time without a poll after which a task is cancelled. */
  public final long abandonNanos;

  /** Time without progress after which a task is cancelled. */
  public final long stallNanos;

  /**
   * Reads the settings.
   *
   * @throws IllegalArgumentException if one is out of range; the message names it
   */
  public AgentSettings(Configuration conf) {
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
    long scrub = conf.getLongBytes(AgentKeys.SCRUB_BANDWIDTH, AgentKeys.SCRUB_BANDWIDTH_DEFAULT);
    scrubBandwidth =
        scrub == 0
            ? 0
            : checked(
                AgentKeys.SCRUB_BANDWIDTH, scrub, FingerprintRequest.RATE_MIN, Long.MAX_VALUE);
    quarantineBytes =
        checked(
            AgentKeys.QUARANTINE_SIZE,
            conf.getLongBytes(AgentKeys.QUARANTINE_SIZE, AgentKeys.QUARANTINE_SIZE_DEFAULT),
            0,
            Long.MAX_VALUE);
    quarantineMillis =
        millis(
            conf,
            AgentKeys.QUARANTINE_PERIOD,
            AgentKeys.QUARANTINE_PERIOD_DEFAULT,
            TimeUnit.DAYS.toMillis(3650));
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
