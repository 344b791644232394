// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.ipc.CallerContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks that every accepted task runs, also if threads are few or cannot be started. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class FetchThreadsTest {
  private final AtomicInteger done = new AtomicInteger();

  /** Whether the simulated operating system permits new threads. */
  private volatile boolean mayStart = true;

  private Thread newThread(Runnable task) {
    return new Thread(task) {
      @Override
      public synchronized void start() {
        if (!mayStart) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        super.start();
      }
    };
  }

  private void awaitDone(int wanted) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(9);
    while (done.get() < wanted) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(done.get() + " of " + wanted + " tasks were run");
      }
      Thread.onSpinWait();
    }
  }

  static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Each task is submitted when the only thread is looking for its next task, and no other task
   * follows.
   */
  @Test
  void theLastTaskIsRun() {
    FetchThreads threads = new FetchThreads(1);
    for (int i = 0; i < 100_000; i++) {
      threads.execute("node" + i % 3, done::incrementAndGet);
      awaitDone(i + 1);
    }
  }

  @Test
  void tasksOfManyDataNodesAreRun() throws Exception {
    FetchThreads threads = new FetchThreads(5);
    Thread[] submitting = new Thread[4];
    for (int i = 0; i < submitting.length; i++) {
      submitting[i] =
          new Thread(
              () -> {
                for (int task = 0; task < 20_000; task++) {
                  threads.execute("node" + task % 3, done::incrementAndGet);
                }
              });
      submitting[i].start();
    }
    for (Thread thread : submitting) {
      thread.join();
    }
    awaitDone(80_000);
  }

  /** As many hung DataNodes as RS-6-3 can lose, with the minimum number of threads. */
  @Test
  void hungDataNodesLeaveThreadsForOthers() {
    hangAndAwaitOthers(16, 3, 10);
  }

  /** More DataNodes than files can lose, as in a rack. */
  @Test
  void manyHungDataNodesLeaveThreadsForOthers() {
    hangAndAwaitOthers(64, 8, 64);
  }

  private void hangAndAwaitOthers(int most, int hungNodes, int tasksOfEach) {
    FetchThreads threads = new FetchThreads(most);
    CountDownLatch latch = new CountDownLatch(1);
    for (int node = 0; node < hungNodes; node++) {
      for (int i = 0; i < tasksOfEach; i++) {
        threads.execute(
            "hung" + node,
            () -> {
              awaitQuietly(latch);
              done.incrementAndGet();
            });
      }
    }
    for (int i = 0; i < 30; i++) {
      threads.execute("node" + i % 6, done::incrementAndGet);
    }
    awaitDone(30);
    latch.countDown();
    awaitDone(30 + hungNodes * tasksOfEach);
  }

  /** The tasks of a DataNode are submitted while others leave it one thread. */
  @Test
  void waitingTasksGetThreadsThatBecomeFree() {
    FetchThreads threads = new FetchThreads(16);
    CountDownLatch latch = new CountDownLatch(1);
    for (int task = 0; task < 160; task++) {
      threads.execute("busy" + task % 16, () -> awaitQuietly(latch));
    }
    CountDownLatch both = new CountDownLatch(2);
    threads.execute("node", done::incrementAndGet);
    for (int task = 0; task < 2; task++) {
      threads.execute(
          "node",
          () -> {
            both.countDown();
            awaitQuietly(both);
            done.incrementAndGet();
          });
    }
    latch.countDown();
    awaitDone(3);
  }

  /** All threads wait for requests, which need threads, too. */
  @Test
  void requestsThatTasksWaitForAreCarriedOut() {
    FetchThreads threads = new FetchThreads(1);
    threads.execute(
        "node",
        () -> {
          CountDownLatch answered = new CountDownLatch(1);
          threads.request("a", answered::countDown);
          awaitQuietly(answered);
          done.incrementAndGet();
        });
    awaitDone(1);
  }

  @Test
  void aRequestIsCarriedOutOnTheCallingThreadIfNoneCanBeStarted() {
    FetchThreads threads = new FetchThreads(1, this::newThread, this::newThread);
    mayStart = false;
    threads.request("a", done::incrementAndGet);
    awaitDone(1);
  }

  @Test
  void runningThreadsCompleteAllTasksIfNoneCanBeStarted() {
    FetchThreads threads = new FetchThreads(8, this::newThread, this::newThread);
    CountDownLatch latch = new CountDownLatch(1);
    threads.execute(
        "first",
        () -> {
          awaitQuietly(latch);
          done.incrementAndGet();
        });
    mayStart = false;
    for (int i = 0; i < 20; i++) {
      threads.execute("node" + i % 3, done::incrementAndGet);
      threads.executeAside(done::incrementAndGet);
    }
    latch.countDown();
    awaitDone(41);
  }

  @Test
  void aTaskThatCannotBeRunDoesNotBlockOthers() {
    FetchThreads threads = new FetchThreads(1, this::newThread, this::newThread);
    mayStart = false;
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> threads.execute("node", done::incrementAndGet))
          .isInstanceOf(OutOfMemoryError.class);
    }
    mayStart = true;
    threads.execute("node", done::incrementAndGet);
    awaitDone(1);
  }

  /** The second task arrives while the first is about to fail for lack of a thread. */
  @Test
  void aTaskThatWaitsForOneThatCannotBeRunIsRun() {
    FetchThreads[] threads = new FetchThreads[1];
    ThreadFactory factory =
        task ->
            new Thread(task) {
              @Override
              public synchronized void start() {
                if (mayStart) {
                  super.start();
                  return;
                }
                threads[0].execute("node", done::incrementAndGet);
                throw new OutOfMemoryError("unable to create native thread");
              }
            };
    threads[0] = new FetchThreads(1, factory, factory);
    mayStart = false;
    assertThatThrownBy(() -> threads[0].execute("node", done::incrementAndGet))
        .isInstanceOf(OutOfMemoryError.class);
    mayStart = true;
    threads[0].execute("other", done::incrementAndGet);
    awaitDone(2);
    threads[0].execute("node", done::incrementAndGet);
    awaitDone(3);
  }

  @Test
  void requestsDoNotWaitForANameNodeThatHangs() throws Exception {
    FetchThreads threads = new FetchThreads(4);
    CountDownLatch answer = new CountDownLatch(1);
    for (int request = 0; request < 100; request++) {
      threads.request("hung", () -> awaitQuietly(answer));
    }
    try {
      CompletableFuture<Boolean> answered = new CompletableFuture<>();
      threads.request("other", () -> answered.complete(true));
      assertThat(answered.get(1, TimeUnit.MINUTES)).isTrue();
    } finally {
      answer.countDown();
    }
  }

  @Test
  void callerContextIsNotInherited() throws Exception {
    FetchThreads threads = new FetchThreads(4);
    CompletableFuture<String> fetching = new CompletableFuture<>();
    CompletableFuture<String> aside = new CompletableFuture<>();
    CallerContext.setCurrent(new CallerContext.Builder("application_1").build());
    try {
      threads.execute("node", () -> fetching.complete(callerContext()));
      threads.executeAside(() -> aside.complete(callerContext()));
    } finally {
      CallerContext.setCurrent(null);
    }
    for (CompletableFuture<String> seen : Arrays.asList(fetching, aside)) {
      assertThat(seen.get(1, TimeUnit.MINUTES)).isEqualTo("none");
    }
  }

  private static String callerContext() {
    CallerContext context = CallerContext.getCurrent();
    return context == null ? "none" : context.getContext();
  }
}
