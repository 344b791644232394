// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;

/**
 * Parity that HDFS has rebuilt from a block that was wrong beneath its checksums: what is found
 * then, as the documentation says. Right blocks in the minority are called wrong.
 */
class RebuiltBlocksTest {
  private static final int CELL = 64 << 10;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  @ParameterizedTest
  @CsvSource({
    "3, 2, 0, WRONG_BYTES, 0",
    "3, 2, 1, WRONG_BYTES, 4",
    "3, 2, 2, , ",
    "6, 3, 1, UNLOCATED, ",
    "6, 3, 2, WRONG_BYTES, 8",
    "6, 3, 3, , ",
    "10, 4, 1, WRONG_BYTES, 0 10",
    "10, 4, 2, WRONG_BYTES, 12 13",
    "10, 4, 3, WRONG_BYTES, 13",
    "10, 4, 4, , "
  })
  void whatIsRebuiltFromAWrongBlockMatchesIt(
      int data, int parity, int rebuilt, String kind, String units) throws IOException {
    Layout layout = Layout.striped(Code.RS, data, parity, CELL);
    FakeGroup group = FakeGroup.striped(layout, (long) CELL * data);
    for (int at = 0; at < 40; at++) {
      group.damage(group.copy(0), CELL / 2 + at);
    }
    rebuild(group, layout, rebuilt);

    GroupResult result = new GroupCheck(group, FakeGroup.SETTINGS, threads).run();

    Set<String> kinds = new TreeSet<>();
    Set<Integer> named = new TreeSet<>();
    for (Finding finding : result.findings()) {
      kinds.add(finding.kind().name());
      named.add(finding.unit());
    }
    assertThat(result.isHealthy()).isEqualTo(kind == null);
    assertThat(kinds).isEqualTo(kind == null ? Set.of() : Set.of(kind));
    if (units != null) {
      Set<Integer> expected = new TreeSet<>();
      for (String unit : units.split(" ")) {
        expected.add(Integer.parseInt(unit));
      }
      assertThat(named).isEqualTo(expected);
    }
  }

  /** Replaces the first parity blocks by what HDFS computes from the data blocks as they are. */
  private static void rebuild(FakeGroup group, Layout layout, int count) throws IOException {
    byte[][] data = new byte[layout.dataUnits()][];
    byte[][] parity = new byte[layout.units() - layout.dataUnits()][CELL];
    for (int i = 0; i < data.length; i++) {
      data[i] = group.bytes.get(group.copy(i));
    }
    try (ErasureCodec codec = layout.codec()) {
      codec.encode(data, new int[data.length], parity, new int[parity.length], CELL);
    }
    for (int i = 0; i < count; i++) {
      group.bytes.put(group.copy(data.length + i), parity[i]);
    }
  }
}
