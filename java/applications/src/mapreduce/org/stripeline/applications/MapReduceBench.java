// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.RandomWriter;
import org.apache.hadoop.examples.Sort;
import org.apache.hadoop.examples.terasort.TeraGen;
import org.apache.hadoop.examples.terasort.TeraSort;
import org.apache.hadoop.examples.terasort.TeraValidate;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.TestDFSIO;
import org.apache.hadoop.mapred.SortValidator;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobCounter;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.tools.DistCp;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.apache.hadoop.util.VersionInfo;

/**
 * Hadoop's own programs on YARN, over directories with each coder and client: TestDFSIO, TeraGen
 * and TeraSort, distcp of replicated files, RandomWriter and Sort. Prints the results as one line
 * of JSON. Files are read back by Hadoop's client and Java coder, and sorted data must have the
 * checksum of what was generated.
 *
 * <p>Arguments: contestants, programs ({@code dfsio}, {@code tera}, {@code distcp}, {@code sort}),
 * both separated by commas, files of TestDFSIO, MiB of each, rows of 100 bytes, repetitions.
 */
public final class MapReduceBench {
  /** Replicated rows, which distcp copies. */
  private static final Path SOURCE = new Path("/source");

  private static final int ROW_BYTES = 100;

  /** As many as TeraGen has by default. */
  private static final int MAPS = 2;

  private final Map<String, Object> results = new LinkedHashMap<>();
  private final List<Sample> samples = new ArrayList<>();
  private final Set<String> seenJobs = new TreeSet<>();
  private final Map<String, Program> programs = new LinkedHashMap<>();
  private final BenchHdfs hdfs;
  private final MiniMRYarnCluster yarn;

  /** Of the rows that TeraGen makes. */
  private String checksum;

  /** Measures a program, or several that belong together, with one contestant. */
  private interface Program {
    void run(Turn turn) throws Exception;
  }

  /** One run of a program; absent values were not measured. */
  record Sample(
      String contestant,
      String operation,
      int repetition,
      double seconds,
      Double mibPerSecond,
      Long cpuMillis,
      Long mapMillis,
      Long reduceMillis) {}

  private MapReduceBench(BenchHdfs hdfs, MiniMRYarnCluster yarn) {
    this.hdfs = hdfs;
    this.yarn = yarn;
  }

  /** Runs the bench and ends the JVM. */
  public static void main(String[] arguments) {
    BenchMain.run(
        "programs on YARN",
        main -> {
          try (BenchHdfs hdfs = BenchHdfs.start(main.folder())) {
            MiniMRYarnCluster yarn = BenchYarn.start(hdfs.cluster());
            // Ends the processes of its tasks.
            main.atEnd(yarn::stop);
            MapReduceBench bench = new MapReduceBench(hdfs, yarn);
            bench.measure(main.contestants(arguments[0]), arguments);
            return bench.results;
          }
        });
  }

  private void measure(List<Contestant> contestants, String[] arguments) throws Exception {
    int files = Integer.parseInt(arguments[2]);
    int mebibytes = Integer.parseInt(arguments[3]);
    long rows = Long.parseLong(arguments[4]);
    int repetitions = Integer.parseInt(arguments[5]);
    programs.put("dfsio", turn -> turn.dfsio(files, mebibytes));
    programs.put("tera", turn -> turn.tera(rows));
    programs.put("distcp", Turn::distcp);
    programs.put("sort", turn -> turn.sort(rows * ROW_BYTES));
    List<String> chosen = Arrays.asList(arguments[1].split(","));
    if (!programs.keySet().containsAll(chosen)) {
      throw new IllegalArgumentException(
          "Cannot measure '" + arguments[1] + "': programs are " + programs.keySet());
    }
    programs.keySet().retainAll(chosen);
    results.put("hadoop", VersionInfo.getVersion());
    results.put("policy", BenchHdfs.POLICY);
    results.put("files", files);
    results.put("fileMebibytes", mebibytes);
    results.put("rows", rows);
    results.put("samples", samples);
    hdfs.makeDirectories(contestants);
    run(inThisJvm(), new TeraGen(), String.valueOf(rows), SOURCE.toString());
    checksum = checksum(SOURCE);
    // The JVM of HDFS and YARN compiles while this runs. Its counters are those of no sample.
    Path unused = new Path("/unused");
    run(conf(Contestant.REPLICATION), new TeraGen(), String.valueOf(MAPS), unused.toString());
    newJobs();
    hdfs.fileSystem().delete(unused, true);
    for (int repetition = 0; repetition < repetitions; repetition++) {
      for (Contestant contestant : Contestant.inTurn(contestants, repetition, repetitions)) {
        System.err.println("repetition " + (repetition + 1) + ": " + contestant.label);
        Turn turn = new Turn(contestant, repetition);
        for (Program program : programs.values()) {
          program.run(turn);
        }
      }
    }
  }

  private Configuration conf(Contestant contestant) {
    Configuration conf = new Configuration(yarn.getConfig());
    contestant.settings().forEach(conf::set);
    conf.setInt("mapreduce.client.completion.pollinterval", 200);
    conf.setInt("mapreduce.client.progressmonitor.pollinterval", 200);
    return conf;
  }

  /** Returns the settings of a job that is not measured: no JVM starts for it. */
  private Configuration inThisJvm() {
    Configuration conf = conf(Contestant.RS_JAVA);
    conf.set("mapreduce.framework.name", "local");
    return conf;
  }

  /** The programs with one contestant. */
  private final class Turn {
    private final Contestant contestant;
    private final int repetition;

    Turn(Contestant contestant, int repetition) {
      this.contestant = contestant;
      this.repetition = repetition;
    }

    void dfsio(int files, int mebibytes) throws Exception {
      Path base = new Path(contestant.directory(), "dfsio");
      dfsio("dfsio-write", "-write", base, files, mebibytes);
      requireZeros(new Path(base, "io_data"), files, (long) mebibytes << 20);
      dfsio("dfsio-read", "-read", base, files, mebibytes);
      for (int count = 1; count <= contestant.tolerated(); count++) {
        String operation = "dfsio-read-dead" + count;
        // So that each contestant has to decode at least one file.
        hdfs.withoutDataOf(
            new Path(base, "io_data"),
            count,
            () -> dfsio(operation, "-read", base, files, mebibytes));
      }
      hdfs.fileSystem().delete(base, true);
    }

    private void dfsio(String operation, String action, Path base, int files, int mebibytes)
        throws Exception {
      Configuration conf = conf(contestant);
      conf.set("test.build.data", base.toString());
      java.nio.file.Path rates = Files.createTempFile("dfsio", ".txt");
      double seconds =
          run(
              conf,
              new TestDFSIO(),
              action,
              "-nrFiles",
              String.valueOf(files),
              "-size",
              mebibytes + "MB",
              "-resFile",
              rates.toString());
      Double throughput = null;
      for (String line : Files.readAllLines(rates)) {
        if (line.contains("Throughput mb/sec:")) {
          throughput = Double.valueOf(line.substring(line.indexOf(':') + 1).trim());
        }
      }
      Files.delete(rates);
      add(operation, seconds, throughput);
    }

    void tera(long rows) throws Exception {
      Path generated = new Path(contestant.directory(), "generated");
      Path sorted = new Path(contestant.directory(), "sorted");
      Path report = new Path(contestant.directory(), "report");
      add(
          "teragen",
          run(conf(contestant), new TeraGen(), String.valueOf(rows), generated.toString()),
          null);
      add(
          "terasort",
          run(conf(contestant), new TeraSort(), generated.toString(), sorted.toString()),
          null);
      requireChecksum(generated);
      validate(sorted, report);
      delete(generated, sorted);
    }

    void distcp() throws Exception {
      Path copy = new Path(contestant.directory(), "copy");
      Configuration conf = conf(contestant);
      double seconds = run(conf, new DistCp(conf, null), SOURCE.toString(), copy.toString());
      add("distcp", seconds, null);
      // What TestDFSIO writes would not show wrong parity.
      hdfs.withoutDataOf(copy, BenchHdfs.DEAD, () -> requireChecksum(copy));
      delete(copy);
    }

    void sort(long bytes) throws Exception {
      Path random = new Path(contestant.directory(), "random");
      Path sorted = new Path(contestant.directory(), "sorted");
      Configuration conf = conf(contestant);
      conf.setLong(RandomWriter.TOTAL_BYTES, bytes);
      conf.setLong(RandomWriter.BYTES_PER_MAP, bytes / MAPS);
      add("randomwriter", run(conf, new RandomWriter(), random.toString()), null);
      add("sort", run(conf(contestant), new Sort<>(), random.toString(), sorted.toString()), null);
      run(
          inThisJvm(),
          new SortValidator(),
          "-sortInput",
          random.toString(),
          "-sortOutput",
          sorted.toString());
      delete(random, sorted);
    }

    private void delete(Path... paths) throws IOException {
      for (Path path : paths) {
        hdfs.fileSystem().delete(path, true);
      }
    }

    /** Has TeraValidate check the order of rows with Hadoop's client and Java coder. */
    private void validate(Path sorted, Path report) throws Exception {
      run(inThisJvm(), new TeraValidate(), sorted.toString(), report.toString());
      String found = null;
      for (FileStatus part : hdfs.fileSystem().listStatus(report)) {
        try (BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(
                    hdfs.fileSystem().open(part.getPath()), StandardCharsets.UTF_8))) {
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("error")) {
              throw new IOException("Wrong bytes: " + line);
            }
            found = line.startsWith("checksum") ? line.substring("checksum\t".length()) : found;
          }
        }
      }
      hdfs.fileSystem().delete(report, true);
      if (!checksum.equals(found)) {
        throw new IOException("Wrong bytes: checksum " + found + ", not " + checksum);
      }
    }

    private void requireChecksum(Path rows) throws IOException {
      String found = checksum(rows);
      if (!checksum.equals(found)) {
        throw new IOException(
            "Wrong bytes: the rows in " + rows + " have checksum " + found + ", not " + checksum);
      }
    }

    private void add(String operation, double seconds, Double mibPerSecond) throws Exception {
      Counters counters = newJobs();
      samples.add(
          new Sample(
              contestant.label,
              operation,
              repetition,
              seconds,
              mibPerSecond,
              counters.findCounter(TaskCounter.CPU_MILLISECONDS).getValue(),
              counters.findCounter(JobCounter.MILLIS_MAPS).getValue(),
              counters.findCounter(JobCounter.MILLIS_REDUCES).getValue()));
    }
  }

  private static double run(Configuration conf, Tool tool, String... arguments) throws Exception {
    long start = System.nanoTime();
    int status = ToolRunner.run(conf, tool, arguments);
    double seconds = (System.nanoTime() - start) / 1e9;
    if (status != 0) {
      throw new IOException(tool.getClass().getSimpleName() + " ended with status " + status);
    }
    return seconds;
  }

  /**
   * Returns the checksum of all rows in a directory as TeraValidate prints it, the sum of their
   * CRC-32 in hexadecimal digits, from Hadoop's client and Java coder.
   */
  private String checksum(Path directory) throws IOException {
    long sum = 0;
    byte[] row = new byte[ROW_BYTES];
    CRC32 crc = new CRC32();
    try (FileSystem fs = FileSystem.get(hdfs.cluster().getURI(), conf(Contestant.RS_JAVA))) {
      for (FileStatus file : fs.globStatus(new Path(directory, "part-*"))) {
        try (FSDataInputStream in = fs.open(file.getPath())) {
          for (long at = 0; at < file.getLen(); at += row.length) {
            in.readFully(row);
            crc.reset();
            crc.update(row);
            sum += crc.getValue();
          }
        }
      }
    }
    return Long.toHexString(sum);
  }

  /** Returns the sum of the counters of the jobs since the last call. */
  private Counters newJobs() throws Exception {
    Counters sum = new Counters();
    Cluster jobs = new Cluster(yarn.getConfig());
    try {
      JobStatus[] all = jobs.getAllJobStatuses();
      Arrays.sort(all, Comparator.comparing(JobStatus::getStartTime));
      for (JobStatus status : all) {
        if (seenJobs.add(status.getJobID().toString())) {
          Job job = jobs.getJob(status.getJobID());
          Counters counters = job == null ? null : job.getCounters();
          if (counters != null) {
            sum.incrAllCounters(counters);
          }
        }
      }
    } finally {
      jobs.close();
    }
    return sum;
  }

  /**
   * Compares every byte of TestDFSIO's files, read by Hadoop's client and Java coder. They are 0,
   * because TestDFSIO fills its buffer before it has one.
   */
  private void requireZeros(Path directory, int files, long bytes) throws IOException {
    Configuration stock = conf(Contestant.RS_JAVA);
    try (FileSystem fs = FileSystem.get(hdfs.cluster().getURI(), stock)) {
      FileStatus[] found = fs.listStatus(directory);
      if (found.length != files) {
        throw new IOException("Wrong number of files: " + found.length + " in " + directory);
      }
      byte[] zeros = new byte[1 << 16];
      byte[] buffer = new byte[1 << 16];
      for (FileStatus file : found) {
        long at = 0;
        try (InputStream in = fs.open(file.getPath())) {
          for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            if (!Arrays.equals(buffer, 0, read, zeros, 0, read)) {
              throw new IOException("Wrong bytes from " + at + " on in " + file.getPath());
            }
            at += read;
          }
        }
        if (at != bytes) {
          throw new IOException("Wrong length " + at + " of " + file.getPath());
        }
      }
    }
  }
}
