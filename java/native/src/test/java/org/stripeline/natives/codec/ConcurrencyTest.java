// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.stripeline.natives.codec.Stripes.Placement;
import org.stripeline.natives.library.NeedsNativeLibrary;

/**
 * Tests that many threads on one codec get correct bytes until it is closed, and "closed"
 * afterwards.
 */
@NeedsNativeLibrary
class ConcurrencyTest {
  private static final int THREADS = 4;
  private static final int ROUNDS = 60;
  private static final int LENGTH = 20_000;

  @Test
  void nativeCallsRaceWithClose() throws Exception {
    raceWithClose(() -> new NativeCodec(Code.RS, 6, 3));
  }

  @Test
  void javaCallsRaceWithClose() throws Exception {
    raceWithClose(() -> new JavaCodec(Code.RS, 6, 3));
  }

  @Test
  void arraysStayValidWhenTheCollectorMovesThem() throws Exception {
    byte[][] units = Stripes.stripe(new Random(2), Code.RS, 6, 3, 600_000);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Future<Long> churn =
          executor.submit(
              () -> {
                long kept = 0;
                List<byte[]> live = new ArrayList<>();
                while (!done.get()) {
                  live.add(new byte[100_000]);
                  if (live.size() > 500) {
                    kept += live.size();
                    live.clear();
                  }
                }
                return kept;
              });
      ErasureCodec codec = new NativeCodec(Code.RS, 6, 3);
      int[] erased = {5, 0, 7};
      for (int round = 0; round < ROUNDS; round++) {
        // New arrays are in the young generation, so collections move them.
        byte[][] given = new byte[9][];
        for (int i = 0; i < 9; i++) {
          given[i] = i == 5 || i == 0 || i == 7 ? null : units[i].clone();
        }
        byte[][] outputs = new byte[3][600_000];
        codec.decode(given, new int[9], erased, outputs, new int[3], 600_000);
        for (int i = 0; i < 3; i++) {
          assertThat(Arrays.equals(outputs[i], units[erased[i]])).isTrue();
        }
      }
      done.set(true);
      assertThat(churn.get(30, TimeUnit.SECONDS)).isPositive();
    } finally {
      done.set(true);
      executor.shutdownNow();
    }
  }

  private static void raceWithClose(Supplier<ErasureCodec> maker) throws Exception {
    byte[][] units = Stripes.stripe(new Random(1), Code.RS, 6, 3, LENGTH);
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        ErasureCodec codec = maker.get();
        CountDownLatch running = new CountDownLatch(THREADS);
        List<Future<Integer>> results = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
          Placement placement = Placement.values()[thread % 2];
          results.add(executor.submit(decodeUntilClosed(codec, units, placement, running)));
        }
        running.await();
        codec.close();
        for (Future<Integer> result : results) {
          assertThat(result.get(30, TimeUnit.SECONDS)).isPositive();
        }
      }
    } finally {
      executor.shutdownNow();
    }
  }

  private static Callable<Integer> decodeUntilClosed(
      ErasureCodec codec, byte[][] units, Placement placement, CountDownLatch running) {
    return () -> {
      byte[][] given = units.clone();
      given[1] = null;
      given[8] = null;
      ByteBuffer[] in = Stripes.place(given, placement, 0);
      ByteBuffer[] out = CodecContractTest.blank(2, LENGTH, placement);
      for (int calls = 0; ; calls++) {
        try {
          codec.decode(in, new int[] {8, 1}, out);
        } catch (EcException e) {
          assertThat(e).hasMessageContaining("closed");
          return calls;
        }
        assertThat(Stripes.bytes(out[0])).isEqualTo(units[8]);
        assertThat(Stripes.bytes(out[1])).isEqualTo(units[1]);
        if (calls == 0) {
          running.countDown();
        }
      }
    };
  }
}
