// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.client.write.LateUnits;
import org.stripeline.client.write.StripeLayout;
import org.stripeline.client.write.WriteResources;
import org.stripeline.client.write.WriteStatistics;
import org.stripeline.natives.Ticker;

/**
 * Gives up streamers whose DataNodes are late, as long as the block group can lose them. Hadoop
 * then treats them like failed streamers.
 *
 * <p>The checks run on a thread that all streams share and take no lock of a streamer, because a
 * DataNode that hangs can block the thread that holds the lock: Hadoop sends heartbeats while it
 * holds the lock of the packet queue.
 */
final class LateStreamers implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(StripelineOutputStream.class);

  /**
   * A key of Hadoop 3.5; other releases tolerate the loss of as many units as there are parity
   * units.
   */
  private static final String TOLERATED = "dfs.client.ec.write.failed.blocks.tolerated";

  private static final long PERIOD_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

  /** The time added to Hadoop's limit for the restart of a DataNode. */
  private static final long RESTART_SPARE_MILLIS = 5_000;

  private final StripelineOutputStream stream;
  private final Ticker ticker;
  private final long periodNanos;
  private final long openNanosMax;

  /** Guarded by the monitor of this object. */
  private final LateUnits late;

  /** The streamers and DataNodes of the open group; null before the first group opens. */
  private volatile Group group;

  // Guarded by the monitor of this object.
  private final int[] unhealthyLooks;
  private ScheduledFuture<?> task;
  private Group seen;

  /** Whether a check has failed and was logged; only the thread of the checks uses it. */
  private boolean hasFailed;

  /**
   * Creates the watcher of a stream.
   *
   * @param timeoutNanos time after which a DataNode is late; 0 if none is ever late, which leaves
   *     those that are restarting
   */
  LateStreamers(
      StripelineOutputStream stream, StripeLayout layout, long timeoutNanos, Ticker ticker) {
    this.stream = stream;
    this.ticker = ticker;
    long lateNanos = timeoutNanos == 0 ? Long.MAX_VALUE : timeoutNanos;
    periodNanos = Math.max(1, Math.min(PERIOD_NANOS_MAX, lateNanos / 10));
    long restartMillis = stream.dfsClient.getConf().getDatanodeRestartTimeout();
    openNanosMax =
        Math.max(timeoutNanos, TimeUnit.MILLISECONDS.toNanos(restartMillis + RESTART_SPARE_MILLIS));
    unhealthyLooks = new int[layout.units()];
    int parity = layout.units() - layout.dataUnits();
    int tolerated = stream.dfsClient.getConfiguration().getInt(TOLERATED, -1);
    late =
        new LateUnits(
            layout.units(),
            layout.dataUnits(),
            tolerated < 0 ? parity : Math.min(tolerated, parity),
            lateNanos,
            periodNanos);
  }

  /** Starts the periodic checks of the streamers, which run until {@link #stop}. */
  synchronized void start() {
    task =
        WriteResources.timer()
            .scheduleWithFixedDelay(this, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
  }

  synchronized void stop() {
    if (task != null) {
      task.cancel(false);
    }
  }

  /** Records the streamers of a new group; called before any of them receives a packet. */
  void groupOpened(int units) {
    group = new Group(stream, units);
  }

  /** Returns why a unit of the open group was given up, or null if it was not given up. */
  IOException cause(int unit) {
    Group current = group;
    return current == null ? null : current.causes.get(unit);
  }

  /** Returns how long the oldest packet of a unit had been waiting at the last check. */
  synchronized long waitNanos(int unit) {
    return late.waitNanos(unit);
  }

  @Override
  public void run() {
    try {
      look();
    } catch (IOException | RuntimeException | Error e) {
      // The executor would not run this again, and the stream could wait for a DataNode for ever.
      if (!hasFailed) {
        LOG.warn("Cannot look for late DataNodes of {}; trying again", stream.getSrc(), e);
      }
      hasFailed = true;
    }
  }

  private synchronized void look() throws IOException {
    Group current = group;
    if (current == null) {
      return;
    }
    late.look(ticker.nanos());
    giveUpUnhealthy(current);
    for (int unit = 0; unit < current.streamers.length; unit++) {
      StripedDataStreamer streamer = current.streamers[unit];
      if (seen != null && seen.streamers[unit] != streamer) {
        late.restart(unit);
      }
      if (streamer.getErrorState().hasExternalError()) {
        // The block group gets a new generation stamp, for which Hadoop has its own time limit.
        return;
      }
      late.failed(unit, !streamer.isHealthy());
      late.progress(unit, streamer.getLastQueuedSeqno(), WriteCompat.lastAcknowledged(streamer));
    }
    seen = current;
    for (int unit : late.late()) {
      String time =
          seconds(late.waitNanos(unit)) + "; others need " + seconds(late.othersNeedNanos(unit));
      giveUp(current, unit, "has not acknowledged data of", time);
    }
  }

  /**
   * Gives up streamers that have been unhealthy but not closed for too long. Hadoop's streamers
   * wait for the restart of a DataNode without a limit until the next stripe is sent, and that
   * stripe may have to wait for the acknowledgement of theirs.
   */
  private void giveUpUnhealthy(Group current) {
    for (int unit = 0; unit < unhealthyLooks.length; unit++) {
      StripedDataStreamer streamer = current.streamers[unit];
      boolean isOpen = !streamer.isHealthy() && !streamer.streamerClosed();
      unhealthyLooks[unit] = isOpen ? unhealthyLooks[unit] + 1 : 0;
      long nanos = unhealthyLooks[unit] * periodNanos;
      if (nanos > openNanosMax) {
        String what = "is restarting or has failed, and has not received data of";
        giveUp(current, unit, what, seconds(nanos));
      }
    }
  }

  private void giveUp(Group current, int unit, String what, String time) {
    StripedDataStreamer streamer = current.streamers[unit];
    DatanodeInfo node = current.nodes[unit];
    IOException cause =
        new IOException(
            String.format(
                "DataNode %s %s internal block %d of %s in %s for %s",
                node == null ? "without address" : node.getXferAddr(),
                what,
                unit,
                current.block,
                stream.getSrc(),
                time));
    LOG.warn("Continuing to write without a late DataNode: {}", cause.getMessage());
    current.causes.set(unit, cause);
    WriteStatistics.shared().lateDataNode();
    if (node != null) {
      // Exclude the node in all streamers: the streamer of the late node is replaced after the next
      // group, and its excluded nodes with it.
      for (StripedDataStreamer any : current.streamers) {
        any.excludedNodes.put(node, node);
      }
    }
    streamer.getLastException().set(cause);
    streamer.getErrorState().setInternalError();
    WriteCompat.close(streamer);
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }

  /** The block, streamers and DataNodes that a block group was opened with. */
  private static final class Group {
    final Object block;
    final StripedDataStreamer[] streamers;
    final DatanodeInfo[] nodes;
    final AtomicReferenceArray<IOException> causes;

    Group(StripelineOutputStream stream, int units) {
      block = stream.currentGroup();
      streamers = new StripedDataStreamer[units];
      nodes = new DatanodeInfo[units];
      causes = new AtomicReferenceArray<>(units);
      for (int unit = 0; unit < units; unit++) {
        streamers[unit] = stream.getStripedDataStreamer(unit);
        // The streamer takes this block with its first packet; it is null if the NameNode found no
        // DataNode.
        LocatedBlock located = streamers[unit].peekFollowingBlock();
        nodes[unit] = located == null ? null : located.getLocations()[0];
      }
    }
  }
}
