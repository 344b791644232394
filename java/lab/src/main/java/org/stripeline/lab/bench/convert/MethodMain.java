// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import com.google.gson.Gson;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.tools.DebugAdmin;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.stripeline.convert.ConvertCommand;
import org.stripeline.lab.bench.ProcessTime;
import org.stripeline.scrub.ScrubCommand;
import org.stripeline.terminal.CommandStyle;

/**
 * Main class of the JVM that runs one command as the command's launcher would, and prints the
 * processor time at the end. Java 8 does not report the processor time of child processes.
 */
final class MethodMain {
  static final String DISTCP = "org.apache.hadoop.tools.DistCp";

  /** The last line of its output. */
  static final class Answer {
    int status;
    double cpuSeconds;
  }

  private MethodMain() {}

  /**
   * Runs the command.
   *
   * @param arguments {@code convert}, {@code scrub}, {@code fs} or {@code distcp}, and the
   *     arguments of that command; or {@code verifyEC} and files; or {@code hdfs-raid} and what
   *     {@link RaidNode#run} needs
   */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = System.out;
    String[] own = Arrays.copyOfRange(arguments, 1, arguments.length);
    Answer answer = new Answer();
    answer.status = run(arguments[0], own);
    answer.cpuSeconds = ProcessTime.ofSelf();
    out.println(new Gson().toJson(answer));
    out.flush();
    System.exit(0);
  }

  private static int run(String program, String[] arguments) throws Exception {
    switch (program) {
      case "convert":
        return CommandStyle.commandLine(new ConvertCommand()).execute(arguments);
      case "scrub":
        return CommandStyle.commandLine(new ScrubCommand()).execute(arguments);
      case "verifyEC":
        return verify(arguments);
      case RaidNode.NAME:
        return RaidNode.run(arguments);
      case "fs":
        return ToolRunner.run(new HdfsConfiguration(), new FsShell(), arguments);
      case "distcp":
        return ToolRunner.run(distCp(), arguments);
      default:
        throw new IllegalArgumentException("Cannot run " + Objects.toString(program));
    }
  }

  /** Verifies one file after the other, and returns the first exit status that is not 0. */
  private static int verify(String[] files) throws Exception {
    for (String file : files) {
      Configuration conf = new HdfsConfiguration();
      int status = ToolRunner.run(new DebugAdmin(conf), new String[] {"verifyEC", "-file", file});
      if (status != 0) {
        return status;
      }
    }
    return 0;
  }

  /**
   * Creates the tool by its class name: it belongs to Hadoop's tools, which may be missing from the
   * class path.
   */
  private static Tool distCp() throws ReflectiveOperationException {
    Configuration conf = new HdfsConfiguration();
    conf.setInt("mapreduce.local.map.tasks.maximum", 4);
    Class<?> type = Class.forName(DISTCP);
    Class<?> options = Class.forName("org.apache.hadoop.tools.DistCpOptions");
    return (Tool) type.getConstructor(Configuration.class, options).newInstance(conf, null);
  }
}
