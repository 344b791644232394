// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.util.ClassUtil;
import org.stripeline.agent.Agents;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.Quantity;

/**
 * Runs orders as MapReduce jobs. The name of each is written to the journal before it is submitted.
 */
public final class MapJob {
  /**
   * Key of the local jars that Hadoop's job submission copies to the cluster; read by
   * JobResourceUploader.
   */
  private static final String JARS_KEY = "tmpjars";

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * Maximum time without the status of a job: application masters and resource managers may
   * restart.
   */
  private static final long SILENT_NANOS_MAX = TimeUnit.MINUTES.toNanos(5);

  private final Job job;
  private final JobObserver observer;
  private final Configuration conf;

  /** The job that could not be killed, if there is one. */
  private final MapJobs left = new MapJobs();

  private int waves;

  /** The result of a MapReduce job. */
  static final class End {
    private final List<GroupAnswer> answers;
    private final String reason;
    private final boolean isSuccess;

    private End(List<GroupAnswer> answers, String reason, boolean isSuccess) {
      this.answers = Collections.unmodifiableList(answers);
      this.reason = reason;
      this.isSuccess = isSuccess;
    }

    /** Returns whether the job ended by itself, though maps may have failed. */
    boolean isSuccess() {
      return isSuccess;
    }

    /** Returns the results of its maps, in no particular order. */
    List<GroupAnswer> answers() {
      return answers;
    }

    /** Returns the reason for which other maps have no result. */
    String reason() {
      return reason;
    }
  }

  public MapJob(Job job, JobObserver observer) {
    this.job = job;
    this.observer = observer;
    // The JobConf class loads mapred-site.xml and yarn-site.xml as defaults beneath these settings.
    conf = new JobConf(job.fs().getConf());
    conf.setInt(MRJobConfig.JOB_RUNNING_MAP_LIMIT, atOnce());
  }

  /** Returns the maximum number of concurrent maps. */
  int atOnce() {
    int set = conf.getInt(MRJobConfig.JOB_RUNNING_MAP_LIMIT, 0);
    return set > 0 ? set : job.settings().filesAtOnce() * job.settings().groupsAtOnce;
  }

  /**
   * Runs one job to its end.
   *
   * @param progress receives the share of maps that have ended, 0 to 1
   * @throws IOException if it could not be submitted, or its status cannot be read any more, or the
   *     one before may still run
   */
  End run(List<GroupOrder> orders, Consumer<Float> progress)
      throws IOException, InterruptedException {
    requireEnded();
    DistributedFileSystem fs = job.fs();
    String holder = Integer.toHexString(job.leaseHolder().hashCode());
    Path directory =
        fs.makeQualified(new Path(job.directory().temporaries(), "wave-" + holder + "-" + waves++));
    Path file = new Path(directory, "orders");
    fs.mkdirs(GroupMapper.answers(file), JobDirectory.PRIVATE);
    try {
      write(file, orders);
      try (org.apache.hadoop.mapreduce.Job maps = configure(orders.size(), file)) {
        return run(maps, GroupMapper.answers(file), progress);
      }
    } finally {
      fs.delete(directory, true);
    }
  }

  /**
   * Kills the job that could not be killed before, and waits for its end.
   *
   * @throws IOException if it may still run
   */
  void requireEnded() throws IOException {
    left.end(conf, job.ticker());
  }

  private void write(Path file, List<GroupOrder> orders) throws IOException {
    try (OutputStream out = job.fs().createFile(file).replicate().overwrite(false).build()) {
      for (GroupOrder order : orders) {
        out.write((order.toJson() + "\n").getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private org.apache.hadoop.mapreduce.Job configure(int orders, Path file) throws IOException {
    org.apache.hadoop.mapreduce.Job made = org.apache.hadoop.mapreduce.Job.getInstance(conf);
    made.setJobName(
        MapJobs.name(job.directory().name())
            + " "
            + file.getParent().getName()
            + ": "
            + Quantity.counted(orders, "group"));
    made.setJarByClass(GroupMapper.class);
    shipClusterJar(made.getConfiguration());
    made.setInputFormatClass(GroupInputFormat.class);
    FileInputFormat.setInputPaths(made, file);
    made.setMapperClass(GroupMapper.class);
    made.setNumReduceTasks(0);
    // Formats of files create their directories again after the driver has deleted them.
    made.setOutputFormatClass(NullOutputFormat.class);
    made.setSpeculativeExecution(false);
    Configuration own = made.getConfiguration();
    own.setInt(MRJobConfig.MAP_FAILURES_MAX_PERCENT, 100);
    own.setBoolean(MRJobConfig.JOB_UBERTASK_ENABLE, false);
    // Suppresses Hadoop's warning about generic options; this command has its own -D option.
    own.setBoolean(org.apache.hadoop.mapreduce.Job.USED_GENERIC_PARSER, true);
    TokenCache.obtainTokensForNamenodes(made.getCredentials(), new Path[] {file}, own);
    return made;
  }

  /** Ships the jar that clusters load, since nodes may have none, or another version. */
  private static void shipClusterJar(Configuration conf) throws IOException {
    String jar = ClassUtil.findContainingJar(Agents.class);
    boolean isLocal =
        MRConfig.LOCAL_FRAMEWORK_NAME.equals(
            conf.get(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME));
    if (jar == null || isLocal) {
      return;
    }
    String uri = FileSystem.getLocal(conf).makeQualified(new Path(jar)).toString();
    String others = conf.get(JARS_KEY);
    conf.set(JARS_KEY, others == null ? uri : others + "," + uri);
  }

  private End run(org.apache.hadoop.mapreduce.Job maps, Path answers, Consumer<Float> progress)
      throws IOException, InterruptedException {
    job.journal().write(JournalRecord.maps(maps.getJobName(), null));
    try {
      maps.submit();
    } catch (ClassNotFoundException e) {
      throw new IOException(e);
    }
    String id = maps.getJobID().toString();
    try {
      job.journal().write(JournalRecord.maps(maps.getJobName(), id));
      awaitEnd(maps, progress);
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      // Clear the interrupt, which would otherwise interrupt the call that kills the job.
      Thread.interrupted();
      kill(maps, e);
      throw e;
    }
    JobStatus status = maps.getStatus();
    switch (status.getState()) {
      case SUCCEEDED:
        return new End(
            answers(answers),
            "its map in job " + id + " ended without an answer; see the logs of that job",
            true);
      case KILLED:
        return new End(new ArrayList<>(), "MapReduce job " + id + " was killed", false);
      default:
        return new End(
            new ArrayList<>(),
            "MapReduce job " + id + " failed: " + status.getFailureInfo(),
            false);
    }
  }

  private void kill(org.apache.hadoop.mapreduce.Job maps, Throwable cause) {
    try {
      maps.killJob();
    } catch (IOException | RuntimeException e) {
      left.accept(JournalRecord.maps(maps.getJobName(), null));
      cause.addSuppressed(e);
    }
  }

  private void awaitEnd(org.apache.hadoop.mapreduce.Job maps, Consumer<Float> progress)
      throws IOException, InterruptedException {
    Ticker ticker = job.ticker();
    long heard = ticker.nanos();
    while (true) {
      job.requireNotCancelled();
      try {
        if (maps.isComplete()) {
          return;
        }
        float share = maps.mapProgress();
        observer.mapping(maps.getJobID().toString(), share);
        progress.accept(share);
        heard = ticker.nanos();
      } catch (IOException e) {
        if (ticker.nanos() - heard > SILENT_NANOS_MAX) {
          throw e;
        }
      }
      ticker.sleep(POLL_NANOS);
    }
  }

  private List<GroupAnswer> answers(Path directory) throws IOException {
    List<GroupAnswer> answers = new ArrayList<>();
    for (FileStatus part : job.fs().listStatus(directory)) {
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(job.fs().open(part.getPath()), StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          answers.add(GroupAnswer.parse(line));
        }
      }
    }
    return answers;
  }
}
