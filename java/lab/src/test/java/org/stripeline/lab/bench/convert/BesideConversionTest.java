// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.LabMain;
import org.stripeline.lab.bench.cluster.PrivateNetwork;
import org.stripeline.lab.bench.cluster.ShapedNetwork;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.CommandRun;

/** What happens beside conversions: writes that arrive, and injected traffic. */
@Timeout(60)
class BesideConversionTest {
  @TempDir Path directory;

  @Test
  void aFailedWriteIsNoMeasurement() throws Exception {
    try (ArrivingWrites writes =
        new ArrivingWrites(
            (parent, number) -> {
              throw new IOException("no space");
            },
            1000)) {
      writes.begin(1);
      assertThatThrownBy(() -> writes.end(new ConvertSample()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no space");
    }
  }

  @Test
  void tooManyWaitingWritesAreNoMeasurement() throws Exception {
    CountDownLatch isOver = new CountDownLatch(1);
    ConvertSample sample = new ConvertSample();
    Set<Integer> written = ConcurrentHashMap.newKeySet();
    try (ArrivingWrites writes =
        new ArrivingWrites(
            (parent, number) -> {
              await(isOver);
              written.add(number);
            },
            1000)) {
      // A thousand arrive in it, of which none ends.
      writes.begin(1);
      isOver.countDown();
      assertThatThrownBy(() -> writes.end(sample))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("name a lower --writes");
      assertThat(written).hasSize(ArrivingWrites.WAITING_MAX + 1);
      assertThat(sample.writeSecondsBefore).hasSameSizeAs(written).allMatch(one -> one > 0);
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void aSenderThatCannotStartIsReported() throws Exception {
    String obstacle = PrivateNetwork.obstacle();
    assumeTrue(obstacle == null, obstacle);
    ShapedNetwork notMade = new ShapedNetwork(4, 0);
    assertThatThrownBy(() -> new InjectedTraffic(notMade, 10, directory.resolve("traffic.log")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Cannot inject traffic: a sender has ended:")
        .hasMessageContaining("dn1");
  }

  @Test
  void trafficBeyondTheLinksIsRefused() {
    assertThat(refused("--traffic=10")).contains("--shaped", "at most 0 Mbit/s");
    assertThat(refused("--shaped=400", "--traffic=101", "--racks=12"))
        .contains("at most 100 Mbit/s");
    // Two DataNodes share the link of a rack.
    assertThat(refused("--shaped=400", "--traffic=51", "--racks=6")).contains("at most 50 Mbit/s");
    assertThat(refused("--writes=101")).contains("from 0 to 100");
    assertThat(refused("--writes=1", "--writes-before=-1")).contains("--writes-before=-1.0");
  }

  private static String refused(String... options) {
    List<String> words = new ArrayList<>(List.of("bench", "convert", "--quick"));
    words.addAll(List.of(options));
    return CommandRun.of(LabMain.commandLine(), words).require(ExitStatus.USAGE).said();
  }
}
