// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.stripeline.natives.Ticker;

/**
 * Writes of one block each, which arrive as a Poisson process with the same times in each run while
 * files are converted: experiment A.2 of the paper on encoding-aware replication.
 */
final class ArrivingWrites implements AutoCloseable {
  static final String DIRECTORY = "/writes";

  private static final long SEED = 1;

  /** More at a time would take all threads of DataNodes; later ones wait, which counts as time. */
  private static final int CLIENTS = 16;

  static final int WAITING_MAX = 200;

  private final BlockWriter writer;
  private final double perSecond;
  private final ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
  private final List<Future<Double>> before = new ArrayList<>();
  private final List<Future<Double>> during = new ArrayList<>();

  /** When each write was issued, in nanoseconds of the clock. */
  private final List<Long> issued = new ArrayList<>();

  private final Thread arrivals = new Thread(this::arrive, "arriving-writes");
  private final AtomicInteger ended = new AtomicInteger();
  private int written;
  private long beginOfConversion;
  private boolean isDuring;
  private boolean isOver;

  /** Writes a file of one block. */
  interface BlockWriter {
    void write(String directory, int number) throws IOException;
  }

  /** Creates writes; none begins yet. */
  ArrivingWrites(BlockWriter writer, double perSecond) {
    this.writer = writer;
    this.perSecond = perSecond;
  }

  /** Begins, and returns after some seconds in which nothing else happens. */
  void begin(double seconds) throws IOException {
    arrivals.setDaemon(true);
    arrivals.start();
    try {
      Ticker.SYSTEM.sleep((long) (seconds * 1e9));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Cannot wait for writes: interrupted", e);
    }
    synchronized (this) {
      isDuring = true;
      beginOfConversion = Ticker.SYSTEM.nanos();
    }
  }

  private void arrive() {
    Random random = new Random(SEED);
    long next = Ticker.SYSTEM.nanos();
    try {
      while (!Thread.currentThread().isInterrupted()) {
        next += (long) (-Math.log(1 - random.nextDouble()) / perSecond * 1e9);
        Ticker.SYSTEM.sleep(Math.max(0, next - Ticker.SYSTEM.nanos()));
        issue();
      }
    } catch (InterruptedException e) {
      // The end of all arrivals.
    }
  }

  private synchronized void issue() {
    if (!isOver) {
      int number = written++;
      long start = Ticker.SYSTEM.nanos();
      issued.add(start);
      (isDuring ? during : before).add(pool.submit(() -> write(number, start)));
      isOver = written - ended.get() > WAITING_MAX;
    }
  }

  private double write(int number, long start) throws IOException {
    try {
      writer.write(DIRECTORY, number);
    } finally {
      ended.incrementAndGet();
    }
    return (Ticker.SYSTEM.nanos() - start) / 1e9;
  }

  /**
   * Ends the arrivals, waits for the writes, and stores their times in the sample.
   *
   * @return the number of files in the directory
   * @throws IOException if a write failed, or if too many had to wait
   */
  int end(ConvertSample sample) throws IOException {
    boolean wasOver = stop();
    sample.writeSecondsBefore = seconds(before);
    sample.writeSecondsDuring = seconds(during);
    sample.writeBegins =
        issued.stream()
            .map(nanos -> (nanos - beginOfConversion) / 1e9)
            .collect(Collectors.toList());
    if (wasOver) {
      throw new IOException(
          "Cannot write at this rate: "
              + WAITING_MAX
              + " writes had to wait; name a lower --writes");
    }
    return before.size() + during.size();
  }

  private static List<Double> seconds(List<Future<Double>> writes) throws IOException {
    List<Double> seconds = new ArrayList<>();
    for (Future<Double> write : writes) {
      try {
        seconds.add(write.get());
      } catch (ExecutionException e) {
        throw new IOException("Cannot write while files are converted: " + e.getCause(), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("Cannot wait for writes: interrupted", e);
      }
    }
    return seconds;
  }

  /** Ends the arrivals; returns whether they had ended. */
  private synchronized boolean stop() {
    boolean wasOver = isOver;
    isOver = true;
    arrivals.interrupt();
    return wasOver;
  }

  @Override
  public void close() {
    stop();
    pool.shutdownNow();
  }
}
