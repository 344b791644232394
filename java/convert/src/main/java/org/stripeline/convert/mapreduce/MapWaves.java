// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.FileMeter;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.Job.CancelledException;
import org.stripeline.convert.job.Job.PausedException;
import org.stripeline.convert.job.JournalLostException;

/**
 * Collects orders from the conversions of files, and runs them in one MapReduce job after the
 * other.
 *
 * <p>A job takes some ten seconds to start on YARN, so it waits briefly for the groups of other
 * files. It takes all orders that have arrived; those that arrive while it runs are for the next
 * one.
 */
public final class MapWaves implements Closeable {
  /** Maximum number of groups per job, so that no file waits for too many others. */
  static final int ORDERS_MAX = 1000;

  /** Maximum number of groups per map, because a map that is killed begins all of them again. */
  static final int ORDERS_OF_A_MAP_MAX = 8;

  private static final long GATHER_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long GATHER_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  private static final Logger LOG = LoggerFactory.getLogger(MapWaves.class);

  private final Job job;
  private final MapJob maps;
  private final BlockingQueue<Pending> pending = new ArrayBlockingQueue<>(4 * ORDERS_MAX);

  /** Orders that failed in a map with others, for the next wave; used by the dispatcher only. */
  private final List<Pending> again = new ArrayList<>();

  private final Thread dispatcher = new Thread(this::dispatch, "stripeline-convert-maps");
  private volatile boolean isClosed;

  /** An order that is not assigned to a map yet, and the future for its answer. */
  private static final class Pending {
    final GroupOrder order;
    final BooleanSupplier isGivenUp;
    final FileMeter meter;
    final CompletableFuture<GroupAnswer> answer = new CompletableFuture<>();
    private long counted;

    Pending(GroupOrder order, BooleanSupplier isGivenUp, FileMeter meter) {
      this.order = order;
      this.isGivenUp = isGivenUp;
      this.meter = meter;
    }

    /** Counts a share of the bytes of the order, 0 to 1. */
    void advance(float share) {
      long now = Math.max(counted, (long) (order.copy.length * (double) share));
      meter.moved(now - counted);
      counted = now;
    }
  }

  /** Starts the thread that runs the orders. */
  public MapWaves(Job job, MapJob maps) {
    this.job = job;
    this.maps = maps;
    dispatcher.setDaemon(true);
    dispatcher.start();
  }

  /**
   * Adds an order; waits while the queue is full.
   *
   * @param isGivenUp returns whether the answer is not needed any more
   * @param meter counts the bytes of finished maps
   * @throws IOException if no more orders are executed, because the job is ending
   */
  Future<GroupAnswer> add(GroupOrder order, BooleanSupplier isGivenUp, FileMeter meter)
      throws IOException {
    Pending one = new Pending(order, isGivenUp, meter);
    try {
      boolean isAdded = false;
      while (!isAdded && !isClosed) {
        isAdded = pending.offer(one, 1, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot wait for maps: interrupted");
    }
    if (isClosed) {
      throw ended();
    }
    return one.answer;
  }

  /**
   * Kills the maps of a job that could not be killed before. To be called when nothing waits for
   * maps.
   *
   * @throws IOException if they may still run; the message says what to do
   */
  public void requireEnded() throws IOException {
    maps.requireEnded();
  }

  private static IOException ended() {
    return new IOException("Cannot run maps: the job is ending");
  }

  private void dispatch() {
    List<Pending> wave = new ArrayList<>();
    Throwable cause = null;
    try {
      while (!isClosed) {
        gather(wave);
        if (mayRun(wave)) {
          run(wave);
        }
        wave.clear();
      }
    } catch (InterruptedException | IOException | RuntimeException | Error e) {
      cause = e;
    } finally {
      boolean isUnexpected = !isClosed && !isEnding(cause);
      // First, so that no order is added after those that are failed here.
      isClosed = true;
      fail(wave, cause);
      wave.clear();
      wave.addAll(again);
      pending.drainTo(wave);
      fail(wave, ended());
      if (isUnexpected) {
        LOG.warn("Cannot continue to run maps", cause);
      }
    }
  }

  private static boolean isEnding(Throwable cause) {
    return cause instanceof CancelledException || cause instanceof PausedException;
  }

  /**
   * Waits while the job is paused. If the NameNode does not say whether it is, only this wave
   * fails.
   */
  private boolean mayRun(List<Pending> wave) throws IOException {
    try {
      job.waitWhilePaused();
      return true;
    } catch (CancelledException | PausedException e) {
      throw e;
    } catch (IOException e) {
      // Not by its class: the timeout of a call is an InterruptedIOException, too.
      if (Thread.currentThread().isInterrupted()) {
        throw e;
      }
      fail(wave, e);
      LOG.warn("Cannot run {} orders", wave.size(), e);
      return false;
    }
  }

  private static void fail(List<Pending> wave, Throwable cause) {
    for (Pending one : wave) {
      one.answer.completeExceptionally(cause instanceof InterruptedException ? ended() : cause);
    }
  }

  /** Waits for the first order, then until none arrives for a second. */
  private void gather(List<Pending> wave) throws InterruptedException {
    wave.addAll(again);
    again.clear();
    if (wave.isEmpty()) {
      wave.add(pending.take());
    }
    long first = job.ticker().nanos();
    while (wave.size() < ORDERS_MAX && job.ticker().nanos() - first < GATHER_NANOS_MAX) {
      Pending next = pending.poll(GATHER_NANOS, TimeUnit.NANOSECONDS);
      if (next == null) {
        return;
      }
      wave.add(next);
    }
  }

  private void run(List<Pending> wave) throws JournalLostException, InterruptedException {
    List<Pending> wanted = new ArrayList<>();
    for (Pending one : wave) {
      if (one.isGivenUp.getAsBoolean()) {
        one.answer.completeExceptionally(
            new IOException("the conversion of its file was cancelled"));
      } else {
        wanted.add(one);
      }
    }
    if (wanted.isEmpty()) {
      return;
    }
    List<GroupOrder> orders = new ArrayList<>();
    for (Pending one : wanted) {
      one.order.number = orders.size();
      one.order.pause = job.directory().pauseFile().toUri().getPath();
      orders.add(one.order);
    }
    int sharers = Math.min(assign(orders, maps.atOnce()), maps.atOnce());
    long bytesPerSecond = job.settings().bytesPerSecond;
    for (GroupOrder order : orders) {
      order.bytesPerSecond = bytesPerSecond == 0 ? 0 : Math.max(1, bytesPerSecond / sharers);
    }
    try {
      // Which maps have ended is only known at the end, but the orders are about equally long.
      answer(wanted, maps.run(orders, share -> wanted.forEach(one -> one.advance(share))));
    } catch (JournalLostException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      fail(wanted, e);
    }
  }

  /**
   * Assigns orders to maps and sorts them by map. A map executes orders of one core rack, so that
   * it is near all of them; but only one if there are no more orders than maps at a time, or if the
   * order must be alone.
   *
   * @param atOnce how many maps run at a time
   * @return the number of maps
   */
  static int assign(List<GroupOrder> orders, int atOnce) {
    int each = Math.max(1, Math.min(ORDERS_OF_A_MAP_MAX, orders.size() / atOnce));
    Map<String, List<GroupOrder>> byRack = new TreeMap<>();
    int maps = 0;
    for (GroupOrder order : orders) {
      if (order.isAlone) {
        order.map = maps++;
        order.isShared = false;
      } else {
        byRack.computeIfAbsent(order.rack, rack -> new ArrayList<>()).add(order);
      }
    }
    for (List<GroupOrder> ofRack : byRack.values()) {
      for (int from = 0; from < ofRack.size(); from += each) {
        List<GroupOrder> ofMap = ofRack.subList(from, Math.min(from + each, ofRack.size()));
        for (GroupOrder order : ofMap) {
          order.map = maps;
          order.isShared = ofMap.size() > 1;
        }
        maps++;
      }
    }
    orders.sort(Comparator.comparingInt(order -> order.map));
    return maps;
  }

  /**
   * Completes the answers of a wave. An order that failed in a map with others is executed again by
   * a map of its own, so that a group that ends its map does not fail the files of the others.
   */
  private void answer(List<Pending> wave, MapJob.End end) {
    Map<Integer, GroupAnswer> answers = new HashMap<>();
    end.answers().forEach(answer -> answers.put(answer.number, answer));
    for (int i = 0; i < wave.size(); i++) {
      Pending one = wave.get(i);
      GroupAnswer answer = answers.get(i);
      if (answer != null && answer.error == null) {
        one.advance(1);
        one.answer.complete(answer);
      } else if (end.isSuccess() && one.order.isShared) {
        one.order.isAlone = true;
        again.add(one);
      } else {
        one.answer.completeExceptionally(
            answer == null ? new IOException(end.reason()) : answer.failure());
      }
    }
  }

  /** Kills the running job. */
  @Override
  public void close() {
    isClosed = true;
    dispatcher.interrupt();
    try {
      dispatcher.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
