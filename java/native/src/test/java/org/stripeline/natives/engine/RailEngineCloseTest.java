// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.CodecContractTest;
import org.stripeline.natives.codec.EcException;
import org.stripeline.natives.codec.Stripes.Placement;
import org.stripeline.natives.library.NeedsNativeLibrary;

/** Tests what closing waits for and what it rejects, and that it leaves no resources behind. */
@NeedsNativeLibrary
@Timeout(120)
class RailEngineCloseTest {
  private static final int THREADS = 4;

  @Test
  void closingFinishesRunningTasksAndFailsWaitingTasks() throws Exception {
    List<EngineTask> tasks;
    try (RailEngine engine = Engines.slow()) {
      tasks = Engines.occupy(Engines.wideCodec(engine), 20);
    }
    assertThat(tasks).allMatch(RailEngineCloseTest::isSoundOrClosed);
    // The only worker started with the first task.
    assertThatThrownBy(() -> tasks.get(19).get(0, TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(EcException.class)
        .hasRootCauseMessage("Cannot finish the task: the engine is shutting down");
  }

  @Test
  void closedEngineRefusesEverything() throws Exception {
    RailEngine engine = Engines.open();
    RailCodec codec = engine.codec(Code.RS, 1, 1);
    ByteBuffer[] unit = {ByteBuffer.allocateDirect(64)};
    ByteBuffer[] other = {ByteBuffer.allocateDirect(64)};
    EngineTask task = codec.iencode(unit, other);
    engine.awaitAll();
    engine.close();
    engine.close();
    assertThat(task.join().isSound()).isTrue();
    assertThat(task.cancel(true)).isFalse();
    ByteBuffer[] both = {unit[0], other[0]};
    ByteBuffer[] lost = {unit[0], null};
    byte[][] arrays = new byte[1][64];
    byte[][] others = new byte[1][64];
    closed("encode", () -> codec.iencode(unit, other));
    closed("decode", () -> codec.idecode(lost, new int[] {1}, other));
    closed("verify", () -> codec.iverify(both));
    closed("update", () -> codec.iupdate(0, unit[0], unit[0], other));
    closed("encode the stripe", () -> call(() -> codec.encode(unit, other)));
    closed("decode the stripe", () -> call(() -> codec.decode(lost, new int[] {1}, other)));
    closed("verify the stripe", () -> codec.verify(both));
    closed("update the stripe", () -> call(() -> codec.update(0, unit[0], unit[0], other)));
    closed("encode", () -> call(() -> codec.encode(arrays, new int[1], others, new int[1], 64)));
    closed("create codec", () -> engine.codec(Code.RS, 6, 3));
    closed("query the engine", engine::statistics);
    closed("query the engine", engine::describe);
    assertThat(engine).hasToString("RailEngine(closed)");
    engine.awaitAll();
  }

  @Test
  void callsRaceWithClose() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      for (int round = 0; round < 30; round++) {
        RailEngine engine = Engines.open("tasks-max=3");
        CountDownLatch running = new CountDownLatch(THREADS);
        List<Future<List<EngineTask>>> results = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
          results.add(executor.submit(codeUntilClosed(engine, thread % 2 == 0, running)));
        }
        running.await();
        engine.close();
        for (Future<List<EngineTask>> result : results) {
          List<EngineTask> issued = result.get(30, TimeUnit.SECONDS);
          assertThat(issued).allMatch(RailEngineCloseTest::isSoundOrClosed);
        }
      }
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void severalThreadsCloseAtOnce() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      RailEngine engine = Engines.open();
      EngineTask task = RailEngineTest.encode(engine);
      List<Future<Boolean>> done = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        done.add(
            executor.submit(
                () -> {
                  engine.close();
                  return task.isDone();
                }));
      }
      for (Future<Boolean> closed : done) {
        assertThat(closed.get(30, TimeUnit.SECONDS)).isTrue();
      }
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  void engineWhoseThreadCannotBeStartedIsClosed() throws Exception {
    EngineConfiguration configuration =
        EngineConfiguration.defaults().with(EngineConfiguration.RAILS_KEY, "cpu");
    // More engines than may be open at the same time.
    for (int i = 0; i < 70; i++) {
      assertThatThrownBy(() -> RailEngine.open(configuration, Unstartable::new))
          .isInstanceOf(EcException.class)
          .hasMessageEndingWith("cannot be started: java.lang.OutOfMemoryError: no thread")
          .matches(e -> ((EcException) e).kind() == EcException.Kind.CONFIGURATION);
    }
    RailEngine.open(configuration).close();
  }

  /** A thread for which the system has no memory. */
  private static final class Unstartable extends Thread {
    Unstartable(Runnable task) {
      super(task);
    }

    @Override
    public synchronized void start() {
      throw new OutOfMemoryError("no thread");
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aThousandEnginesLeaveNeitherThreadsNorMemory() throws Exception {
    openAndClose(200);
    long threads = threads();
    long residentBytes = residentBytes();
    openAndClose(1000);
    assertThat(threads()).isLessThanOrEqualTo(threads + 2);
    // A tenth of the memory that one leaked thread stack or one leaked job per round would use.
    assertThat(residentBytes() - residentBytes).isLessThan(24L << 20);
  }

  private static void openAndClose(int rounds) throws Exception {
    ByteBuffer[] data = {ByteBuffer.allocateDirect(4096), ByteBuffer.allocateDirect(4096)};
    ByteBuffer[] parity = {ByteBuffer.allocateDirect(4096)};
    for (int round = 0; round < rounds; round++) {
      try (RailEngine engine = Engines.open("rails=cpu", "workers-max=2")) {
        RailCodec codec = engine.codec(Code.RS, 2, 1);
        codec.iencode(data, parity);
      }
    }
  }

  private static long threads() throws IOException {
    try (Stream<Path> tasks = Files.list(Paths.get("/proc/self/task"))) {
      return tasks.count();
    }
  }

  private static long residentBytes() throws IOException {
    for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return 1024 * Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw new IOException("no VmRSS in /proc/self/status");
  }

  private static Callable<List<EngineTask>> codeUntilClosed(
      RailEngine engine, boolean issue, CountDownLatch running) {
    return () -> {
      RailCodec codec = engine.codec(Code.RS, 6, 3);
      List<EngineTask> issued = new ArrayList<>();
      for (int calls = 0; ; calls++) {
        ByteBuffer[] data = CodecContractTest.blank(6, 5000, Placement.DIRECT);
        ByteBuffer[] parity = CodecContractTest.blank(3, 5000, Placement.DIRECT);
        try {
          if (issue) {
            issued.add(codec.iencode(data, parity));
          } else {
            codec.encode(data, parity);
          }
        } catch (IllegalStateException e) {
          assertThat(e).hasMessageContaining("the engine is closed");
          return issued;
        }
        if (calls == 0) {
          running.countDown();
        }
      }
    };
  }

  private static boolean isSoundOrClosed(EngineTask task) {
    assertThat(task).isDone();
    try {
      return task.join().isSound();
    } catch (CompletionException e) {
      return ((EcException) e.getCause()).kind() == EcException.Kind.CLOSED;
    }
  }

  /** A call without a result. */
  private interface Call {
    void run() throws Exception;
  }

  private static Object call(Call call) throws Exception {
    call.run();
    return null;
  }

  private static void closed(String verb, Callable<?> call) {
    assertThatThrownBy(call::call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Cannot " + verb + ": the engine is closed");
  }
}
