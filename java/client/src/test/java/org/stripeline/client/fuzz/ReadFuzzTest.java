// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.StripelineFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short run of {@link ReadFuzz}; {@code make soak} is the long run. */
@Tag("full")
class ReadFuzzTest {
  private static final long SEED = Long.getLong("stripeline.fuzz.seed", 1);
  private static final long CASES = Long.getLong("stripeline.fuzz.cases", 75);

  /** A time limit: a slow machine runs fewer cases instead of running longer. */
  private static final long SECONDS_MAX = Long.getLong("stripeline.fuzz.seconds", 60);

  @Test
  void casesFollowFromTheirSeedsAndCoverAllFaults() {
    Set<Object> seen = new HashSet<>();
    for (long seed = 1; seed <= 300; seed++) {
      FuzzCase fuzz = FuzzCase.of(seed);
      assertThat(FuzzCase.of(seed)).isEqualTo(fuzz);
      seen.add(fuzz.fuzzPolicy());
      seen.add(fuzz.writer());
      fuzz.faults().forEach(fault -> seen.addAll(List.of(fault.kind(), fault.when())));
      fuzz.steps().forEach(step -> seen.add(step.kind()));
    }
    assertThat(seen).containsAll(FuzzPolicy.ALL);
    assertThat(seen).contains((Object[]) FuzzCase.Writer.values());
    assertThat(seen).contains((Object[]) Fault.Kind.values());
    assertThat(seen).contains((Object[]) Fault.Moment.values());
    assertThat(seen).contains((Object[]) StreamCall.Kind.values());
  }

  @Test
  void everyReadIsRightOrThrows(@TempDir Path dir) throws Exception {
    run(SEED, dir);
  }

  @Test
  @Tag("conformance")
  void everyReadOfMoreCasesIsRightOrThrows(@TempDir Path dir) throws Exception {
    run(SEED + CASES, dir);
  }

  private static void run(long first, Path dir) throws Exception {
    try (ReadFuzz fuzz = new ReadFuzz(dir, StripelineFileSystem.class, System.out)) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
      for (long seed = first; seed < first + CASES && System.nanoTime() < end; seed++) {
        assertThat(fuzz.run(seed)).as("seed " + seed).isNull();
      }
      System.out.println(fuzz.summary());
    }
  }
}
