// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.agent.AgentException;
import org.stripeline.natives.Ticker;
import org.stripeline.scrub.check.NotAskedException;

/**
 * DataNodes that did not answer a call in time, as when a disk hangs. They are not asked again for
 * a while: otherwise each group with a block there would wait for several such calls. Thread-safe.
 */
final class SilentNodes {
  /** Longer than a working DataNode needs to refuse or to answer a call. */
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final Ticker ticker;

  /** When DataNodes may be asked again, from their last late call until they answer. */
  private final Map<String, Long> askedAgain = new HashMap<>();

  SilentNodes(Ticker ticker) {
    this.ticker = ticker;
  }

  /** A call to a DataNode. */
  interface Call<T> {
    T run() throws IOException;
  }

  /**
   * Calls a DataNode.
   *
   * @throws NotAskedException without a call, if the DataNode did not answer one in time
   */
  <T> T call(DatanodeInfo node, Call<T> call) throws IOException {
    require(node);
    long start = ticker.nanos();
    try {
      T answer = call.run();
      answered(node);
      return answer;
    } catch (IOException e) {
      failed(node, e, ticker.nanos() - start);
      throw e;
    }
  }

  private synchronized void require(DatanodeInfo node) throws NotAskedException {
    Long at = askedAgain.get(node.getDatanodeUuid());
    if (at != null && at - ticker.nanos() > 0) {
      throw new NotAskedException(
          "Cannot call DataNode "
              + node.getXferAddr()
              + ": it did not answer an earlier call, and is not asked again for "
              + TimeUnit.NANOSECONDS.toMinutes(PAUSE_NANOS)
              + " min");
    }
  }

  private synchronized void answered(DatanodeInfo node) {
    askedAgain.remove(node.getDatanodeUuid());
  }

  private synchronized void failed(DatanodeInfo node, IOException why, long nanos) {
    // Another scrub can keep a DataNode busy; a disk that hangs can do so after a call was late.
    boolean isBusy =
        why instanceof AgentException
            && ((AgentException) why).kind() == AgentException.Kind.BUSY
            && !askedAgain.containsKey(node.getDatanodeUuid());
    if (nanos >= LATE_NANOS && !isBusy) {
      askedAgain.put(node.getDatanodeUuid(), ticker.nanos() + PAUSE_NANOS);
    }
  }
}
