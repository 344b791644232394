// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** Kills the servers of a service that is written to, and counts what it acknowledged. */
final class ServerKill {
  /** The same for both clients, so that only a difference of the clients is seen. */
  private static final int LIMIT_SECONDS = 240;

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
    /** Starts one of its servers. */
    Jvm startServer() throws IOException;

    /** Stores the records of a range; they are acknowledged when the call returns. */
    void write(long from, long to) throws Exception;

    /** Counts the records below a number that are there and right. */
    long count(long end) throws Exception;
  }

  /** What is written, and when servers are killed. */
  interface Case {
    String name();
  }

  /** The run of an application with one case, on a ZooKeeper. */
  interface CaseRun<C> {
    void run(Trial trial, C one, int zooKeeperPort) throws Exception;
  }

  /**
   * Runs an application with a client and all cases, or those that the property {@code
   * applications.cases} names; ends the JVM.
   */
  static <C extends Case> void runAll(String client, List<C> all, CaseRun<C> run) {
    Trial.run(
        client,
        trial -> {
          String names = System.getProperty("applications.cases", "");
          Set<String> known = all.stream().map(Case::name).collect(Collectors.toSet());
          Set<String> wanted = names.isEmpty() ? known : new HashSet<>(List.of(names.split(",")));
          if (!known.containsAll(wanted)) {
            throw new IllegalArgumentException(
                "Cannot run cases '" + names + "': known are " + known);
          }
          int port = Trial.freePort();
          try (Jvm zooKeeper = Jvm.startZooKeeper(trial.setting(), port)) {
            for (C one : all) {
              if (wanted.contains(one.name())) {
                run.run(trial, one, port);
              }
            }
          }
        });
  }

  /** Returns the contents of a record. */
  static String value(long number, int bytes) {
    return Long.toString(number).repeat(bytes).substring(0, bytes);
  }

  /** How many servers run, how often all of them are killed, and after how many records. */
  record Kills(int servers, int times, long records) {}

  /**
   * Writes batches, kills the servers while they write, waits until others go on with the batch
   * that was cut off, does so again, and counts.
   */
  static void run(Trial trial, String what, Service service, int batch, Kills kills)
      throws Exception {
    new ServerKill(trial, service, batch).run(what, kills);
  }

  private void run(String what, Kills kills) throws Exception {
    Thread writer = new Thread(this::write);
    writer.setDaemon(true);
    long found;
    boolean isKilled = false;
    List<Jvm> servers = start(kills.servers);
    try {
      writer.start();
      for (int i = 0; i < kills.times; i++) {
        long enough = acknowledged.get() + kills.records;
        Trial.await(
            "records", LIMIT_SECONDS, () -> acknowledged.get() >= enough || !writer.isAlive());
        if (!isKilled && acknowledged.get() < enough) {
          throw new IOException("The writer of " + what + " ended before the first kill");
        }
        servers.forEach(Jvm::close);
        isKilled = true;
        long before = acknowledged.get();
        servers = start(kills.servers);
        Trial.await("recovery of " + what, LIMIT_SECONDS, () -> acknowledged.get() > before);
      }
      stopped = true;
      writer.join();
      found = service.count(acknowledged.get());
    } catch (IOException e) {
      if (trial.isOurs() || !isKilled) {
        throw e;
      }
      String remark = "not served within " + LIMIT_SECONDS + " s after a kill";
      trial.notServed(what, acknowledged.get(), remark);
      return;
    } finally {
      servers.forEach(Jvm::close);
    }
    trial.report(what, acknowledged.get(), found, "");
  }

  private List<Jvm> start(int count) {
    List<Jvm> servers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      try {
        servers.add(service.startServer());
      } catch (IOException e) {
        // Fails the run, unlike a service that does not come back.
        throw new UncheckedIOException(e);
      }
    }
    return servers;
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
