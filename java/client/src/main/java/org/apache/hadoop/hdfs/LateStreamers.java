// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
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

/**
 * Gives up the streamers of a stream whose DataNodes are late, as far as the block group may lose
 * them. Hadoop then treats them as those that have failed.
 *
 * <p>It runs on a thread that all streams share, so it takes no lock of a streamer: Hadoop sends
 * heartbeats with that of the packets held, and a DataNode that hangs can hold them up.
 */
final class LateStreamers implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(StripelineOutputStream.class);

  /** A key of Hadoop 3.5; other releases tolerate the loss of all parity. */
  private static final String TOLERATED = "dfs.client.ec.write.failed.blocks.tolerated";

  private static final long PERIOD_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

  /** A DataNode that restarts is waited for that much longer than Hadoop waits for it. */
  private static final long RESTART_SPARE_MILLIS = 5_000;

  private final StripelineOutputStream stream;
  private final long periodNanos;
  private final long openNanosMax;

  /** Guarded by the monitor of this object. */
  private final LateUnits late;

  /** The streamers and DataNodes of the open group; null before the first. */
  private volatile Group group;

  // Guarded by the monitor of this object.
  private final int[] unhealthyLooks;
  private ScheduledFuture<?> task;
  private Group seen;

  LateStreamers(StripelineOutputStream stream, StripeLayout layout, long timeoutNanos) {
    this.stream = stream;
    periodNanos = Math.max(1, Math.min(PERIOD_NANOS_MAX, timeoutNanos / 10));
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
            timeoutNanos,
            periodNanos);
  }

  /** Begins to look at the streamers, until {@link #stop}. */
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

  /** Takes the streamers of a new group; before any of them is given a packet. */
  void groupOpened(int units) {
    group = new Group(stream, units);
  }

  /** Returns why a unit of the open group was given up, or null if it was not. */
  IOException cause(int unit) {
    Group current = group;
    return current == null ? null : current.causes.get(unit);
  }

  /** Returns for how long the oldest packet of a unit had waited when it was seen last. */
  synchronized long waitNanos(int unit) {
    return late.waitNanos(unit);
  }

  @Override
  public void run() {
    try {
      look();
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot look after late DataNodes of {}; it is written without", stream.getSrc(), e);
      stop();
    }
  }

  private synchronized void look() throws IOException {
    Group current = group;
    if (current == null) {
      return;
    }
    late.look(System.nanoTime());
    giveUpUnhealthy(current);
    for (int unit = 0; unit < current.streamers.length; unit++) {
      StripedDataStreamer streamer = current.streamers[unit];
      if (seen != null && seen.streamers[unit] != streamer) {
        late.restart(unit);
      }
      if (streamer.getErrorState().hasExternalError()) {
        // Gets a new generation stamp, for which Hadoop has a limit of its own.
        return;
      }
      late.failed(unit, !streamer.isHealthy());
      late.progress(unit, streamer.getLastQueuedSeqno(), WriteCompat.lastAcknowledged(streamer));
    }
    seen = current;
    for (int unit : late.late()) {
      giveUp(current, unit);
    }
  }

  /**
   * Gives up streamers that are unhealthy and open for long. Hadoop's wait for a restart without a
   * limit until the next stripe is sent, which it may not be before they acknowledge theirs.
   */
  private void giveUpUnhealthy(Group current) {
    for (int unit = 0; unit < unhealthyLooks.length; unit++) {
      StripedDataStreamer streamer = current.streamers[unit];
      boolean isOpen = !streamer.isHealthy() && !streamer.streamerClosed();
      unhealthyLooks[unit] = isOpen ? unhealthyLooks[unit] + 1 : 0;
      if (unhealthyLooks[unit] * periodNanos > openNanosMax) {
        giveUp(current, unit);
      }
    }
  }

  private void giveUp(Group current, int unit) {
    StripedDataStreamer streamer = current.streamers[unit];
    DatanodeInfo node = current.nodes[unit];
    IOException cause =
        new IOException(
            String.format(
                "DataNode %s has not acknowledged data of internal block %d of %s in %s for %.1f s;"
                    + " others need %.1f s",
                node == null ? "without address" : node.getXferAddr(),
                unit,
                current.block,
                stream.getSrc(),
                seconds(late.waitNanos(unit)),
                seconds(late.othersNeedNanos(unit))));
    LOG.warn("Writing goes on without a late DataNode: {}", cause.getMessage());
    current.causes.set(unit, cause);
    WriteStatistics.shared().lateDataNode();
    if (node != null) {
      // Of all: that of the late one goes with it, after the next group.
      for (StripedDataStreamer any : current.streamers) {
        any.excludedNodes.put(node, node);
      }
    }
    streamer.getLastException().set(cause);
    streamer.getErrorState().setInternalError();
    // As close(true), but without the lock; the streamer's thread notifies those who wait.
    streamer.setStreamerAsClosed();
    streamer.interrupt();
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }

  /** What a block group was opened with. */
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
        // Taken by the streamer with its first packet; none where the NameNode found no DataNode.
        LocatedBlock located = streamers[unit].peekFollowingBlock();
        nodes[unit] = located == null ? null : located.getLocations()[0];
      }
    }
  }
}
