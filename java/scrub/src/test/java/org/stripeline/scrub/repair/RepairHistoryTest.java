// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.FakeGroup;
import org.stripeline.scrub.check.GroupCheck;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.check.Layout;

/**
 * Groups with random histories: blocks get wrong beneath their checksums, HDFS rebuilds lost blocks
 * from others as they are, and moves blocks. No right block is ever to be replaced.
 */
class RepairHistoryTest {
  private static final int CELL = 4 * FakeGroup.WINDOW;
  private static final int ROUNDS = 400;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  @ParameterizedTest
  @CsvSource({"3, 2, 4", "3, 2, 6", "6, 3, 6", "6, 3, 8", "10, 4, 9"})
  void noRightBlockIsReplaced(int data, int parity, int events) throws IOException {
    Layout layout = Layout.striped(Code.RS, data, parity, CELL);
    int planned = 0;
    for (int seed = 0; seed < ROUNDS; seed++) {
      History history = new History(layout, seed);
      for (int i = 0; i < events; i++) {
        history.event();
      }
      GroupResult result = new GroupCheck(history.group, FakeGroup.SETTINGS, threads).run();
      if (!result.isDamaged()) {
        continue;
      }
      RepairPlan plan = RepairPlan.of(result, Set.of(), history.isConverted);
      planned += plan.wrong().isEmpty() ? 0 : 1;
      for (Copy copy : plan.wrong()) {
        assertThat(history.isRight(copy))
            .as("seed %s: %s of %s is right; %s", seed, copy, history.events, plan.wrong())
            .isFalse();
      }
    }
    assertThat(planned).isPositive();
  }

  /** A group and what happens to it. */
  private static final class History {
    final FakeGroup group;
    final boolean isConverted;
    final List<String> events = new ArrayList<>();
    private final Layout layout;
    private final Random random;
    private final Map<Integer, byte[]> right = new LinkedHashMap<>();
    private long now = FakeGroup.WRITTEN;

    History(Layout layout, int seed) throws IOException {
      this.layout = layout;
      random = new Random(seed);
      group = FakeGroup.striped(layout, (long) CELL * layout.dataUnits());
      group.bytes.forEach((copy, bytes) -> right.put(copy.unit, bytes.clone()));
      isConverted = random.nextInt(4) == 0;
      now += 3_600_000;
      if (isConverted) {
        for (int unit = layout.dataUnits(); unit < layout.units(); unit++) {
          group.modified.put(group.copy(unit), now);
        }
      }
    }

    boolean isRight(Copy copy) {
      return !group.badChunks.containsKey(copy)
          && Arrays.equals(group.bytes.get(copy), right.get(copy.unit));
    }

    void event() throws IOException {
      // After a loss HDFS copies what is decommissioned within seconds.
      now += isConverted || random.nextBoolean() ? 600_000 : 5_000;
      int unit = random.nextInt(layout.units());
      Copy copy = group.copy(unit);
      switch (random.nextInt(7)) {
        case 0:
        case 1:
          int window = random.nextInt(CELL / FakeGroup.WINDOW);
          for (int i = 0; i < FakeGroup.WINDOW; i++) {
            group.bytes.get(copy)[window * FakeGroup.WINDOW + i] = (byte) random.nextInt();
          }
          events.add(unit + " is damaged in window " + window);
          break;
        case 2:
          group.modified.put(copy, now);
          events.add(unit + " is moved");
          break;
        case 3:
          long chunk = random.nextInt(CELL);
          group.badChunks.put(copy, chunk);
          events.add(unit + " has a wrong checksum at " + chunk);
          break;
        default:
          rebuild();
      }
    }

    private void rebuild() throws IOException {
      List<Integer> units = new ArrayList<>();
      for (int unit = 0; unit < layout.units(); unit++) {
        units.add(unit);
      }
      Collections.shuffle(units, random);
      int parity = layout.units() - layout.dataUnits();
      int[] lost = new int[random.nextInt(3) == 0 ? 1 + random.nextInt(parity) : 1];
      for (int i = 0; i < lost.length; i++) {
        lost[i] = units.remove(0);
      }
      units.removeIf(unit -> group.badChunks.containsKey(group.copy(unit)));
      if (units.size() < layout.dataUnits()) {
        return;
      }
      byte[][] sources = new byte[layout.units()][];
      for (int unit : units.subList(0, layout.dataUnits())) {
        sources[unit] = group.bytes.get(group.copy(unit));
      }
      byte[][] rebuilt = new byte[lost.length][CELL];
      try (ErasureCodec codec = ErasureCodec.create(Code.RS, layout.dataUnits(), parity)) {
        codec.decode(sources, new int[sources.length], lost, rebuilt, new int[lost.length], CELL);
      }
      for (int i = 0; i < lost.length; i++) {
        Copy copy = group.copy(lost[i]);
        group.bytes.put(copy, rebuilt[i]);
        group.badChunks.remove(copy);
        group.modified.put(copy, now);
      }
      events.add(Arrays.toString(lost) + " rebuilt from " + units.subList(0, layout.dataUnits()));
    }
  }
}
