// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import com.google.gson.GsonBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
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
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.terasort.TeraGen;
import org.apache.hadoop.examples.terasort.TeraSort;
import org.apache.hadoop.examples.terasort.TeraValidate;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.TestDFSIO;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
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
 * Hadoop's own programs on YARN, over directories with each coder and client: TestDFSIO, TeraGen,
 * TeraSort, TeraValidate and distcp of replicated files. Prints the results as one line of JSON.
 * Files are read back by Hadoop's client and Java coder, and sorted data must have the checksum of
 * what was generated.
 *
 * <p>Arguments: contestants separated by commas, files, MiB of each file, rows of TeraGen,
 * repetitions. The property {@code applications.folder} names an empty directory.
 */
public final class MapReduceBench {
  private static final String POLICY = "RS-6-3-1024k";

  /** Set in the environment if this process must end with the one that writes to its input. */
  private static final String END_WITH_INPUT = "STRIPELINE_END_WITH_INPUT";

  /** As after SIGTERM. */
  private static final int TERMINATED = 143;

  private static final int DATA_NODES = 9;
  private static final int DEAD = 2;

  /** Replicated rows, which distcp copies. */
  private static final Path SOURCE = new Path("/source");

  /** Application masters inject classes, which needs the access that Java 8 allowed. */
  private static final String TASK_OPTIONS =
      "-Xmx512m -XX:+UseSerialGC --add-opens=java.base/java.lang=ALL-UNNAMED";

  private final Map<String, Object> results = new LinkedHashMap<>();
  private final List<Sample> samples = new ArrayList<>();
  private final Set<String> seenJobs = new TreeSet<>();
  private final MiniDFSCluster hdfs;
  private final MiniMRYarnCluster yarn;

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

  /** A way to store files. */
  enum Contestant {
    REPLICATION("3-rep"),
    RS_JAVA("rs_java"),
    CODER("coder"),
    PIPELINES("functional-partitioned");

    final String label;

    Contestant(String label) {
      this.label = label;
    }

    static Contestant parse(String label) {
      for (Contestant contestant : values()) {
        if (contestant.label.equals(label)) {
          return contestant;
        }
      }
      throw new IllegalArgumentException("Cannot measure '" + label + "': unknown contestant");
    }

    Path directory() {
      return new Path("/" + label);
    }

    /** Adds the settings of its clients. */
    void configure(Configuration conf) {
      // Contestants share one JVM here, and the cache of file systems ignores their settings.
      conf.setBoolean("fs.hdfs.impl.disable.cache", true);
      // distcp compares the checksums of both files, which otherwise depend on their layout.
      conf.set("dfs.checksum.combine.mode", "COMPOSITE_CRC");
      conf.setInt("mapreduce.client.completion.pollinterval", 200);
      conf.setInt("mapreduce.client.progressmonitor.pollinterval", 200);
      if (this == RS_JAVA) {
        conf.set("io.erasurecode.codec.rs.rawcoders", "rs_java");
      } else if (this == CODER) {
        conf.set("io.erasurecode.codec.rs.rawcoders", "stripeline");
      } else if (this == PIPELINES) {
        conf.set("fs.hdfs.impl", "org.apache.hadoop.hdfs.StripelineFileSystem");
        conf.set("fs.AbstractFileSystem.hdfs.impl", "org.apache.hadoop.fs.StripelineHdfs");
      }
    }
  }

  private MapReduceBench(MiniDFSCluster hdfs, MiniMRYarnCluster yarn) {
    this.hdfs = hdfs;
    this.yarn = yarn;
  }

  /** Runs the bench and ends the JVM. */
  public static void main(String[] arguments) {
    if (System.getenv(END_WITH_INPUT) != null) {
      Thread watch = new Thread(MapReduceBench::exitAtEndOfInput, "end-with-parent");
      watch.setDaemon(true);
      watch.start();
    }
    // The programs print to standard output, which is to hold the result alone.
    PrintStream out = System.out;
    System.setOut(System.err);
    int status = 1;
    try {
      out.println(run(arguments));
      status = 0;
    } catch (Throwable e) {
      e.printStackTrace();
      System.err.println("Cannot measure programs on YARN: " + e);
    }
    System.exit(status);
  }

  private static void exitAtEndOfInput() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // The other end is gone.
    }
    System.exit(TERMINATED);
  }

  private static String run(String[] arguments) throws Exception {
    java.nio.file.Path folder = java.nio.file.Path.of(System.getProperty("applications.folder"));
    CleanUp cleanUp = new CleanUp(folder);
    Runtime.getRuntime().addShutdownHook(cleanUp);
    System.setProperty("java.io.tmpdir", Files.createDirectories(folder.resolve("tmp")).toString());
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.resolve("hdfs").toString());
    conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
    // Blocks that are lost for a while stay lost: rebuilding would compete with the programs.
    conf.setInt("dfs.namenode.replication.max-streams", 0);
    conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 0);
    try (MiniDFSCluster hdfs = new MiniDFSCluster.Builder(conf).numDataNodes(DATA_NODES).build()) {
      hdfs.waitActive();
      MiniMRYarnCluster yarn = startYarn(hdfs);
      cleanUp.yarn = yarn;
      MapReduceBench bench = new MapReduceBench(hdfs, yarn);
      bench.measure(arguments);
      return new GsonBuilder().serializeNulls().create().toJson(bench.results);
    }
  }

  /** Ends the processes of YARN's tasks, however this one ends, and deletes all files. */
  private static final class CleanUp extends Thread {
    volatile MiniMRYarnCluster yarn;
    private final java.nio.file.Path folder;

    CleanUp(java.nio.file.Path folder) {
      this.folder = folder;
    }

    @Override
    public void run() {
      if (yarn != null) {
        yarn.stop();
      }
      FileUtil.fullyDelete(folder.toFile());
    }
  }

  private static MiniMRYarnCluster startYarn(MiniDFSCluster hdfs) throws Exception {
    Configuration conf = new Configuration(hdfs.getConfiguration(0));
    conf.set("fs.defaultFS", hdfs.getURI().toString());
    conf.set("yarn.app.mapreduce.am.staging-dir", "/staging");
    conf.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
    conf.setBoolean("yarn.nodemanager.pmem-check-enabled", false);
    conf.setBoolean("yarn.nodemanager.disk-health-checker.enable", false);
    conf.setInt("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 100);
    conf.setInt("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", 100);
    conf.setInt("yarn.scheduler.minimum-allocation-mb", 256);
    conf.setInt("yarn.app.mapreduce.am.resource.mb", 512);
    conf.set("yarn.app.mapreduce.am.command-opts", TASK_OPTIONS);
    for (String kind : new String[] {"map", "reduce"}) {
      conf.setInt("mapreduce." + kind + ".memory.mb", 768);
      conf.set("mapreduce." + kind + ".java.opts", TASK_OPTIONS);
      // A second attempt beside a slow one would count twice.
      conf.setBoolean("mapreduce." + kind + ".speculative", false);
    }
    conf.setInt("mapreduce.task.io.sort.mb", 64);
    MiniMRYarnCluster yarn = new MiniMRYarnCluster("stripeline-evaluate", 1);
    yarn.init(conf);
    yarn.start();
    return yarn;
  }

  private void measure(String[] arguments) throws Exception {
    List<Contestant> contestants = new ArrayList<>();
    for (String label : arguments[0].split(",")) {
      contestants.add(Contestant.parse(label));
    }
    int files = Integer.parseInt(arguments[1]);
    int mebibytes = Integer.parseInt(arguments[2]);
    long rows = Long.parseLong(arguments[3]);
    int repetitions = Integer.parseInt(arguments[4]);
    results.put("hadoop", VersionInfo.getVersion());
    results.put("policy", POLICY);
    results.put("files", files);
    results.put("fileMebibytes", mebibytes);
    results.put("rows", rows);
    results.put("samples", samples);
    makeDirectories(contestants);
    Configuration stock = new Configuration(yarn.getConfig());
    Contestant.RS_JAVA.configure(stock);
    run(stock, new TeraGen(), String.valueOf(rows), SOURCE.toString());
    newJobs();
    for (int repetition = 0; repetition < repetitions; repetition++) {
      for (Contestant contestant : contestants) {
        System.err.println("repetition " + (repetition + 1) + ": " + contestant.label);
        Turn turn = new Turn(contestant, repetition);
        turn.dfsio(files, mebibytes);
        turn.tera(rows);
      }
    }
  }

  private void makeDirectories(List<Contestant> contestants) throws IOException {
    DistributedFileSystem fs = hdfs.getFileSystem();
    fs.enableErasureCodingPolicy(POLICY);
    for (Contestant contestant : contestants) {
      fs.mkdirs(contestant.directory());
      if (contestant != Contestant.REPLICATION) {
        fs.setErasureCodingPolicy(contestant.directory(), POLICY);
      }
    }
  }

  /** The programs with one contestant. */
  private final class Turn {
    private final Contestant contestant;
    private final int repetition;

    Turn(Contestant contestant, int repetition) {
      this.contestant = contestant;
      this.repetition = repetition;
    }

    private Configuration conf() {
      Configuration conf = new Configuration(yarn.getConfig());
      contestant.configure(conf);
      return conf;
    }

    void dfsio(int files, int mebibytes) throws Exception {
      Path base = new Path(contestant.directory(), "dfsio");
      dfsio("dfsio-write", "-write", base, files, mebibytes);
      requireZeros(new Path(base, "io_data"), files, (long) mebibytes << 20);
      dfsio("dfsio-read", "-read", base, files, mebibytes);
      withDead(() -> dfsio("dfsio-read-dead" + DEAD, "-read", base, files, mebibytes));
      hdfs.getFileSystem().delete(base, true);
    }

    private void dfsio(String operation, String action, Path base, int files, int mebibytes)
        throws Exception {
      Configuration conf = conf();
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
      Path copy = new Path(contestant.directory(), "copy");
      add("teragen", run(conf(), new TeraGen(), String.valueOf(rows), generated.toString()), null);
      add("terasort", run(conf(), new TeraSort(), generated.toString(), sorted.toString()), null);
      String expected = checksum(SOURCE, report);
      if (!expected.equals(checksum(generated, report))) {
        throw new IOException("Wrong bytes: generated rows differ, " + generated);
      }
      if (!expected.equals(checksum(sorted, report))) {
        throw new IOException("Wrong bytes: sorted rows differ, " + sorted);
      }
      double seconds = run(conf(), new DistCp(conf(), null), SOURCE.toString(), copy.toString());
      add("distcp", seconds, null);
      // What TestDFSIO writes would not show wrong parity.
      withDead(
          () -> {
            if (!expected.equals(checksum(copy, report))) {
              throw new IOException(
                  "Wrong bytes: the copy differs without some DataNodes, " + copy);
            }
          });
      for (Path path : new Path[] {generated, sorted, copy}) {
        hdfs.getFileSystem().delete(path, true);
      }
    }

    /** Returns the checksum of all rows by TeraValidate with Hadoop's client and Java coder. */
    private String checksum(Path rows, Path report) throws Exception {
      Configuration stock = new Configuration(yarn.getConfig());
      Contestant.RS_JAVA.configure(stock);
      run(stock, new TeraValidate(), rows.toString(), report.toString());
      newJobs();
      String checksum = null;
      for (FileStatus part : hdfs.getFileSystem().listStatus(report)) {
        try (FSDataInputStream in = hdfs.getFileSystem().open(part.getPath());
            BufferedReader lines =
                new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            // Rows that were not sorted yet give lines of another kind.
            checksum = line.startsWith("checksum") ? line : checksum;
            if (rows.getName().equals("sorted") && line.startsWith("error")) {
              throw new IOException("Wrong bytes: " + line);
            }
          }
        }
      }
      hdfs.getFileSystem().delete(report, true);
      if (checksum == null) {
        throw new IOException("TeraValidate printed no checksum of " + rows);
      }
      return checksum;
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

  private interface Action {
    void run() throws Exception;
  }

  /** Runs an action while some DataNodes are down. */
  private void withDead(Action action) throws Exception {
    List<MiniDFSCluster.DataNodeProperties> dead = new ArrayList<>();
    try {
      for (int i = 0; i < DEAD; i++) {
        dead.add(hdfs.stopDataNode(0));
      }
      action.run();
    } finally {
      for (MiniDFSCluster.DataNodeProperties node : dead) {
        hdfs.restartDataNode(node, true);
      }
      hdfs.waitActive();
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
    Configuration stock = new Configuration(yarn.getConfig());
    Contestant.RS_JAVA.configure(stock);
    try (FileSystem fs = FileSystem.get(hdfs.getURI(), stock)) {
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
