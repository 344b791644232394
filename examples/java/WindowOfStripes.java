// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.engine.EngineConfiguration;
import org.stripeline.natives.engine.EngineTask;
import org.stripeline.natives.engine.RailCodec;
import org.stripeline.natives.engine.RailEngine;
import org.stripeline.natives.engine.RailStatistics;
import org.stripeline.natives.engine.TaskRequest;

/**
 * Encodes a stream of stripes over every coder of the machine, eight in flight at a time: while the
 * engine codes, this thread fills the next stripe. Then it repairs a unit in the background.
 *
 * <p>Needs only the jar on the class path, not Hadoop:
 *
 * <pre>java -cp stripeline-0.1.0.jar examples/java/WindowOfStripes.java</pre>
 */
public final class WindowOfStripes {
  private static final int WINDOW = 8;
  private static final int STRIPES = 100;
  private static final int DATA_UNITS = 6;
  private static final int PARITY_UNITS = 3;
  private static final int CELL_SIZE_BYTES = 64 << 10;

  private WindowOfStripes() {}

  /** The buffers of a stripe, used again and again. */
  private static final class Stripe {
    final ByteBuffer[] data = allocate(DATA_UNITS);
    final ByteBuffer[] parity = allocate(PARITY_UNITS);
    EngineTask task;

    ByteBuffer[] units() {
      ByteBuffer[] units = new ByteBuffer[DATA_UNITS + PARITY_UNITS];
      System.arraycopy(data, 0, units, 0, DATA_UNITS);
      System.arraycopy(parity, 0, units, DATA_UNITS, PARITY_UNITS);
      return units;
    }
  }

  /** Runs the example; prints what it does and fails if a byte differs. */
  public static void main(String[] arguments) throws IOException {
    try (RailEngine engine = RailEngine.open(EngineConfiguration.defaults())) {
      RailCodec codec = engine.codec(Code.RS, DATA_UNITS, PARITY_UNITS);
      List<Stripe> window = new ArrayList<>();
      for (int i = 0; i < WINDOW; i++) {
        window.add(new Stripe());
      }

      Random random = new Random(1);
      for (int i = 0; i < STRIPES; i++) {
        Stripe stripe = window.get(i % WINDOW);
        if (stripe.task != null) {
          // Only the oldest is waited for; here its parity would be written out.
          stripe.task.join();
        }
        fill(stripe.data, random);
        stripe.task = codec.iencode(stripe.data, stripe.parity);
      }
      engine.awaitAll();
      System.out.println("encoded: " + STRIPES + " stripes, " + WINDOW + " in flight at a time");

      List<EngineTask> checks = new ArrayList<>();
      for (Stripe stripe : window) {
        checks.add(codec.iverify(stripe.units()));
      }
      CompletableFuture.allOf(checks.toArray(new EngineTask[0])).join();
      check(checks.stream().allMatch(task -> task.join().isSound()), "parity does not fit");
      System.out.println("verified: parity of the last " + WINDOW + " matches");

      TaskRequest repair = TaskRequest.background().within(Duration.ofMinutes(1));
      ByteBuffer[] units = window.get(0).units();
      ByteBuffer lost = units[2];
      units[2] = null;
      ByteBuffer[] restored = allocate(1);
      codec.with(repair).idecode(units, new int[] {2}, restored).join();
      check(restored[0].equals(lost), "unit 2 was restored wrongly");
      System.out.println("repaired: unit 2, in the background");

      for (RailStatistics rail : engine.statistics().rails()) {
        System.out.println("rail " + rail);
      }
    }
  }

  private static ByteBuffer[] allocate(int count) {
    ByteBuffer[] units = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      // What is issued must be direct: arrays move in memory while a task waits.
      units[i] = ByteBuffer.allocateDirect(CELL_SIZE_BYTES);
    }
    return units;
  }

  private static void fill(ByteBuffer[] data, Random random) {
    byte[] bytes = new byte[CELL_SIZE_BYTES];
    for (ByteBuffer unit : data) {
      random.nextBytes(bytes);
      unit.duplicate().put(bytes);
    }
  }

  private static void check(boolean condition, String failure) {
    if (!condition) {
      throw new IllegalStateException(failure);
    }
  }
}
