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

/**
 * What a stream knows of the internal blocks of one group. What failed here says nothing of the
 * same DataNode's blocks in other groups, but for the preference that {@link NodeHealth} keeps for
 * DataNodes that did not answer at all.
 */
public final class GroupKnowledge {
  private static final Logger LOG = LoggerFactory.getLogger(GroupKnowledge.class);

  /** However short the period is. */
  private static final long LOOK_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);

  /** So that periods become a quarter of an hour by default. */
  private static final int VAIN_LOOKS_MAX = 5;

  private final BlockGroup group;
  private final GroupGeometry geometry;

  /** How an internal block last failed; null if it has not. */
  private final AtomicReferenceArray<UnitFault> faults;

  /** Where internal blocks were when they were last asked for. */
  private final AtomicReferenceArray<Replica> replicas;

  /** How often nothing had changed when the NameNode was asked, up to a bound. */
  private volatile int vainLooks;

  /** When the NameNode was last asked because an internal block could not be asked readily. */
  private final AtomicLong lookedNanos = new AtomicLong(System.nanoTime());

  /**
   * Creates it with nothing known to be wrong.
   *
   * @param groupBytes bytes of the file in this group
   */
  public GroupKnowledge(
      BlockGroup group, int dataUnits, int parityUnits, int cellBytes, long groupBytes) {
    this.group = group;
    this.geometry = new GroupGeometry(dataUnits, parityUnits, cellBytes, groupBytes);
    this.faults = new AtomicReferenceArray<>(geometry.units());
    this.replicas = new AtomicReferenceArray<>(geometry.units());
  }

  /** How readily an internal block is asked. */
  enum Standing {
    GOOD,
    /** It, or its DataNode or disk, was late or did not answer a while ago. */
    SUSPECT,
    /** It has failed in this group, if perhaps elsewhere in it. */
    FAULTY,
    /** No DataNode is known to have it. */
    ABSENT
  }

  /** Returns the group. */
  public BlockGroup group() {
    return group;
  }

  /** Returns bytes of the file in this group. */
  public long groupBytes() {
    return geometry.groupBytes();
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
    if (fault != null && fault.holds(replica.node())) {
      return Standing.FAULTY;
    }
    return replica.isSuspect(health) ? Standing.SUSPECT : Standing.GOOD;
  }

  /** Returns whether a unit may be asked as readily as any; see {@link NodeHealth#admits}. */
  boolean admits(int unit, NodeHealth health) {
    Replica replica = replica(unit);
    return standing(unit, replica, health) == Standing.GOOD && replica.admits(health);
  }

  /** Returns where an internal block is as far as is known, null if no DataNode has it. */
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
    faults.set(unit, new UnitFault(cause, node, health.periodNanos()));
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
          "Cannot read internal block {} of {}, others are read in its stead: {}",
          unit,
          group.name(),
          cause.getMessage());
    }
  }

  /**
   * A failure, which says nothing any more when its time is over or the block is on another
   * DataNode; what is corrupt stays so.
   */
  private static final class UnitFault {
    final IOException cause;
    private final String node;
    private final long untilNanos;

    UnitFault(IOException cause, String node, long periodNanos) {
      this.cause = cause;
      this.node = node;
      this.untilNanos = System.nanoTime() + periodNanos;
    }

    boolean holds(String now) {
      return now.equals(node)
          && (cause instanceof CorruptUnitException || untilNanos - System.nanoTime() > 0);
    }
  }

  /** A connection that fails or falls silent is the DataNode's; all else is the block's. */
  private static boolean isOfTheNode(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketException || cause instanceof SocketTimeoutException) {
        return true;
      }
    }
    return false;
  }

  /** A DataNode that accepts connections and does not answer may have a disk that hangs. */
  private static boolean isSilence(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketTimeoutException) {
        return !(cause instanceof ConnectTimeoutException);
      }
    }
    return false;
  }

  /**
   * Has the NameNode asked where the internal blocks are, since one of them cannot be asked
   * readily: a DataNode that was down may be back, or the block has been reconstructed elsewhere.
   * Reads do not wait for the answer. The first time is after a period, and periods double while
   * nothing changes.
   */
  void look(ReadContext context) {
    long now = System.nanoTime();
    long before = lookedNanos.get();
    long period = Math.max(context.health().periodNanos(), LOOK_NANOS_MIN) << vainLooks;
    if (now - before >= period && lookedNanos.compareAndSet(before, now)) {
      context.threads().execute("NameNode", this::look);
    }
  }

  private void look() {
    List<String> before = nodes();
    try {
      group.refresh();
    } catch (IOException e) {
      LOG.debug("Cannot ask where internal blocks of {} are", group.name(), e);
    }
    vainLooks = nodes().equals(before) ? Math.min(vainLooks + 1, VAIN_LOOKS_MAX) : 0;
  }

  private List<String> nodes() {
    List<String> nodes = new ArrayList<>();
    for (int unit = 0; unit < geometry.units(); unit++) {
      nodes.add(group.node(unit));
    }
    return nodes;
  }

  /** Asks where the internal blocks are, and gives all but the corrupt ones another chance. */
  void refresh() throws IOException {
    group.refresh();
    forgive();
  }

  /** Gives all internal blocks but the corrupt ones another chance. */
  public void forgive() {
    for (int unit = 0; unit < geometry.units(); unit++) {
      if (!(fault(unit) instanceof CorruptUnitException)) {
        faults.set(unit, null);
      }
    }
  }
}
