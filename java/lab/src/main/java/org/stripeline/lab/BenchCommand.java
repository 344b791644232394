// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab;

import org.stripeline.lab.bench.JavaBenchCommand;
import org.stripeline.lab.bench.NativeBench;
import org.stripeline.lab.bench.convert.ConvertBenchCommand;
import org.stripeline.lab.bench.io.IoBenchCommand;
import org.stripeline.lab.bench.scrub.ScrubBenchCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stripeline bench}. */
@Command(
    name = "bench",
    description = "Measure the speed of erasure coding on this machine.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      BenchCommand.Codec.class,
      BenchCommand.EngineBench.class,
      JavaBenchCommand.class,
      IoBenchCommand.class,
      ConvertBenchCommand.class,
      ScrubBenchCommand.class
    })
public final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  /**
   * Passes unknown options on to the native benchmarks.
   *
   * @param bench the command line of this command
   */
  public static void passOptionsOn(CommandLine bench) {
    for (String name : new String[] {"codec", "engine"}) {
      bench.getSubcommands().get(name).setUnmatchedOptionsArePositionalParams(true);
    }
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Cannot run bench: name what to measure, such as codec");
  }

  /** {@code stripeline bench codec}: passes its arguments to the native benchmark. */
  @Command(
      name = "codec",
      description = {
        "Time our codec and others on the same buffers, after checking every byte that they write.",
        "",
        "Runs a native program with the arguments below; its exit statuses are the same."
      },
      customSynopsis = "stripeline bench codec [-hV] [-- ARGUMENT...]",
      footerHeading = "%nArguments:%n",
      footer = {
        "  --quick              quick, rough figures",
        "  --list               the built-in definitions",
        "  --definition=NAME    a built-in definition or a .toml file (default: codec)",
        "  --json               print the result on stdout as JSON",
        "  --record=DIR         write the record as JSON and the plot as SVG there",
        "",
        "'stripeline bench codec -- --help' lists all of them."
      })
  static final class Codec extends NativeBench {
    Codec() {
      super("stripeline-bench");
    }
  }

  /**
   * {@code stripeline bench engine}: passes its arguments to the native benchmark of the engine.
   */
  @Command(
      name = "engine",
      description = {
        "Measure the overhead of the multi-rail engine and the gain of several rails, checking"
            + " every byte that they write.",
        "",
        "Runs a native program with the arguments below; its exit statuses are the same."
      },
      customSynopsis = "stripeline bench engine [-hV] [-- ARGUMENT...]",
      footerHeading = "%nArguments:%n",
      footer = {
        "  --quick              quick, rough figures",
        "  --part=PART,...      overhead, peaks, metadata, rates, latency, coordination, gpu",
        "                       (default: all)",
        "  --json               print the result on stdout as JSON",
        "  --record=DIR         write the record as JSON and text there",
        "",
        "'stripeline bench engine -- --help' lists all of them."
      })
  static final class EngineBench extends NativeBench {
    EngineBench() {
      super("stripeline-bench-engine");
    }
  }
}
