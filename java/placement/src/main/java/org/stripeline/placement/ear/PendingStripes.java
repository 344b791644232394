// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.ear;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntPredicate;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;
import org.stripeline.placement.ear.PendingCounts.Event;

/**
 * The stripes that encoding-aware replication is assembling: one for each owner (for example a file
 * being written, or a directory whose files share stripes) and core rack. They are only hints: the
 * encoder plans with the replicas that exist. Stripes may therefore be discarded at any time, and
 * no advice is given in case of doubt; the caller then uses its default placement.
 *
 * <p>Thread-safe. Owners are distributed over a few locks, each held for microseconds.
 */
public final class PendingStripes {
  /** Maximum number of stripes in a NameNode that is not configured otherwise. */
  public static final int STRIPES_MAX_DEFAULT = 10_000;

  /** Number of candidates for a block in a NameNode that is not configured otherwise. */
  public static final int TRIES_MAX_DEFAULT = 20;

  private static final int SHARDS_MAX = 16;

  /**
   * Minimum number of stripes per lock: with fewer, a shard would evict stripes while other shards
   * have room.
   */
  private static final int SHARD_STRIPES_MIN = 64;

  /** With more replicas, the default placement of HDFS uses more than two racks. */
  private static final int REPLICATION_MAX = 16;

  /** Stands for all racks, for an owner with one stripe for all writers. */
  private static final int ANY_RACK = -2;

  private final CodeShape shape;
  private final RackRule rule;
  private final long ageMax;
  private final int triesMax;
  private final boolean isSparingCore;
  private final Shard[] shards;
  private final AtomicLongArray counts = new AtomicLongArray(Event.values().length);

  /**
   * Creates a store without stripes.
   *
   * @param shape the code that blocks will be encoded with
   * @param rule the racks that a stripe may use
   * @param stripesMax the maximum number of stripes, at least 1; the least recently used one is
   *     evicted first
   * @param ageMax the age, in the caller's unit, after which a stripe without a new block is
   *     discarded
   * @param triesMax how many candidates are drawn for a block before every rack is tried in turn
   */
  public PendingStripes(CodeShape shape, RackRule rule, int stripesMax, long ageMax, int triesMax) {
    this(shape, rule, stripesMax, ageMax, triesMax, false);
  }

  private PendingStripes(
      CodeShape shape,
      RackRule rule,
      int stripesMax,
      long ageMax,
      int triesMax,
      boolean isSparingCore) {
    if (stripesMax < 1 || ageMax < 1 || triesMax < 1) {
      throw new IllegalArgumentException(
          "Cannot keep "
              + stripesMax
              + " stripes for "
              + ageMax
              + " with "
              + triesMax
              + " tries a block: each must be at least 1");
    }
    this.shape = shape;
    this.rule = rule;
    this.ageMax = ageMax;
    this.triesMax = triesMax;
    this.isSparingCore = isSparingCore;
    this.shards = new Shard[Math.max(1, Math.min(SHARDS_MAX, stripesMax / SHARD_STRIPES_MIN))];
    for (int i = 0; i < shards.length; i++) {
      shards[i] = new Shard(stripesMax / shards.length);
    }
  }

  /**
   * Returns a store of stripes that reserve the core rack's share for parity where possible, see
   * {@link EarStripe#beginSparingCore}; the arguments are those of the constructor.
   */
  public static PendingStripes sparingCore(
      CodeShape shape, RackRule rule, int stripesMax, long ageMax, int triesMax) {
    return new PendingStripes(shape, rule, stripesMax, ageMax, triesMax, true);
  }

  /**
   * Selects nodes for the replicas of a new block.
   *
   * <p>If a node of the owner's previous block is excluded now, that block is withdrawn as
   * abandoned: HDFS clients retry in this way after they could not set up a pipeline.
   *
   * @param owner the owner of the stripes
   * @param topology the current nodes
   * @param writer the node that writes, {@link ReplicaDraw#NO_NODE} or any other number that is no
   *     node if the writer is not a DataNode; the core rack of a new stripe is then random
   * @param replication the number of replicas wanted; advice is given for 2 or more
   * @param isExcluded accepts nodes that must not be used, in addition to those that are not open;
   *     called with a lock held, so it must not block
   * @param now the current time, in the unit of the age limit
   * @return the advice; empty if there is none
   */
  public Optional<Advice> place(
      Object owner,
      Topology topology,
      int writer,
      int replication,
      IntPredicate isExcluded,
      long now,
      SplittableRandom random) {
    Wish wish = new Wish(topology, writer, replication, isExcluded, now, random);
    return place(new Key(owner, wish.writersRack()), wish);
  }

  /**
   * Selects nodes as {@link #place} does, for an owner whose blocks form stripes in the order of
   * their arrival regardless of the writer: a file. The core rack of each stripe is that of the
   * writer of the stripe's first block; later writers in other racks get no replica in their own
   * rack until the stripe is full. A block of which no replica can be retained still gets nodes,
   * one of them in the core rack: closing the stripe instead would shift all following blocks to
   * the middle of a group.
   */
  public Optional<Advice> placeInOrder(
      Object owner,
      Topology topology,
      int writer,
      int replication,
      IntPredicate isExcluded,
      long now,
      SplittableRandom random) {
    Wish wish = new Wish(topology, writer, replication, isExcluded, now, random);
    return place(new Key(owner, ANY_RACK), wish);
  }

  private Optional<Advice> place(Key key, Wish wish) {
    boolean isUsual = wish.replication >= 2 && wish.replication <= REPLICATION_MAX;
    Advice advice = null;
    if (isUsual && wish.topology.openNodes() > 0) {
      advice = shards[Math.floorMod(key.hashCode(), shards.length)].place(key, wish);
    }
    count(advice == null ? Event.NOT_ADVISED : Event.ADVISED);
    return Optional.ofNullable(advice);
  }

  /** Discards the stripes that have been unused for longer than the age limit. */
  public void expire(long now) {
    for (Shard shard : shards) {
      shard.expire(now);
    }
  }

  /**
   * Releases the topologies that stripes refer to, for callers whose topology has changed: each
   * stripe would keep the topology of its last block.
   */
  public void forgetTopologies() {
    for (Shard shard : shards) {
      shard.forgetTopologies();
    }
  }

  /** Closes all stripes. */
  public void closeAll() {
    for (Shard shard : shards) {
      shard.closeAll();
    }
  }

  /** Returns the number of stripes in the store. */
  public int size() {
    int size = 0;
    for (Shard shard : shards) {
      size += shard.size();
    }
    return size;
  }

  /** Returns the event counts so far. */
  public PendingCounts counts() {
    long[] values = new long[counts.length()];
    for (int i = 0; i < values.length; i++) {
      values[i] = counts.get(i);
    }
    return new PendingCounts(values);
  }

  private void count(Event event) {
    counts.incrementAndGet(event.ordinal());
  }

  /** The arguments of a call of {@link #place}. */
  private static final class Wish {
    final Topology topology;
    final int writer;
    final int replication;
    final IntPredicate isExcluded;
    final long now;
    final SplittableRandom random;

    Wish(
        Topology topology,
        int writer,
        int replication,
        IntPredicate isExcluded,
        long now,
        SplittableRandom random) {
      this.topology = topology;
      this.writer = writer;
      this.replication = replication;
      this.isExcluded = isExcluded;
      this.now = now;
      this.random = random;
    }

    int writersRack() {
      return topology.hasNode(writer) ? topology.rackOf(writer) : ReplicaDraw.NO_NODE;
    }
  }

  private static final class Key {
    final Object owner;

    /**
     * The writer's rack, {@link ReplicaDraw#NO_NODE} if the writer is no DataNode, or {@link
     * #ANY_RACK}.
     */
    final int rack;

    Key(Object owner, int rack) {
      this.owner = owner;
      this.rack = rack;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key
          && ((Key) other).rack == rack
          && ((Key) other).owner.equals(owner);
    }

    @Override
    public int hashCode() {
      int hash = 31 * owner.hashCode() + rack;
      return hash ^ hash >>> 16;
    }
  }

  private static final class Pending {
    final EarStripe stripe;
    long usedAt;

    Pending(EarStripe stripe) {
      this.stripe = stripe;
    }
  }

  /** The stripes of some of the owners, with their lock. */
  private final class Shard {
    private final int stripesMax;

    /** In order of access, the least recently used first. */
    private final Map<Key, Pending> stripes = new LinkedHashMap<>(16, 0.75f, true);

    Shard(int stripesMax) {
      this.stripesMax = stripesMax;
    }

    synchronized int size() {
      return stripes.size();
    }

    synchronized void expire(long now) {
      Iterator<Pending> oldest = stripes.values().iterator();
      while (oldest.hasNext()) {
        Pending pending = oldest.next();
        if (now - pending.usedAt <= ageMax) {
          return;
        }
        oldest.remove();
        countGone(pending, Event.AGED_OUT);
      }
    }

    synchronized void forgetTopologies() {
      stripes.values().forEach(pending -> pending.stripe.forgetTopology());
    }

    synchronized void closeAll() {
      stripes.values().forEach(pending -> countGone(pending, Event.CLOSED_SHORT));
      stripes.clear();
    }

    private void countGone(Pending pending, Event whyIfShort) {
      count(pending.stripe.isFull() ? Event.SEALED : whyIfShort);
    }

    synchronized Advice place(Key key, Wish wish) {
      expire(wish.now);
      Pending pending = stripes.get(key);
      if (pending != null && pending.stripe.isLastOn(wish.isExcluded)) {
        pending.stripe.withdrawLast();
        count(Event.WITHDRAWN);
      }
      // A full stripe is kept only so that its last block can be withdrawn, as checked above.
      if (pending != null && pending.stripe.isFull()) {
        stripes.remove(key);
        count(Event.SEALED);
        pending = null;
      }
      if (pending != null && key.rack == ANY_RACK) {
        return goOnInOrder(pending, wish);
      }
      Advice advice = pending == null ? null : goOn(key, pending, wish);
      return advice == null ? begin(key, wish) : advice;
    }

    private Advice goOnInOrder(Pending pending, Wish wish) {
      EarStripe stripe = pending.stripe;
      stripe.moveTo(wish.topology);
      pending.usedAt = wish.now;
      Advice advice =
          stripe.placeAnyhow(wish.writer, wish.replication, wish.isExcluded, wish.random);
      if (advice != null) {
        counts.addAndGet(Event.TRIED.ordinal(), advice.tries());
        if (!advice.canStay()) {
          count(Event.WITHOUT_PLACE);
        }
      }
      return advice;
    }

    /** Adds a block to an existing stripe, or closes the stripe and returns null. */
    private Advice goOn(Key key, Pending pending, Wish wish) {
      EarStripe stripe = pending.stripe;
      Advice advice =
          stripe.moveTo(wish.topology)
              ? stripe.place(wish.writer, wish.replication, wish.isExcluded, wish.random)
              : null;
      if (advice == null) {
        stripes.remove(key);
        count(Event.CLOSED_SHORT);
        return null;
      }
      pending.usedAt = wish.now;
      counts.addAndGet(Event.TRIED.ordinal(), advice.tries());
      return advice;
    }

    private EarStripe stripe(Wish wish, int rack) {
      return isSparingCore
          ? EarStripe.beginSparingCore(shape, rule, wish.topology, rack, triesMax, wish.random)
          : EarStripe.begin(shape, rule, wish.topology, rack, triesMax, wish.random);
    }

    private Advice begin(Key key, Wish wish) {
      ReplicaDraw draw = new ReplicaDraw(wish.topology, wish.isExcluded, wish.random);
      int writers = wish.writersRack();
      boolean isNear = writers >= 0 && draw.hasUsable(writers, 1);
      int rack = isNear ? writers : draw.rackWith(1, -1);
      if (rack < 0) {
        return null;
      }
      Pending pending = new Pending(stripe(wish, rack));
      Advice advice =
          pending.stripe.place(wish.writer, wish.replication, wish.isExcluded, wish.random);
      if (advice == null) {
        return null;
      }
      pending.usedAt = wish.now;
      stripes.put(key, pending);
      count(Event.OPENED);
      counts.addAndGet(Event.TRIED.ordinal(), advice.tries());
      if (stripes.size() > stripesMax) {
        Iterator<Pending> oldest = stripes.values().iterator();
        countGone(oldest.next(), Event.EVICTED);
        oldest.remove();
      }
      return advice;
    }
  }
}
