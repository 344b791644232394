// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.select.PathArguments;
import org.stripeline.convert.settings.DriverKind;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.CommandStyle;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options of {@code stripeline convert} that control how the work is done. */
final class WorkOptions {
  @Option(
      names = "--storage-policy",
      paramLabel = "NAME",
      description = "Storage policy to set on the converted files, such as COLD")
  String storagePolicy;

  @Option(
      names = "--max-replication",
      paramLabel = "COUNT",
      description =
          "With --undo, the maximum number of replicas of a file (default: as many as it had)")
  Integer maxReplication;

  @Option(
      names = "--allow-rack-loss",
      description = "Allow a code that loses data when one rack fails, if there are too few racks")
  boolean allowRackLoss;

  @Option(
      names = "--allow-stale-readers",
      description = {
        "Allow copies, for --layout=striped, which is refused otherwise, and auto, which leaves"
            + " out such files otherwise: a process that has a file open"
            + " through Hadoop's own client while it is replaced, and later asks for locations of"
            + " further blocks, can read wrong bytes without an error by positional reads. Use it"
            + " only if no process keeps these files open"
      })
  boolean allowStaleReaders;

  @Option(
      names = "--skip-namenode-check",
      description =
          "Add policies without checking over HTTP that every NameNode accepts them. If its"
              + " dfs.namenode.ec.policies.max.cellsize is less than the cell size, a NameNode,"
              + " standby or observer stops and does not start until that is raised, and a"
              + " SecondaryNameNode makes no more checkpoints")
  boolean skipNameNodeCheck;

  @Option(
      names = "--throttle",
      paramLabel = "SIZE",
      converter = ByteSize.RateConverter.class,
      description =
          "Maximum bytes per second, such as 50MiB, at least 64KiB (default: 0, no limit). Where"
              + " DataNodes encode, of each of them, which then encodes one block group of the job"
              + " at a time; of all copies of the job together")
  ByteSize throttle;

  @Option(
      names = "--driver",
      paramLabel = "DRIVER",
      description =
          "What copies for --layout=striped and --undo: client, this process; mapreduce, map"
              + " tasks for whole block groups, on the framework of mapred-site.xml (default:"
              + " client)")
  DriverKind driver;

  @Option(
      names = "--files-at-once",
      paramLabel = "COUNT",
      description =
          "Files converted at the same time, 1 to 64 (default: "
              + JobSettings.FILES_OF_CLIENT
              + "; "
              + JobSettings.FILES_OF_MAPS
              + " with --driver=mapreduce)")
  Integer filesAtOnce;

  @Option(
      names = "--groups-at-once",
      paramLabel = "COUNT",
      description =
          "Block groups of a file converted at the same time, 1 to 64; --files-at-once times this"
              + " is the maximum number of maps at the same time (default: "
              + JobSettings.GROUPS
              + ")")
  Integer groupsAtOnce;

  @Option(
      names = "--job",
      paramLabel = "NAME",
      description = "Name of the job (default: derived from the time)")
  String job;

  @Option(
      names = "--job-directory",
      paramLabel = "DIR",
      defaultValue = JobDirectory.ROOT_DEFAULT,
      description =
          "Directory on HDFS for journals and temporary files, outside of trees with quotas"
              + " (default: ${DEFAULT-VALUE})")
  String jobDirectory;

  /** Not a mixin, because these options are a group of another command. */
  @ArgGroup(exclusive = false, validate = false)
  LoginOptions login = new LoginOptions();

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description =
          "Hadoop property for this job, such as mapreduce.job.queuename; may be repeated")
  Map<String, String> properties = new TreeMap<>();

  /**
   * Returns what a job that is resumed takes from these options.
   *
   * @throws IllegalArgumentException if an option has a value that is not possible
   */
  JobTuning tuning() {
    JobTuning tuning = new JobTuning();
    tuning.filesAtOnce = within("--files-at-once", filesAtOnce);
    tuning.groupsAtOnce = within("--groups-at-once", groupsAtOnce);
    tuning.bytesPerSecond = throttle == null ? null : (Long) throttle.bytes();
    tuning.skipNameNodeCheck = skipNameNodeCheck;
    tuning.properties.putAll(properties);
    return tuning;
  }

  private static Integer within(String option, Integer count) {
    if (count != null && (count < 1 || count > 64)) {
      throw new IllegalArgumentException(
          "Cannot use " + option + "=" + count + ": 1 to 64 are possible");
    }
    return count;
  }

  /**
   * Returns the command line that continues a job; Hadoop properties are stored with the job.
   *
   * @param path what the job converts
   * @param name name of the job, or null
   */
  String resumeCommand(String path, String name) {
    List<String> words = new ArrayList<>();
    words.add(PathArguments.resumeCommand(path, name));
    add(
        words,
        "--job-directory",
        jobDirectory.equals(JobDirectory.ROOT_DEFAULT) ? null : jobDirectory);
    add(words, "--keytab", login.keytab);
    add(words, "--principal", login.principal);
    return String.join(" ", words);
  }

  private static void add(List<String> words, String option, String value) {
    if (value != null) {
      words.add(option + "=" + CommandStyle.shellWord(value));
    }
  }
}
