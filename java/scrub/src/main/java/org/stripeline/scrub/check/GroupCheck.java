// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentException;

/**
 * Checks one group: reads fingerprints of all replicas, compares them window by window, and
 * confirms differences on the bytes. It changes nothing in the cluster. A group that changes during
 * its check is checked from its beginning again.
 */
public final class GroupCheck {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCheck.class);

  private final GroupAccess access;
  private final CheckSettings settings;
  private final ExecutorService threads;

  /**
   * Creates a check.
   *
   * @param threads run the calls to DataNodes; one thread for each replica of the group is used
   */
  public GroupCheck(GroupAccess access, CheckSettings settings, ExecutorService threads) {
    this.access = access;
    this.settings = settings;
    this.threads = threads;
  }

  /**
   * Checks the group. What prevents it is a finding in the result.
   *
   * @throws InterruptedIOException if the thread is interrupted
   */
  public GroupResult run() throws InterruptedIOException {
    try {
      for (int restart = 0; restart <= CheckSettings.RESTARTS; restart++) {
        if (restart > 0) {
          access.pause(restart);
        }
        GroupLocations group = locate();
        if (group == null) {
          return GroupResult.gone();
        }
        if (group.isOpen()) {
          return GroupResult.open();
        }
        try (WindowJudge judge = new WindowJudge(group)) {
          GroupResult result = new GroupPass(access, settings, threads, group, judge).run();
          if (result != null) {
            return result;
          }
        }
      }
      return GroupResult.unchecked("its blocks changed or moved each time that it was checked");
    } catch (InterruptedIOException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw e;
      }
      return GroupResult.unchecked(AgentException.reason(e));
    } catch (IOException e) {
      return GroupResult.unchecked(AgentException.reason(e));
    } catch (RuntimeException e) {
      // One group that is unlike all others must not end the check of the rest.
      LOG.warn("Cannot check a group", e);
      return GroupResult.unchecked("the check failed: " + e);
    }
  }

  /** Locates the group, and waits for DataNodes that may not have reported their replicas yet. */
  private GroupLocations locate() throws IOException {
    GroupLocations group = access.locate();
    for (int repeat = 1; repeat <= CheckSettings.REPEATS; repeat++) {
      if (group == null || group.isOpen() || !group.isBeingReported()) {
        break;
      }
      access.pause(repeat);
      group = access.locate();
    }
    return group;
  }
}
