// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io.client;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.reflect.TypeToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.stripeline.lab.bench.ProcessTime;

/**
 * Main class of a client JVM: reads its configuration and then requests, one line of JSON each, and
 * writes one answer for each request. It ends at the end of its input.
 */
public final class ClientMain implements AutoCloseable {
  public static final Gson GSON = new GsonBuilder().serializeSpecialFloatingPointValues().create();

  private static final double NANOS_PER_MICRO = 1e3;

  private final Pattern pattern = new Pattern();
  private final Configuration conf;
  private final FileSystem fs;
  private int freshClients;

  private ClientMain(Map<String, String> settings) throws IOException {
    conf = new HdfsConfiguration();
    settings.forEach(conf::set);
    // A cluster of the user may require Kerberos.
    UserGroupInformation.setConfiguration(conf);
    fs = open(conf);
  }

  /**
   * Runs the client.
   *
   * @param arguments none
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    PrintStream answers = System.out;
    // Other output must not appear between the answers.
    System.setOut(System.err);
    // Clients log a warning with a stack trace for each dead DataNode; relevant errors are
    // exceptions.
    Logger.getLogger("org.apache.hadoop.hdfs").setLevel(Level.ERROR);
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Map<String, String> settings =
        GSON.fromJson(requests.readLine(), new TypeToken<Map<String, String>>() {}.getType());
    try (ClientMain client = new ClientMain(settings)) {
      answers.println(GSON.toJson(new ClientAnswer()));
      BlockingQueue<String> lines = new LinkedBlockingQueue<>();
      Thread reader = new Thread(() -> read(requests, lines), "requests");
      reader.setDaemon(true);
      reader.start();
      while (true) {
        ClientRequest request = GSON.fromJson(lines.take(), ClientRequest.class);
        answers.println(GSON.toJson(client.answer(request)));
        answers.flush();
      }
    }
  }

  /** Reads requests, and ends the process with its bench, also in the middle of a request. */
  private static void read(BufferedReader requests, BlockingQueue<String> lines) {
    try {
      for (String line = requests.readLine(); line != null; line = requests.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      e.printStackTrace();
    }
    Runtime.getRuntime().halt(0);
  }

  private static FileSystem open(Configuration conf) throws IOException {
    return FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf);
  }

  private ClientAnswer answer(ClientRequest request) {
    ClientAnswer answer = new ClientAnswer();
    try {
      if (request.fresh) {
        Configuration own = new Configuration(conf);
        // Clients with the same context share connections.
        own.set("dfs.client.context", "fresh-" + freshClients++);
        try (FileSystem ownFs = open(own)) {
          run(ownFs, request, answer);
        }
      } else {
        run(fs, request, answer);
      }
    } catch (IOException | RuntimeException | Error e) {
      answer.error = e.toString();
      e.printStackTrace();
    } catch (InterruptedException e) {
      answer.error = "interrupted";
    }
    return answer;
  }

  private void run(FileSystem on, ClientRequest request, ClientAnswer answer)
      throws IOException, InterruptedException {
    int threads = request.paths.size();
    List<FileTask> tasks = new ArrayList<>();
    List<Future<Long>> results = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CountDownLatch ready = new CountDownLatch(threads);
    CountDownLatch begin = new CountDownLatch(1);
    try {
      for (int file = 0; file < threads; file++) {
        FileTask task = new FileTask(on, pattern, request, file);
        task.prepare();
        tasks.add(task);
        results.add(
            pool.submit(
                () -> {
                  ready.countDown();
                  begin.await();
                  return task.run();
                }));
      }
      ready.await();
      double server = ProcessTime.of(request.servers);
      double client = ProcessTime.ofSelf();
      long started = System.nanoTime();
      begin.countDown();
      answer.bytes = await(results, answer);
      answer.seconds = (System.nanoTime() - started) / 1e9;
      answer.clientCpuSeconds = ProcessTime.ofSelf() - client;
      answer.serverCpuSeconds = ProcessTime.of(request.servers) - server;
      answer.stream = tasks.get(0).stream();
      if (tasks.get(0).latencies().getTotalCount() > 0) {
        answer.latency = latency(tasks);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  /** Waits for all threads, so that none is still running when the next request arrives. */
  private static long await(List<Future<Long>> results, ClientAnswer answer)
      throws InterruptedException {
    long bytes = 0;
    for (Future<Long> result : results) {
      try {
        bytes += result.get();
      } catch (ExecutionException e) {
        e.getCause().printStackTrace();
        if (answer.error == null) {
          answer.error = e.getCause().toString();
        }
      }
    }
    return bytes;
  }

  private static ClientAnswer.Latency latency(List<FileTask> tasks) {
    Histogram all = new Histogram(3);
    for (FileTask task : tasks) {
      all.add(task.latencies());
    }
    ClientAnswer.Latency latency = new ClientAnswer.Latency();
    latency.count = all.getTotalCount();
    latency.mean = all.getMean() / NANOS_PER_MICRO;
    latency.p50 = all.getValueAtPercentile(50) / NANOS_PER_MICRO;
    latency.p99 = all.getValueAtPercentile(99) / NANOS_PER_MICRO;
    latency.max = all.getMaxValue() / NANOS_PER_MICRO;
    return latency;
  }

  @Override
  public void close() throws IOException {
    fs.close();
  }
}
