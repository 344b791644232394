// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.util.EnumSet;
import org.stripeline.lab.bench.io.IoComparison;
import org.stripeline.lab.bench.io.IoComparison.Client;
import org.stripeline.terminal.Progress;

/**
 * Act 2: writing, reading, and reading with as many dead DataNodes as the code tolerates, with the
 * benchmark's clients: warm JVMs that take turns; every written file is read back by Hadoop's own
 * client.
 */
final class PipelineAct implements DemoRunner.Act {
  private static final int WARM_UPS = 2;
  private static final long WARM_UP_BYTES = 256L << 20;

  private final Stage stage;

  PipelineAct(Stage stage) {
    this.stage = stage;
  }

  @Override
  public void play() throws IOException {
    DemoSettings settings = stage.settings();
    IoComparison comparison =
        new IoComparison(
            settings.isQuick()
                ? EnumSet.of(Client.OURS, Client.STOCK)
                : EnumSet.allOf(Client.class),
            settings.policy(),
            settings.bytes(),
            settings.rounds(),
            WARM_UPS,
            WARM_UP_BYTES);
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
        throw new DemoException("Wrong in act 2: " + comparison.failures());
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
            "2: Hadoop's client read back %,d MiB that were written: all bytes equal; all reads"
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
