// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.namenode.HdfsConnection;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code stripeline status} command. */
@Command(
    name = "status",
    description = {
      "Show all conversion jobs: running, paused, interrupted and finished ones.",
      "",
      "The figures are those that the driver of a job recorded last, a few seconds ago while it"
          + " runs, since it began or resumed the job. Only superusers of HDFS can run this."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:The jobs are shown",
      "2:The command line or HDFS does not allow it",
      "3:Could not check, because HDFS did not answer"
    })
public final class StatusCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "HDFS",
      arity = "0..1",
      description = "File system, such as hdfs://ns (default: that of core-site.xml)")
  private String fileSystem;

  @Option(
      names = "--job-directory",
      paramLabel = "DIR",
      defaultValue = JobDirectory.ROOT_DEFAULT,
      description = "Directory on HDFS with the jobs (default: ${DEFAULT-VALUE})")
  private String jobDirectory;

  @Mixin private LoginOptions login = new LoginOptions();

  @Option(names = "--json", description = "Print one JSON object per job and line")
  private boolean json;

  @Option(names = "-D", paramLabel = "KEY=VALUE", description = "Hadoop property; may be repeated")
  private Map<String, String> properties = new TreeMap<>();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    return new Session().run();
  }

  /** A class of its own because help works without Hadoop, whose classes this one needs. */
  private final class Session {
    int run() {
      HdfsConfiguration conf = new HdfsConfiguration();
      properties.forEach(conf::set);
      Path root = new Path(fileSystem == null ? "/" : fileSystem);
      try (KeytabLogin keytab = KeytabLogin.of(conf, login);
          DistributedFileSystem fs = HdfsConnection.open(conf, root, "show the jobs of")) {
        new JobControl(fs, jobDirectory, spec.commandLine().getOut(), json).showAll();
        return ExitStatus.SOUND;
      } catch (RefusedException e) {
        throw new CommandException(ExitStatus.USAGE, e.getMessage());
      } catch (IOException e) {
        throw new CommandException(ExitStatus.UNCHECKED, Reasons.cannot("show the jobs", e));
      }
    }
  }
}
