// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskInputOutputContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.util.VersionInfo;

/**
 * Jobs of a trace on YARN, over replicas that Hadoop's policy or encoding-aware replication places:
 * experiment A.3 of its paper. Prints the time at which each job was complete as one line of JSON.
 * Each row that a job wrote is compared with its input, and their number with the trace.
 *
 * <p>Arguments: what the bytes of the trace are divided by, number of jobs, how many run at a time,
 * repetitions.
 */
public final class ReplayBench {
  private static final String STOCK = "stock";
  private static final String EAR = "ear";

  /** As in the paper: each in its own rack. */
  private static final int DATA_NODES = 12;

  private static final int REPLICAS = 2;
  private static final int BLOCK_BYTES = 16 << 20;
  private static final long ROWS_PER_REDUCER = (64 << 20) / TraceJob.ROW_BYTES;

  /** What a map or reducer would write if it read as many rows as the next key says. */
  private static final String WRITTEN = "replay.%s.written";

  private static final String READ = "replay.%s.read";
  private static final String MAP = "map";
  private static final String REDUCE = "reduce";

  private final FileSystem fs;
  private final Configuration conf;
  private final int atATime;
  private final List<Sample> samples = new ArrayList<>();

  /** When a job was complete, in seconds since the first was submitted. */
  record Sample(String placement, int repetition, int job, double seconds) {}

  private ReplayBench(FileSystem fs, Configuration conf, int atATime) {
    this.fs = fs;
    this.conf = conf;
    this.atATime = atATime;
  }

  /** Runs the bench and ends the JVM. */
  public static void main(String[] arguments) {
    BenchMain.run(
        "jobs of a trace",
        main -> {
          long divisor = Long.parseLong(arguments[0]);
          List<TraceJob> jobs = TraceJob.first(Integer.parseInt(arguments[1]), divisor);
          try (BenchHdfs hdfs = BenchHdfs.start(main.folder(), racks(), settings())) {
            MiniMRYarnCluster yarn = BenchYarn.start(hdfs.cluster());
            main.atEnd(yarn::stop);
            Configuration conf = new Configuration(yarn.getConfig());
            settings().forEach(conf::set);
            conf.setInt("mapreduce.client.completion.pollinterval", 200);
            // Small jobs run in the JVM of their application master, if they may have its memory.
            conf.setBoolean("mapreduce.job.ubertask.enable", true);
            conf.setInt("mapreduce.map.memory.mb", 512);
            conf.setInt("mapreduce.reduce.memory.mb", 512);
            int atATime = Integer.parseInt(arguments[2]);
            ReplayBench bench = new ReplayBench(hdfs.fileSystem(), conf, atATime);
            bench.measure(jobs, Integer.parseInt(arguments[3]));
            Map<String, Object> results = new LinkedHashMap<>();
            results.put("hadoop", VersionInfo.getVersion());
            results.put("divisor", divisor);
            results.put("atATime", atATime);
            results.put("samples", bench.samples);
            return results;
          }
        });
  }

  private static String[] racks() {
    String[] racks = new String[DATA_NODES];
    Arrays.setAll(racks, i -> "/rack" + i);
    return racks;
  }

  private static Map<String, String> settings() {
    return Map.of(
        "dfs.block.replicator.classname",
        "org.apache.hadoop.hdfs.server.blockmanagement.EarPlacementPolicy",
        "stripeline.ear.directories",
        "/" + EAR,
        "stripeline.ear.code",
        "RS-8-2",
        "dfs.replication",
        String.valueOf(REPLICAS),
        "dfs.blocksize",
        String.valueOf(BLOCK_BYTES));
  }

  private void measure(List<TraceJob> jobs, int repetitions) throws Exception {
    for (String placement : new String[] {STOCK, EAR}) {
      for (TraceJob job : jobs) {
        try (FSDataOutputStream out = fs.create(input(placement, job))) {
          job.writeInput(out);
        }
      }
    }
    requirePlacement();
    // The JVM of HDFS and YARN compiles while these run.
    replay(STOCK, jobs.subList(0, Math.min(jobs.size(), 2 * atATime)), -1);
    for (int repetition = 0; repetition < repetitions; repetition++) {
      List<String> turns = new ArrayList<>(List.of(STOCK, EAR));
      Collections.rotate(turns, repetition);
      for (String placement : turns) {
        System.err.println("repetition " + (repetition + 1) + ": " + placement);
        replay(placement, jobs, repetition);
      }
    }
    samples.removeIf(sample -> sample.repetition < 0);
  }

  /** Fails if Hadoop's policy has placed blocks that were to be placed for encoding. */
  private static void requirePlacement() throws Exception {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    ObjectName counts = new ObjectName("Hadoop:service=Stripeline,name=Placement");
    long placed = ((Number) beans.getAttribute(counts, "BlocksPlaced")).longValue();
    long left = ((Number) beans.getAttribute(counts, "BlocksLeftToHadoop")).longValue();
    if (placed == 0 || left > 0) {
      throw new IOException(
          "Wrong placement: " + placed + " blocks are placed for encoding, " + left + " are not");
    }
  }

  private static Path input(String placement, TraceJob job) {
    return new Path("/" + placement + "/input/" + job.number());
  }

  /**
   * Returns a directory that no other job writes into: the application master of a job that is
   * complete ends seconds later, and temporary files in the job's directory disappear then.
   */
  private static Path output(String placement, int repetition, TraceJob job) {
    return new Path("/" + placement + "/output" + repetition + "/" + job.number());
  }

  private void replay(String placement, List<TraceJob> jobs, int repetition) throws Exception {
    ExecutorService running = Executors.newFixedThreadPool(atATime);
    try {
      long start = System.nanoTime();
      List<Future<Sample>> ends = new ArrayList<>();
      for (TraceJob job : jobs) {
        ends.add(
            running.submit(
                () -> {
                  run(placement, repetition, job);
                  double seconds = (System.nanoTime() - start) / 1e9;
                  return new Sample(placement, repetition, job.number(), seconds);
                }));
      }
      for (Future<Sample> end : ends) {
        samples.add(end.get());
      }
    } finally {
      running.shutdownNow();
    }
    for (TraceJob job : jobs) {
      check(placement, repetition, job);
    }
    fs.delete(new Path("/" + placement + "/output" + repetition), true);
  }

  private void run(String placement, int repetition, TraceJob trace) throws Exception {
    Configuration own = new Configuration(conf);
    boolean isReduced = trace.shuffled() > 0;
    setRatio(own, MAP, isReduced ? trace.shuffled() : trace.output(), trace.input());
    setRatio(own, REDUCE, trace.output(), Math.max(1, trace.shuffled()));
    try (Job job = Job.getInstance(own, "trace-" + trace.number())) {
      job.setMapperClass(RowMapper.class);
      job.setReducerClass(RowReducer.class);
      job.setNumReduceTasks((int) TraceJob.ceilDiv(trace.shuffled(), ROWS_PER_REDUCER));
      job.setOutputKeyClass(Text.class);
      job.setOutputValueClass(NullWritable.class);
      FileInputFormat.addInputPath(job, input(placement, trace));
      FileOutputFormat.setOutputPath(job, output(placement, repetition, trace));
      if (!job.waitForCompletion(false)) {
        String reason = job.getStatus().getFailureInfo();
        throw new IOException("Job " + trace.number() + " of the trace has failed: " + reason);
      }
    }
  }

  private static void setRatio(Configuration conf, String task, long written, long read) {
    conf.setLong(String.format(WRITTEN, task), written);
    conf.setLong(String.format(READ, task), read);
  }

  /** Compares what a job wrote with its input. */
  private void check(String placement, int repetition, TraceJob job) throws IOException {
    long rows = 0;
    int files = 0;
    for (FileStatus file : fs.globStatus(new Path(output(placement, repetition, job), "part-*"))) {
      try (FSDataInputStream in = fs.open(file.getPath())) {
        rows += job.check(in, file.getLen());
      }
      files++;
    }
    // Each task but one may round down; reducers also lack the rows that maps have not written.
    long maps = TraceJob.ceilDiv(job.input() * TraceJob.ROW_BYTES, BLOCK_BYTES);
    long least = job.output() - Math.max(0, files - 1);
    if (job.shuffled() > 0) {
      least -= TraceJob.ceilDiv((maps - 1) * job.output(), job.shuffled());
    }
    if (rows > job.output() || rows < least) {
      throw new IOException(
          "Wrong number of rows from job " + job.number() + ": " + rows + ", not " + job.output());
    }
  }

  /** Writes each row several times or not at all, so that all together are as many as asked. */
  private static final class Ratio {
    private final long written;
    private final long read;
    private long due;

    Ratio(Configuration conf, String task) {
      written = conf.getLong(String.format(WRITTEN, task), 0);
      read = conf.getLong(String.format(READ, task), 1);
    }

    void write(Text row, TaskInputOutputContext<?, ?, Text, NullWritable> context)
        throws IOException, InterruptedException {
      for (due += written; due >= read; due -= read) {
        context.write(row, NullWritable.get());
      }
    }
  }

  /** Writes each row as often, on average, as the ratio of the job says. */
  static final class RowMapper extends Mapper<LongWritable, Text, Text, NullWritable> {
    private Ratio ratio;

    @Override
    protected void setup(Context context) {
      ratio = new Ratio(context.getConfiguration(), MAP);
    }

    @Override
    protected void map(LongWritable position, Text row, Context context)
        throws IOException, InterruptedException {
      ratio.write(row, context);
    }
  }

  /** As {@link RowMapper}. */
  static final class RowReducer extends Reducer<Text, NullWritable, Text, NullWritable> {
    private Ratio ratio;

    @Override
    protected void setup(Context context) {
      ratio = new Ratio(context.getConfiguration(), REDUCE);
    }

    @Override
    protected void reduce(Text row, Iterable<NullWritable> values, Context context)
        throws IOException, InterruptedException {
      for (NullWritable each : values) {
        ratio.write(row, context);
      }
    }
  }
}
