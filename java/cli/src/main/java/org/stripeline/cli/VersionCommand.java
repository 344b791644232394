// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.apache.hadoop.util.VersionInfo;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;
import org.stripeline.terminal.Release;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code stripeline version}. */
@Command(name = "version", description = "Print the versions of Stripeline, Hadoop and Java.")
public final class VersionCommand implements Callable<Integer> {
  @Mixin private OutputOptions output;
  @Spec private CommandSpec spec;

  /** The result; field names are those of the JSON output. */
  private static final class Versions {
    final String stripeline = Release.version();

    /** Null without Hadoop. */
    final String hadoop = hadoop();

    final String hadoopTested = Release.hadoopVersion();
    final String java = System.getProperty("java.version");
  }

  private static String hadoop() {
    try {
      return VersionInfo.getVersion();
    } catch (NoClassDefFoundError e) {
      return null;
    }
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Versions versions = new Versions();
    if (output.isJson()) {
      OutputOptions.printJson(out, versions);
    } else {
      out.println("stripeline " + versions.stripeline);
      out.println(
          "hadoop     "
              + (versions.hadoop == null ? "no Hadoop" : versions.hadoop)
              + " (built against "
              + versions.hadoopTested
              + ")");
      out.println("java       " + versions.java);
      out.flush();
    }
    return ExitStatus.SOUND;
  }
}
