// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Kills the server of a service that is written to, and counts what it acknowledged. */
final class ServerKill {
  private static final int OURS_SECONDS = 240;
  private static final int STOCK_SECONDS = 120;

  private final Trial trial;
  private final Service service;
  private final int batch;
  private final AtomicLong acknowledged = new AtomicLong();
  private volatile boolean stopped;

  private ServerKill(Trial trial, Service service, int batch) {
    this.trial = trial;
    this.service = service;
    this.batch = batch;
  }

  /** A service that stores numbered records. */
  interface Service {
    /** Starts its server. */
    Jvm startServer() throws IOException;

    /** Stores the records of a range; they are acknowledged when the call returns. */
    void write(long from, long to) throws Exception;

    /** Counts the records below a number that are there and right. */
    long count(long end) throws Exception;
  }

  /** The run of an application with one size of its records, on a ZooKeeper. */
  interface SizedRun<S> {
    void run(Trial trial, S sizes, int zooKeeperPort) throws Exception;
  }

  /** Runs an application with a client and all sizes; ends the JVM. */
  static <S> void runAll(String client, List<S> all, SizedRun<S> one) {
    Trial.run(
        client,
        trial -> {
          int port = Trial.freePort();
          try (Jvm zooKeeper = trial.startZooKeeper(port)) {
            for (S sizes : all) {
              one.run(trial, sizes, port);
            }
          }
        });
  }

  /** Returns the contents of a record. */
  static String value(long number, int bytes) {
    return Long.toString(number).repeat(bytes).substring(0, bytes);
  }

  /**
   * Writes batches, kills the server while it writes, waits until another server goes on with the
   * batch that was cut off, and counts.
   *
   * @param kill after how many acknowledged records the server is killed
   */
  static void run(Trial trial, String what, Service service, int batch, long kill)
      throws Exception {
    new ServerKill(trial, service, batch).run(what, kill);
  }

  private void run(String what, long kill) throws Exception {
    Thread writer = new Thread(this::write);
    writer.setDaemon(true);
    long found = 0;
    String remark = "";
    try (Jvm first = service.startServer()) {
      writer.start();
      Trial.await("records", OURS_SECONDS, () -> acknowledged.get() >= kill || !writer.isAlive());
      first.kill();
    }
    long before = acknowledged.get();
    try (Jvm second = service.startServer()) {
      int limit = trial.isOurs() ? OURS_SECONDS : STOCK_SECONDS;
      Trial.await("recovery of " + what, limit, () -> acknowledged.get() > before);
      stopped = true;
      writer.join();
      found = service.count(acknowledged.get());
    } catch (IOException e) {
      if (trial.isOurs()) {
        throw e;
      }
      remark = "not served within " + STOCK_SECONDS + " s after the kill";
    }
    trial.report(what, acknowledged.get(), found, remark);
  }

  private void write() {
    try {
      for (long next = 0; !stopped; next += batch) {
        service.write(next, next + batch);
        acknowledged.set(next + batch);
      }
    } catch (Exception e) {
      e.printStackTrace();
    }
  }
}
