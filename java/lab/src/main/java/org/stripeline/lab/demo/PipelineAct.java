// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import org.stripeline.lab.bench.io.IoComparison;
import org.stripeline.lab.bench.io.IoComparison.Client;
import org.stripeline.terminal.Progress;

/**
 * Act 2: writing, reading, and reading with as many dead DataNodes as the code tolerates, with the
 * benchmark's clients: warm JVMs that take turns; every written file is read back by Hadoop's own
 * client.
 */
final class PipelineAct implements DemoRunner.Act {
  private static final int FULL_WARM_UPS = 2;
  private static final long FULL_WARM_UP_BYTES = 256L << 20;
  private static final long QUICK_WARM_UP_BYTES = 48L << 20;

  private final Stage stage;

  PipelineAct(Stage stage) {
    this.stage = stage;
  }

  @Override
  public void play() throws IOException {
    DemoSettings settings = stage.settings();
    IoComparison comparison =
        new IoComparison(
            settings.policy(),
            settings.bytes(),
            settings.rounds(),
            settings.isQuick() ? 1 : FULL_WARM_UPS,
            settings.isQuick() ? QUICK_WARM_UP_BYTES : FULL_WARM_UP_BYTES);
    long total = comparison.samples() * settings.bytes();
    try (Progress.Step step = stage.progress().step("2 write and read", total)) {
      comparison.run(
          stage.cluster(),
          stage.place(),
          (line, samples) -> {
            step.note(line.substring(line.indexOf(": ") + 2));
            step.advanceTo(samples * settings.bytes());
          });
      if (comparison.haveOursFailed()) {
        throw new DemoException(
            "Wrong in act 2: " + comparison.failures() + " " + comparison.notes());
      }
      step.note("");
      step.succeeded();
    }
    String dead = ", " + settings.parityUnits() + " DataNodes dead";
    add(comparison, "write", "write", "write");
    add(comparison, "read", "read", "read");
    String degraded = IoComparison.degradedRead(settings.policy());
    add(comparison, degraded, "read" + dead, "read, " + settings.parityUnits() + " dead");
    comparison.failures().forEach(failure -> stage.report().check("2: stock failed: %s", failure));
    stage
        .report()
        .check(
            "2: %,d MiB that were written read back by Hadoop's client and equal, all reads"
                + " compared",
            comparison.bytesVerified() >> 20);
  }

  private void add(IoComparison comparison, String operation, String what, String brief) {
    stage
        .report()
        .add(
            new DemoReport.Row(
                2,
                what,
                brief,
                DemoReport.Unit.MIB_PER_SECOND,
                comparison.rate(operation, Client.OURS),
                comparison.rate(operation, Client.STOCK),
                comparison.rate(operation, Client.REPLICATION)));
  }
}
