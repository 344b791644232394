// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.apache.hadoop.hdfs.tools.DFSck;
import org.apache.hadoop.hdfs.tools.DebugAdmin;
import org.apache.hadoop.hdfs.tools.ECAdmin;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code stripeline hdfs}: runs Hadoop's commands with the class path of this command, which
 * contains our jar.
 */
@Command(
    name = "hdfs",
    description = {
      "Run one of Hadoop's commands without a Hadoop installation.",
      "",
      "Takes the arguments of 'hdfs' and returns its exit status; the configuration is that of"
          + " HADOOP_CONF_DIR. Supported are dfs, fsck, ec, debug and dfsadmin."
    },
    customSynopsis = "stripeline hdfs [-hV] COMMAND [ARGUMENT...]",
    footerHeading = "%nExamples:%n",
    footer = {
      "  export HADOOP_CONF_DIR=/data/hdfs/conf-stripeline",
      "  stripeline hdfs ec -setPolicy -path /data -policy RS-6-3-1024k",
      "  stripeline hdfs dfs -put local.file /data",
      "  stripeline hdfs fsck /data -blocks"
    })
public final class HdfsCommand implements Callable<Integer> {
  @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "Command and its arguments")
  private List<String> words = new ArrayList<>();

  @Spec private CommandSpec spec;

  /**
   * Passes all options after the name of Hadoop's command to that command.
   *
   * @param hdfs the command line of this command
   */
  static void passOptionsOn(CommandLine hdfs) {
    hdfs.setStopAtPositional(true);
  }

  @Override
  public Integer call() throws Exception {
    Function<Configuration, Tool> tool = words.isEmpty() ? null : Tools.BY_NAME.get(words.get(0));
    if (tool == null) {
      throw new ParameterException(
          spec.commandLine(),
          "Cannot run hdfs"
              + (words.isEmpty() ? "" : " " + words.get(0))
              + ": name one of "
              + String.join(", ", Tools.BY_NAME.keySet()));
    }
    List<String> arguments = words.subList(1, words.size());
    Configuration conf = Tools.configuration(arguments);
    return ToolRunner.run(conf, tool.apply(conf), arguments.toArray(new String[0]));
  }

  /** All that has Hadoop's types in signatures: help works without Hadoop. */
  private static final class Tools {
    static final Map<String, Function<Configuration, Tool>> BY_NAME = tools();

    private static Map<String, Function<Configuration, Tool>> tools() {
      Map<String, Function<Configuration, Tool>> tools = new LinkedHashMap<>();
      tools.put("dfs", FsShell::new);
      tools.put("fsck", Tools::fsck);
      tools.put("ec", ECAdmin::new);
      tools.put("debug", DebugAdmin::new);
      tools.put("dfsadmin", DFSAdmin::new);
      return tools;
    }

    private static Tool fsck(Configuration conf) {
      try {
        return new DFSck(conf);
      } catch (java.io.IOException e) {
        throw new CommandException(ExitStatus.UNCHECKED, "Cannot run hdfs fsck: " + e.getMessage());
      }
    }

    /**
     * Returns the configuration, which must name a cluster: without one, Hadoop's commands would
     * operate on the local disk.
     */
    private static Configuration configuration(List<String> arguments) {
      String directory = System.getenv("HADOOP_CONF_DIR");
      boolean given = directory != null && !directory.isEmpty();
      if (given && !Files.isReadable(Paths.get(directory, "core-site.xml"))) {
        throw new CommandException(
            ExitStatus.UNCHECKED,
            "Cannot run hdfs: HADOOP_CONF_DIR is "
                + directory
                + ", where "
                + Paths.get(directory, "core-site.xml")
                + " cannot be read");
      }
      Configuration conf;
      String scheme;
      try {
        HdfsConfiguration.init();
        conf = new HdfsConfiguration();
        // Reads the files before classes do that would be unusable after a failure.
        conf.size();
        scheme = FileSystem.getDefaultUri(conf).getScheme();
      } catch (RuntimeException e) {
        throw new CommandException(
            ExitStatus.UNCHECKED,
            "Cannot run hdfs: the configuration in "
                + (given ? directory : "the class path")
                + " cannot be read: "
                + e.getMessage());
      }
      if ("file".equals(scheme)
          && arguments.stream().noneMatch(word -> word.contains("://") || word.equals("-conf"))) {
        throw new CommandException(
            ExitStatus.UNCHECKED,
            "Cannot run hdfs: no cluster is configured"
                + (given ? " (" + directory + "/core-site.xml does not set fs.defaultFS)" : "")
                + "; set HADOOP_CONF_DIR, for example to a directory that 'stripeline cluster"
                + " start' prints");
      }
      return conf;
    }
  }
}
