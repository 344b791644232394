// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.stripeline.terminal.CommandStyle;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.CommandRun;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tests how a bench ends that measured nothing. */
class ClusterBenchOptionsTest {
  /** A bench whose only step cannot begin, or fails. */
  @Command(name = "stub")
  static final class Stub implements Callable<Integer> {
    @Mixin private ClusterBenchOptions run;

    @Option(names = "--begin")
    private boolean begin;

    @Override
    public Integer call() throws InterruptedException {
      EmptyReport report = new EmptyReport();
      return run.run(
          false,
          0,
          report,
          (place, progress) -> {
            if (begin) {
              report.orFail("cp", () -> fail("wrong bytes"));
            }
            fail("no room");
          });
    }

    private static int fail(String message) throws IOException {
      throw new IOException(message);
    }
  }

  /** Without a result. */
  private static final class EmptyReport extends ClusterBenchReport {
    @Override
    public boolean isEmpty() {
      return true;
    }

    @Override
    public void conclude() {}

    @Override
    public String text() {
      return String.join("; ", failures);
    }
  }

  private static CommandRun run(String... arguments) {
    return CommandRun.of(CommandStyle.commandLine(new Stub()), arguments);
  }

  @Test
  void whatCannotBeginCouldNotBeMeasured() {
    CommandRun run = run().require(ExitStatus.UNCHECKED);
    assertThat(run.err()).contains("no room");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aStepThatFailsIsAFailureAlsoIfNothingWasMeasured() {
    assertThat(run("--begin").require(ExitStatus.FAILED).out())
        .isEqualTo("cp failed; the run ended early: java.io.IOException: wrong bytes");
  }
}
