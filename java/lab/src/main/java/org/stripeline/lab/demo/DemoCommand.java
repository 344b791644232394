// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.stripeline.coder.RsCoderFactory;
import org.stripeline.lab.bench.io.IoSettings;
import org.stripeline.lab.cluster.WorkDirectory;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.OutputOptions;
import org.stripeline.terminal.Page;
import org.stripeline.terminal.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stripeline demo}. */
@Command(
    name = "demo",
    description = {
      "Compare Stripeline with Hadoop's own client on a real HDFS, and verify every result.",
      "",
      "Starts a cluster and runs four acts, each with both clients in turn:",
      "  1  flip one bit of a block on a disk, and read the file",
      "  2  write files, read them, and read them with as many dead DataNodes as the code"
          + " tolerates",
      "  3  'plan' and 'convert' a replicated tree in place, compared with 'hdfs dfs -cp'",
      "  4  delete the disks of DataNodes and let HDFS rebuild; then run fsck and verifyEC",
      "",
      "Prints a table, and writes the table and plots to an HTML page. Takes about four minutes,"
          + " one with --quick. Deletes all other files that it created."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Every byte read by our client was correct and all blocks were rebuilt",
      "1:A result was wrong, or an act could not be completed; the message says which",
      "2:The command line cannot be carried out as given",
      "3:Could not check, because space is missing or the cluster did not start"
    })
public final class DemoCommand implements Callable<Integer> {
  @Option(
      names = "--quick",
      description =
          "One round of "
              + DemoSettings.QUICK_SIZE
              + " with short warm-ups: a functional test of about a minute; figures are rough")
  private boolean quick;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description =
          "Bytes of each timed write or read, at least 8MiB (default: "
              + DemoSettings.FULL_SIZE
              + ")")
  private ByteSize size;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      defaultValue = "RS-6-3-1024k",
      description = "Erasure coding policy (default: ${DEFAULT-VALUE})")
  private String policy;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "Repetitions of each timed step and client (default: " + DemoSettings.FULL_ROUNDS + ")")
  private Integer rounds;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      defaultValue = "demo.html",
      description = "Page to write (default: ${DEFAULT-VALUE})")
  private Path html;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "New or empty directory to work in (default: a temporary one, in memory if there is"
              + " enough)")
  private Path directory;

  @Option(
      names = "--keep",
      description = "Keep the files of the cluster, so that 'stripeline cluster' can start it")
  private boolean keep;

  @Mixin private OutputOptions output;

  @Spec private CommandSpec spec;

  /** Creates a command for picocli. */
  public DemoCommand() {}

  @Override
  public Integer call() {
    checkPolicy();
    ByteSize bytes =
        size != null
            ? size
            : ByteSize.parse(quick ? DemoSettings.QUICK_SIZE : DemoSettings.FULL_SIZE);
    if (bytes.bytes() < DemoSettings.LEAST_BYTES) {
      throw usage("Cannot write files of " + bytes + ": --size must be 8MiB or more");
    }
    int repetitions = rounds != null ? rounds : quick ? 1 : DemoSettings.FULL_ROUNDS;
    if (repetitions < 1) {
      throw usage("Cannot repeat steps " + repetitions + " times: --rounds must be 1 or more");
    }
    // Before the run instead of after minutes.
    Page.requireWritable(spec.commandLine(), "--html", html);
    DemoReport report = new DemoReport();
    Progress progress = Progress.onStandardError(spec.commandLine().getErr());
    DemoSettings settings =
        new DemoSettings(IoSettings.policy(policy), bytes.bytes(), repetitions, quick, coder());
    int status =
        new DemoRunner(settings, progress, report)
            .run(directory, keep ? WorkDirectory.AtEnd.KEEP : WorkDirectory.AtEnd.DELETE);
    if (status != DemoRunner.INTERRUPTED) {
      print(report);
      writePage(report, progress);
    }
    return status;
  }

  private void writePage(DemoReport report, Progress progress) {
    if (report.policy == null) {
      return;
    }
    new DemoPage(report).page().write(html);
    progress.say("written: %s", html.toAbsolutePath().normalize());
  }

  private void print(DemoReport report) {
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      OutputOptions.printJson(out, report);
    } else {
      out.print(report.render());
    }
    out.flush();
  }

  /** Returns our coder's name in Hadoop's configuration. */
  static String coder() {
    return new RsCoderFactory().getCoderName();
  }

  /** Returns nothing: a method of Hadoop's type would make help need Hadoop. */
  private void checkPolicy() {
    try {
      IoSettings.policy(policy);
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
