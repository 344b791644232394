// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.Job;
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
  /** Maximum number of maps per job, so that no file waits for too many others. */
  static final int ORDERS_MAX = 1000;

  private static final long GATHER_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long GATHER_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  private static final Logger LOG = LoggerFactory.getLogger(MapWaves.class);

  private final Job job;
  private final MapJob maps;
  private final BlockingQueue<Pending> pending = new ArrayBlockingQueue<>(4 * ORDERS_MAX);
  private final Thread dispatcher = new Thread(this::dispatch, "stripeline-convert-maps");
  private volatile boolean isClosed;

  /** An order that is not assigned to a map yet, and the future for its answer. */
  private static final class Pending {
    final String place;
    final BooleanSupplier isGivenUp;
    final LongFunction<GroupOrder> order;
    final CompletableFuture<GroupAnswer> answer = new CompletableFuture<>();

    Pending(String place, BooleanSupplier isGivenUp, LongFunction<GroupOrder> order) {
      this.place = place;
      this.isGivenUp = isGivenUp;
      this.order = order;
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
   * @param place maps with the same place share the job's rate: the DataNode of an agent, or one
   *     place for all copies
   * @param isGivenUp returns whether the answer is not needed any more
   * @param order creates the order for its share of the bytes per second
   */
  Future<GroupAnswer> add(String place, BooleanSupplier isGivenUp, LongFunction<GroupOrder> order)
      throws InterruptedIOException {
    Pending one = new Pending(place, isGivenUp, order);
    try {
      while (!pending.offer(one, 1, TimeUnit.SECONDS)) {
        if (isClosed) {
          throw new InterruptedException();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot wait for maps: interrupted");
    }
    if (isClosed) {
      one.answer.completeExceptionally(ended());
    }
    return one.answer;
  }

  private static IOException ended() {
    return new IOException("Cannot run maps: the job is ending");
  }

  private void dispatch() {
    List<Pending> wave = new ArrayList<>();
    try {
      while (!isClosed) {
        gather(wave);
        job.waitWhilePaused();
        run(wave);
        wave.clear();
      }
    } catch (InterruptedException | IOException | RuntimeException | Error e) {
      if (!isClosed) {
        LOG.warn("Cannot continue to run maps", e);
      }
      isClosed = true;
      fail(wave, e);
    }
    wave.clear();
    pending.drainTo(wave);
    fail(wave, ended());
  }

  private static void fail(List<Pending> wave, Throwable cause) {
    for (Pending one : wave) {
      one.answer.completeExceptionally(cause instanceof InterruptedException ? ended() : cause);
    }
  }

  /** Waits for the first order, then until none arrives for a second. */
  private void gather(List<Pending> wave) throws InterruptedException {
    wave.add(pending.take());
    long first = System.nanoTime();
    while (wave.size() < ORDERS_MAX && System.nanoTime() - first < GATHER_NANOS_MAX) {
      Pending next = pending.poll(GATHER_NANOS, TimeUnit.NANOSECONDS);
      if (next == null) {
        return;
      }
      wave.add(next);
    }
  }

  private void run(List<Pending> wave) throws JournalLostException, InterruptedException {
    List<Pending> wanted = new ArrayList<>();
    Map<String, Integer> places = new HashMap<>();
    for (Pending one : wave) {
      if (one.isGivenUp.getAsBoolean()) {
        one.answer.completeExceptionally(
            new IOException("the conversion of its file was cancelled"));
      } else {
        wanted.add(one);
        places.merge(one.place, 1, Integer::sum);
      }
    }
    if (wanted.isEmpty()) {
      return;
    }
    List<GroupOrder> orders = new ArrayList<>();
    for (Pending one : wanted) {
      int sharers = Math.min(places.get(one.place), maps.atOnce());
      long bytesPerSecond = job.settings().bytesPerSecond;
      GroupOrder order =
          one.order.apply(bytesPerSecond == 0 ? 0 : Math.max(1, bytesPerSecond / sharers));
      order.number = orders.size();
      order.pause = job.directory().pauseFile().toUri().getPath();
      orders.add(order);
    }
    try {
      answer(wanted, maps.run(orders));
    } catch (JournalLostException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      fail(wanted, e);
    }
  }

  private static void answer(List<Pending> wave, MapJob.End end) {
    Map<Integer, GroupAnswer> answers = new HashMap<>();
    end.answers().forEach(answer -> answers.put(answer.number, answer));
    for (int i = 0; i < wave.size(); i++) {
      GroupAnswer answer = answers.get(i);
      if (answer != null && answer.error == null) {
        wave.get(i).answer.complete(answer);
      } else {
        wave.get(i)
            .answer
            .completeExceptionally(
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
