// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.CodecContractTest;
import org.stripeline.natives.codec.EcException;
import org.stripeline.natives.codec.Stripes;
import org.stripeline.natives.codec.Stripes.Placement;
import org.stripeline.natives.library.NeedsNativeLibrary;

/**
 * Tests an engine apart from its bytes: windows, urgency, the end of tasks, rejected calls, counts.
 */
@NeedsNativeLibrary
@Timeout(60)
class RailEngineTest {
  private static final int LENGTH = 10_000;

  @Test
  void aWindowOfEightStripesHasRightBytes() throws Exception {
    Random random = new Random(8);
    try (RailEngine engine = Engines.open()) {
      RailCodec codec = engine.codec(Code.RS, 6, 3);
      Deque<EngineTask> window = new ArrayDeque<>();
      List<ByteBuffer[]> outputs = new ArrayList<>();
      List<byte[][]> expected = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        byte[][] units = Stripes.stripe(random, Code.RS, 6, 3, 1 + random.nextInt(LENGTH));
        ByteBuffer[] data = Stripes.place(Arrays.copyOf(units, 6), Placement.DIRECT, i % 64);
        ByteBuffer[] parity = CodecContractTest.blank(3, units[0].length, Placement.DIRECT);
        if (window.size() == 8) {
          assertThat(window.remove().get().isSound()).isTrue();
        }
        window.add(codec.iencode(data, parity));
        outputs.add(parity);
        expected.add(Arrays.copyOfRange(units, 6, 9));
      }
      engine.awaitAll(window);
      for (int i = 0; i < outputs.size(); i++) {
        assertThat(Stripes.bytes(outputs.get(i))).as("stripe %d", i).isDeepEqualTo(expected.get(i));
      }
      assertThat(engine.statistics().issued()).isEqualTo(100);
    }
  }

  @Test
  void comparisonNamesUnitAndOffset() throws Exception {
    byte[][] units = Stripes.stripe(new Random(3), Code.RS, 6, 3, LENGTH);
    units[8][1234] ^= 1;
    units[7][5000] ^= 1;
    try (RailEngine engine = Engines.open()) {
      RailCodec codec = engine.codec(Code.RS, 6, 3);
      ComparisonResult result = codec.iverify(Stripes.place(units, Placement.DIRECT, 5)).join();
      assertThat(result.isSound()).isFalse();
      assertThat(result.parityUnit()).isEqualTo(2);
      assertThat(result.offset()).isEqualTo(1234);
      assertThat(result).hasToString("parity unit 2 differs at offset 1234");
    }
  }

  @Test
  void waitAnyWaitsForOneTaskAndWaitAllForEveryTask() throws Exception {
    try (RailEngine engine = Engines.open()) {
      List<EngineTask> tasks = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        tasks.add(encode(engine));
      }
      EngineTask[] array = tasks.toArray(new EngineTask[0]);
      assertThat(CompletableFuture.anyOf(array).join()).isEqualTo(ComparisonResult.SOUND);
      CompletableFuture.allOf(array).join();
      assertThat(tasks).allMatch(CompletableFuture::isDone);
      tasks.add(encode(engine));
      engine.awaitAll();
      assertThat(tasks).allMatch(CompletableFuture::isDone);
      // A task counts as outstanding until the engine has notified all waiters, which is slightly
      // later.
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (engine.statistics().outstanding() > 0) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void cancelledTaskEndsCancelledAndOthersDoNot() throws Exception {
    try (RailEngine engine = Engines.slow()) {
      List<EngineTask> before = Engines.occupy(Engines.wideCodec(engine), 100);
      EngineTask task = encode(engine);
      assertThat(task.cancel(false)).isTrue();
      assertThatThrownBy(() -> task.get(30, TimeUnit.SECONDS))
          .isInstanceOf(CancellationException.class);
      assertThat(task.isCancelled()).isTrue();
      assertThat(task.cancel(true)).as("again").isTrue();
      assertThat(before.get(99).isDone()).isFalse();
      Engines.cancel(before);
      assertThatThrownBy(() -> engine.awaitAll(before)).isInstanceOf(CancellationException.class);
      EngineTask other = encode(engine);
      assertThat(other.join().isSound()).isTrue();
      assertThat(other.cancel(true)).as("ended").isFalse();
    }
  }

  @Test
  void aTaskWhoseFutureTheCallerCompletesContinuesUntilItEnds() throws Exception {
    byte[][] units = Stripes.stripe(new Random(5), Code.RS, 6, 3, LENGTH);
    ByteBuffer[] data = Stripes.place(Arrays.copyOf(units, 6), Placement.DIRECT, 0);
    try (RailEngine engine = Engines.slow()) {
      List<EngineTask> before = Engines.occupy(Engines.wideCodec(engine), 100);
      ByteBuffer[] parity = direct(3);
      EngineTask task = engine.codec(Code.RS, 6, 3).iencode(data, parity);
      task.complete(null);
      before.get(99).completeExceptionally(new TimeoutException());
      assertThat(before.get(99).cancel(true)).as("its work is given up").isTrue();
      Engines.cancel(before);
      engine.awaitAll(Arrays.asList(task));
      assertThat(Stripes.bytes(parity)).isDeepEqualTo(Arrays.copyOfRange(units, 6, 9));
      assertThat(task.cancel(true)).as("ended").isFalse();
      engine.awaitAll();
    }
  }

  @Test
  void aTaskFailsIfItsDeadlinePassesWhileItWaits() throws Exception {
    try (RailEngine engine = Engines.slow()) {
      List<EngineTask> before = Engines.occupy(Engines.wideCodec(engine), 100);
      TaskRequest request = TaskRequest.foreground().within(Duration.ofMillis(5));
      EngineTask task = encode(engine.codec(Code.RS, 6, 3).with(request));
      assertThatThrownBy(() -> engine.awaitAll(Arrays.asList(task)))
          .isInstanceOf(EcException.class)
          .hasMessage("Cannot finish the task: its deadline has passed")
          .matches(e -> ((EcException) e).kind() == EcException.Kind.DEADLINE_EXCEEDED);
      // The same applies to a call that waits.
      assertThatThrownBy(() -> encodeAndWait(engine.codec(Code.RS, 6, 3).with(request)))
          .isInstanceOf(EcException.class)
          .matches(e -> ((EcException) e).kind() == EcException.Kind.DEADLINE_EXCEEDED);
      Engines.cancel(before);
    }
  }

  @Test
  void foregroundTasksRunBeforeBackgroundTasks() throws Exception {
    try (RailEngine engine = Engines.slow()) {
      RailCodec wide = Engines.wideCodec(engine).with(TaskRequest.background());
      List<EngineTask> before = Engines.occupy(wide, 100);
      assertThat(encode(engine).get(30, TimeUnit.SECONDS).isSound()).isTrue();
      assertThat(before.get(99).isDone()).isFalse();
      Engines.cancel(before);
    }
  }

  @Test
  void aFullEngineRefusesTasksIfConfigured() throws Exception {
    try (RailEngine engine = Engines.slow("tasks-max=2", "when-full=refuse")) {
      RailCodec wide = Engines.wideCodec(engine);
      ByteBuffer[] units = Engines.wideStripe();
      List<EngineTask> tasks = new ArrayList<>();
      EngineTask refused;
      do {
        refused = wide.iverify(units);
        tasks.add(refused);
      } while (!refused.isCompletedExceptionally());
      assertThat(tasks).hasSizeGreaterThan(2);
      assertThatThrownBy(() -> engine.awaitAll(tasks.subList(tasks.size() - 1, tasks.size())))
          .isInstanceOf(EcException.class)
          .hasMessage("Cannot issue a task: 2 are outstanding, the most allowed")
          .matches(e -> ((EcException) e).kind() == EcException.Kind.BUSY);
      Engines.cancel(tasks.subList(0, tasks.size() - 1));
    }
  }

  @Test
  void aFullEngineMakesTheIssuerWaitByDefault() throws Exception {
    // In addition, each worker may be reporting a task that no longer counts against the limit.
    int most = 2 + Runtime.getRuntime().availableProcessors();
    try (RailEngine engine = Engines.open("tasks-max=2")) {
      List<EngineTask> tasks = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        tasks.add(encode(engine));
        assertThat(engine.statistics().outstanding()).isLessThanOrEqualTo(most);
      }
      engine.awaitAll(tasks);
    }
  }

  @Test
  void buffersStayReachableUntilTheirTaskEnds() throws Exception {
    try (RailEngine engine = Engines.slow()) {
      List<EngineTask> before = Engines.occupy(Engines.wideCodec(engine), 100);
      ByteBuffer[] parity = CodecContractTest.blank(3, LENGTH, Placement.DIRECT);
      ByteBuffer[] data = CodecContractTest.blank(6, LENGTH, Placement.DIRECT);
      EngineTask task = engine.codec(Code.RS, 6, 3).iencode(data, parity);
      WeakReference<ByteBuffer> kept = new WeakReference<>(parity[2]);
      WeakReference<ByteBuffer> alsoKept = new WeakReference<>(data[0]);
      Arrays.fill(parity, null);
      Arrays.fill(data, null);
      collectGarbage();
      assertThat(kept.get()).isNotNull();
      assertThat(alsoKept.get()).isNotNull();
      Engines.cancel(before);
      assertThat(task.join().isSound()).isTrue();
      while (kept.get() != null || alsoKept.get() != null) {
        collectGarbage();
      }
    }
  }

  @Test
  void invalidTasksAreRefused() throws Exception {
    try (RailEngine engine = Engines.open()) {
      RailCodec codec = engine.codec(Code.RS, 2, 1);
      ByteBuffer[] heap = {ByteBuffer.allocate(64), ByteBuffer.allocate(64)};
      ByteBuffer[] heapParity = {ByteBuffer.allocate(64)};
      refused(
          () -> codec.iencode(heap, heapParity),
          "Cannot encode: heap buffers can move in memory while a task waits: pass direct buffers,"
              + " or use a blocking call");
      ByteBuffer[] direct = {ByteBuffer.allocateDirect(64), ByteBuffer.allocateDirect(64)};
      refused(
          () -> codec.iencode(direct, null), "Cannot encode: the array of parity units is null");
      refused(
          () -> codec.iencode(direct, new ByteBuffer[] {direct[0].asReadOnlyBuffer()}),
          "Cannot encode: parity unit 0 is read-only");
      refused(
          () -> codec.iencode(direct, new ByteBuffer[] {direct[0]}),
          "Cannot encode the stripe: out overlaps in[0]");
      refused(
          () -> codec.idecode(direct, new int[] {0}, heapParity),
          "Cannot decode: 2 all units are given, but rs 2+1 has 3");
      refused(() -> codec.iverify(null), "Cannot verify: the array of all units is null");
      refused(
          () -> codec.iupdate(0, null, direct[0], new ByteBuffer[] {direct[1]}),
          "Cannot update: the old data is null");
      refused(() -> codec.with(null), "Cannot set the options of tasks: the request is null");
      refused(
          () -> TaskRequest.background().within(Duration.ofNanos(-1)),
          "Cannot limit a task to PT-0.000000001S: the time must not be null or negative");
      assertThat(engine.statistics().issued()).isZero();
    }
  }

  @Test
  void wrongConfigurationsAreNamed() {
    configurationRefused(
        "Cannot read the engine's configuration: 'tasks-max=many' must be a whole "
            + "number from 1",
        "tasks-max=many");
    configurationRefused(
        "Cannot read the engine's configuration: 'colour=red' has an unknown key", "colour=red");
    configurationRefused(
        "Cannot start the engine: no rail is named isal, there are cpu",
        "rails=cpu",
        "scheduling=single:isal");
    assertThatThrownBy(() -> Engines.open("rails=nonesuch"))
        .isInstanceOf(EcException.class)
        .hasMessageStartingWith("Cannot start the engine: ");
    refused(
        () -> EngineConfiguration.defaults().with("tasks-max", "1"),
        "Cannot configure the engine: key 'tasks-max' does not begin with stripeline.engine.");
    refused(
        () -> EngineConfiguration.defaults().with(EngineConfiguration.RAILS_KEY, "cpu\nx=y"),
        "Cannot configure the engine: the value of stripeline.engine.rails is not one line of"
            + " text");
  }

  @Test
  void railsThatAreNotUsedAreDescribedWithTheirReason() throws Exception {
    try (RailEngine engine = Engines.open("rails=cpu,nonesuch")) {
      engine.codec(Code.RS, 6, 3).encode(direct(6), direct(3));
      JsonObject json = JsonParser.parseString(engine.describe()).getAsJsonObject();
      assertThat(json.get("issued").getAsInt()).isEqualTo(1);
      JsonObject in = json.getAsJsonArray("candidates").get(0).getAsJsonObject();
      assertThat(in.get("name").getAsString()).isEqualTo("cpu");
      assertThat(in.get("in").getAsBoolean()).isTrue();
      assertThat(in.get("description").getAsString()).isNotEmpty();
      JsonObject out = json.getAsJsonArray("candidates").get(1).getAsJsonObject();
      assertThat(out.get("in").getAsBoolean()).isFalse();
      assertThat(out.get("reason").getAsString()).isNotEmpty();
      assertThat(engine).hasToString("RailEngine(cpu)");
    }
  }

  @Test
  void statisticsCountTheWorkOfARail() throws Exception {
    try (RailEngine engine = Engines.slow("check-every=0")) {
      for (int i = 0; i < 10; i++) {
        encode(engine).join();
      }
      EngineStatistics statistics = engine.statistics();
      assertThat(statistics.issued()).isEqualTo(10);
      assertThat(statistics.outstanding()).isZero();
      assertThat(statistics.names()).isEqualTo("cpu");
      RailStatistics cpu = statistics.rails().get(0);
      assertThat(cpu.outOfService()).isEmpty();
      assertThat(cpu.isActive()).isTrue();
      assertThat(cpu.rate()).isPositive();
      assertThat(cpu.pieces()).isGreaterThanOrEqualTo(10);
      assertThat(cpu.dataBytes()).isEqualTo(10L * 6 * LENGTH);
      assertThat(cpu.busyNanos()).isPositive();
      assertThat(cpu.waitNanos(0.5)).isPositive().isLessThanOrEqualTo(cpu.waitNanos(0.99));
      assertThat(cpu.serviceNanos(0.5)).isPositive().isLessThanOrEqualTo(cpu.serviceNanos(1));
      long[] none = {cpu.queued(), cpu.faults(), cpu.revoked(), cpu.quarantines(), cpu.wrong()};
      assertThat(none).containsOnly(0);
    }
  }

  @Test
  void waitingOnTheThreadThatCompletesIsRefused() throws Exception {
    try (RailEngine engine = Engines.slow()) {
      List<EngineTask> before = Engines.occupy(Engines.wideCodec(engine), 1);
      AtomicReference<Throwable> closing = new AtomicReference<>();
      AtomicReference<Throwable> waiting = new AtomicReference<>();
      CompletableFuture<Void> after =
          before
              .get(0)
              .handle(
                  (result, failure) -> {
                    closing.set(catchThrown(engine::close));
                    waiting.set(catchThrown(engine::awaitAll));
                    return null;
                  });
      Engines.cancel(before);
      after.join();
      String reason = ": this is the thread that completes tasks, which must not wait";
      // Null if the task had ended before the dependent was added, which then ran on this thread.
      if (closing.get() != null) {
        assertThat(closing.get()).hasMessage("Cannot close the engine" + reason);
        assertThat(waiting.get()).hasMessage("Cannot wait for tasks" + reason);
      }
    }
  }

  @Test
  void theSharedEngineIsOneObjectThatStaysOpen() throws Exception {
    RailEngine engine = RailEngine.shared();
    engine.close();
    assertThat(RailEngine.shared()).isSameAs(engine);
    assertThat(encode(engine).join().isSound()).isTrue();
  }

  static EngineTask encode(RailEngine engine) {
    return encode(engine.codec(Code.RS, 6, 3));
  }

  private static EngineTask encode(RailCodec codec) {
    return codec.iencode(direct(6), direct(3));
  }

  private static void encodeAndWait(RailCodec codec) throws Exception {
    codec.encode(direct(6), direct(3));
  }

  private static ByteBuffer[] direct(int count) {
    return CodecContractTest.blank(count, LENGTH, Placement.DIRECT);
  }

  private static void collectGarbage() {
    System.gc();
  }

  private static Throwable catchThrown(Runnable call) {
    try {
      call.run();
      return null;
    } catch (IllegalStateException e) {
      return e;
    }
  }

  private static void configurationRefused(String text, String... settings) {
    assertThatThrownBy(() -> Engines.open(settings))
        .isInstanceOf(EcException.class)
        .hasMessage(text)
        .matches(e -> ((EcException) e).kind() == EcException.Kind.CONFIGURATION);
  }

  private static void refused(ThrowingCallable call, String text) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(text);
  }
}
