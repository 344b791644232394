// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stripeline bench java}. */
@Command(
    name = "java",
    description = {
      "Time our coder and Hadoop's from Java with Hadoop's RawErasureCoderBenchmark, and measure"
          + " the cost of a call.",
      "",
      "Every figure is measured in several JVMs, alternating between coders, after their output is"
          + " checked. Hadoop's benchmark decodes lost parity only; 'stripeline bench codec'"
          + " decodes lost data."
    })
public final class JavaBenchCommand implements Callable<Integer> {
  /**
   * Maximum chunk size: with larger chunks, the benchmark's buffer of 126 MiB would not hold a
   * stripe of six chunks.
   */
  private static final int CHUNK_KIB_MAX = 21 * 1024;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "JVMs for each figure (default: ${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "3",
      description = "Approximate length of a measurement in seconds (default: ${DEFAULT-VALUE})")
  private double seconds;

  @Option(
      names = "--chunk-kib",
      paramLabel = "N",
      defaultValue = "1024",
      description = "Size of a cell in KiB (default: ${DEFAULT-VALUE}, that of HDFS)")
  private int chunkKib;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads that code at the same time (default: ${DEFAULT-VALUE})")
  private int threads;

  @Option(names = "--quick", description = "One JVM for each figure and short measurements")
  private boolean quick;

  @Option(names = "--enforce", description = "Exit with 1 if a threshold is missed")
  private boolean enforce;

  @Mixin private OutputOptions output;
  @Spec private CommandSpec spec;

  /** Creates a command for picocli. */
  public JavaBenchCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (rounds < 1 || threads < 1 || !(seconds > 0) || chunkKib < 1 || chunkKib > CHUNK_KIB_MAX) {
      throw new ParameterException(
          spec.commandLine(),
          "Cannot measure "
              + rounds
              + " rounds of "
              + seconds
              + " s with "
              + threads
              + " threads and chunks of "
              + chunkKib
              + " KiB: each must be positive, a chunk at"
              + " most "
              + CHUNK_KIB_MAX
              + " KiB");
    }
    PrintWriter err = spec.commandLine().getErr();
    JavaBench bench =
        quick
            ? new JavaBench(1, 0.1, chunkKib, threads, err)
            : new JavaBench(rounds, seconds, chunkKib, threads, err);
    JavaBenchReport report = bench.run();
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      OutputOptions.printJson(out, report);
    } else {
      out.print(report.render());
      out.flush();
    }
    return enforce && !report.isKept() ? ExitStatus.FAILED : ExitStatus.SOUND;
  }
}
