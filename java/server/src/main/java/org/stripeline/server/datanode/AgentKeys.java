// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import org.stripeline.agent.FingerprintRequest;

/** The configuration keys of the encode agent, as listed in docs/user/configure.md. */
public final class AgentKeys {
  /** Tasks that encode concurrently, per DataNode. */
  public static final String TASKS = "stripeline.agent.tasks";

  /** Default of {@link #TASKS}. */
  public static final int TASKS_DEFAULT = 2;

  /** Maximum number of queued tasks; more are refused. */
  public static final String QUEUE = "stripeline.agent.queue";

  /** Default of {@link #QUEUE}. */
  public static final int QUEUE_DEFAULT = 64;

  /** Bytes of each unit that are coded at a time, unless a request sets fewer. */
  public static final String WINDOW = "stripeline.agent.window.size";

  /** Default of {@link #WINDOW}. */
  public static final long WINDOW_DEFAULT = 1L << 20;

  /** Windows of a task that are read, coded or sent concurrently. */
  public static final String WINDOWS = "stripeline.agent.windows";

  /** Default of {@link #WINDOWS}. */
  public static final int WINDOWS_DEFAULT = 3;

  /**
   * Total bytes per second that all tasks of a DataNode read, send and have verified; 0 for no
   * limit.
   */
  public static final String BANDWIDTH = "stripeline.agent.bandwidth";

  /** Default of {@link #BANDWIDTH}. */
  public static final long BANDWIDTH_DEFAULT = 0;

  /** Total bytes per second that a DataNode reads for fingerprints; 0 for no limit. */
  public static final String SCRUB_BANDWIDTH = "stripeline.agent.scrub.bandwidth";

  /** Default of {@link #SCRUB_BANDWIDTH}. */
  public static final long SCRUB_BANDWIDTH_DEFAULT = FingerprintRequest.RATE_DEFAULT;

  /** Maximum bytes in the quarantine of one storage; 0 for no quarantine, and thus no repair. */
  public static final String QUARANTINE_SIZE = "stripeline.agent.quarantine.size";

  /** Default of {@link #QUARANTINE_SIZE}. */
  public static final long QUARANTINE_SIZE_DEFAULT = 10L << 30;

  /** Time after which a replica in quarantine is deleted. */
  public static final String QUARANTINE_PERIOD = "stripeline.agent.quarantine.period";

  /** Default of {@link #QUARANTINE_PERIOD}, in milliseconds. */
  public static final long QUARANTINE_PERIOD_DEFAULT = 30L * 24 * 3600 * 1000;

  /** Time without progress of a transfer after which the other DataNode is considered dead. */
  public static final String TIMEOUT = "stripeline.agent.transfer.timeout";

  /** Default of {@link #TIMEOUT}, in milliseconds. */
  public static final long TIMEOUT_DEFAULT = 60_000;

  /** Maximum number of links per call. */
  public static final String LINKS_MAX = "stripeline.agent.links.max";

  /** Default of {@link #LINKS_MAX}. */
  public static final int LINKS_MAX_DEFAULT = 256;

  /** Whether replicas are hard-linked rather than copied (boolean). */
  public static final String HARD_LINKS_ENABLED = "stripeline.agent.hard-links.enabled";

  /** Default of {@link #HARD_LINKS_ENABLED}. */
  public static final boolean HARD_LINKS_ENABLED_DEFAULT = true;

  /**
   * Handlers of the DataNode's IPC server that calls to the agent may occupy; 0 for half of {@code
   * dfs.datanode.handler.count}.
   */
  public static final String CALLS = "stripeline.agent.calls";

  /** Default of {@link #CALLS}. */
  public static final int CALLS_DEFAULT = 0;

  /** Time for which the result of a task is kept. */
  public static final String RESULT_PERIOD = "stripeline.agent.result.period";

  /** Default of {@link #RESULT_PERIOD}, in milliseconds. */
  public static final long RESULT_PERIOD_DEFAULT = 600_000;

  /** Time without a poll after which a task is cancelled. */
  public static final String ABANDON_PERIOD = "stripeline.agent.abandon.period";

  /** Default of {@link #ABANDON_PERIOD}, in milliseconds. */
  public static final long ABANDON_PERIOD_DEFAULT = 300_000;

  /**
   * Time without progress after which a task is cancelled, in addition to the time for writing a
   * block to disk.
   */
  public static final String STALL_PERIOD = "stripeline.agent.stall.period";

  /** Default of {@link #STALL_PERIOD}, in milliseconds. */
  public static final long STALL_PERIOD_DEFAULT = 600_000;

  private AgentKeys() {}
}
