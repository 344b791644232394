// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.apache.hadoop.net.ConnectTimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.client.read.shared.NodeHealth;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.natives.Ticker;

/**
 * The state of the internal blocks of one group as one stream knows it. A failure in this group
 * does not affect the same DataNode's blocks in other groups, except for the preference that {@link
 * NodeHealth} keeps for DataNodes that did not answer at all.
 */
public final class GroupKnowledge {
  private static final Logger LOG = LoggerFactory.getLogger(GroupKnowledge.class);

  /** The minimum time between two requests, also if the configured period is shorter. */
  private static final long LOOK_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);

  /**
   * Limits the doubling of the period; with the default, the period reaches a quarter of an hour.
   */
  private static final int VAIN_LOOKS_MAX = 5;

  private final BlockGroup group;
  private final GroupGeometry geometry;
  private final Ticker ticker;

  /** The last fault of each internal block; null if it has not failed. */
  private final AtomicReferenceArray<UnitFault> faults;

  /** The location of each internal block when it was last looked up. */
  private final AtomicReferenceArray<Replica> replicas;

  /** The number of consecutive NameNode requests that found no change, up to a bound. */
  private volatile int vainLooks;

  /** When the NameNode was last asked because an internal block was not in good standing. */
  private final AtomicLong lookedNanos;

  /** Whether that request is not answered yet. */
  private volatile boolean isLooking;

  /**
   * Creates an object with no known faults.
   *
   * @param groupBytes bytes of the file in this group
   * @param isOpen whether the group may have more bytes, because the file is being written
   */
  public GroupKnowledge(
      BlockGroup group,
      int dataUnits,
      int parityUnits,
      int cellBytes,
      long groupBytes,
      boolean isOpen,
      Ticker ticker) {
    this.group = group;
    this.geometry = new GroupGeometry(dataUnits, parityUnits, cellBytes, groupBytes, isOpen);
    this.ticker = ticker;
    this.lookedNanos = new AtomicLong(ticker.nanos());
    this.faults = new AtomicReferenceArray<>(geometry.units());
    this.replicas = new AtomicReferenceArray<>(geometry.units());
  }

  /** The preference for reading an internal block; the constants are in order of preference. */
  enum Standing {
    GOOD,
    /** The block, its DataNode or its disk was late or did not answer recently. */
    SUSPECT,
    /** The block has failed in this group, perhaps at another offset. */
    FAULTY,
    /** No DataNode is known to hold the block. */
    ABSENT
  }

  /** Returns the group. */
  public BlockGroup group() {
    return group;
  }

  /** Returns the number of bytes of the file in this group. */
  public long groupBytes() {
    return geometry.groupBytes();
  }

  /** Returns whether the group may have more bytes, because the file was being written. */
  public boolean isOpen() {
    return geometry.isOpen();
  }

  GroupGeometry geometry() {
    return geometry;
  }

  Standing standing(int unit, NodeHealth health) {
    return standing(unit, replica(unit), health);
  }

  private Standing standing(int unit, Replica replica, NodeHealth health) {
    if (replica == null) {
      return Standing.ABSENT;
    }
    UnitFault fault = faults.get(unit);
    if (fault != null && fault.holds(replica.node(), ticker.nanos())) {
      return Standing.FAULTY;
    }
    return replica.isSuspect(health) ? Standing.SUSPECT : Standing.GOOD;
  }

  /**
   * Returns whether a unit may be read without a preference for others; see {@link
   * NodeHealth#admits}.
   */
  boolean admits(int unit, NodeHealth health) {
    Replica replica = replica(unit);
    return standing(unit, replica, health) == Standing.GOOD && replica.admits(health);
  }

  /** Returns the known location of an internal block, null if no DataNode holds it. */
  Replica replica(int unit) {
    String node = group.node(unit);
    if (node == null) {
      return null;
    }
    String storage = group.storage(unit);
    Replica known = replicas.get(unit);
    if (known == null || !known.isAt(node, storage)) {
      known = new Replica(node, storage, unit + " of " + group.name());
      replicas.set(unit, known);
    }
    return known;
  }

  IOException fault(int unit) {
    UnitFault fault = faults.get(unit);
    return fault == null ? null : fault.cause;
  }

  void failed(SpanRead read, IOException cause, NodeHealth health) {
    int unit = read.unit;
    String node = read.node == null ? group.node(unit) : read.node;
    faults.set(unit, new UnitFault(cause, node, ticker.nanos() + health.periodNanos()));
    if (cause instanceof CorruptUnitException) {
      LOG.warn("Internal block {} of {} is corrupt: {}", unit, group.name(), cause.getMessage());
    } else if (node != null && isOfTheNode(cause)) {
      String why = "internal block " + unit + " of " + group.name() + ": " + cause.getMessage();
      if (isSilence(cause) && read.replica != null && read.replica.node().equals(node)) {
        read.replica.markSuspect(health, why);
      } else {
        health.markSuspect(node, why);
      }
    } else if (health.isNews(cause.getClass().getName() + " at " + node)) {
      LOG.warn(
          "Cannot read internal block {} of {}, reading other internal blocks instead: {}",
          unit,
          group.name(),
          cause.getMessage());
    }
  }

  /**
   * A failure of an internal block. It expires after a period, or when the block moves to another
   * DataNode; corruption does not expire by time.
   */
  private static final class UnitFault {
    final IOException cause;
    private final String node;
    private final long untilNanos;

    UnitFault(IOException cause, String node, long untilNanos) {
      this.cause = cause;
      this.node = node;
      this.untilNanos = untilNanos;
    }

    boolean holds(String currentNode, long now) {
      return currentNode.equals(node)
          && (cause instanceof CorruptUnitException || untilNanos - now > 0);
    }
  }

  /**
   * Returns whether the DataNode is at fault: failed or silent connections are attributed to the
   * DataNode, all other failures to the block.
   */
  private static boolean isOfTheNode(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketException || cause instanceof SocketTimeoutException) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether the DataNode accepted the connection but did not answer, which may mean that
   * one of its disks hangs.
   */
  private static boolean isSilence(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketTimeoutException) {
        return !(cause instanceof ConnectTimeoutException);
      }
    }
    return false;
  }

  /**
   * Requests the locations of the internal blocks from the NameNode when one of them is not in good
   * standing: a DataNode may be back after a failure, or the block may have been reconstructed on
   * another. Reads do not wait for the answer. The first request comes after one period, and the
   * period doubles while nothing changes.
   */
  void look(ReadContext context) {
    long now = ticker.nanos();
    long before = lookedNanos.get();
    long period = Math.max(context.health().periodNanos(), LOOK_NANOS_MIN) << vainLooks;
    if (now - before >= period && !isLooking && lookedNanos.compareAndSet(before, now)) {
      isLooking = true;
      if (!context.threads().tryRequest(group.nameNode(), this::look)) {
        isLooking = false;
      }
    }
  }

  private void look() {
    try {
      List<String> before = nodes();
      try {
        group.refresh();
      } catch (IOException e) {
        LOG.debug("Cannot get the locations of internal blocks of {}", group.name(), e);
      }
      vainLooks = nodes().equals(before) ? Math.min(vainLooks + 1, VAIN_LOOKS_MAX) : 0;
    } finally {
      isLooking = false;
    }
  }

  private List<String> nodes() {
    List<String> nodes = new ArrayList<>();
    for (int unit = 0; unit < geometry.units(); unit++) {
      nodes.add(group.node(unit));
    }
    return nodes;
  }

  /** Reloads the locations of the internal blocks and clears all faults except corruption. */
  void refresh() throws IOException {
    group.refresh();
    forgive();
  }

  /** Clears the faults of all internal blocks except corruption. */
  public void forgive() {
    for (int unit = 0; unit < geometry.units(); unit++) {
      if (!(fault(unit) instanceof CorruptUnitException)) {
        faults.set(unit, null);
      }
    }
  }
}
