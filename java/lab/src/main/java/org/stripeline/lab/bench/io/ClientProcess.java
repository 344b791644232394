// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.erasurecode.rawcoder.IsalCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.stripeline.lab.bench.io.client.ClientAnswer;
import org.stripeline.lab.bench.io.client.ClientMain;
import org.stripeline.lab.bench.io.client.ClientRequest;
import org.stripeline.lab.cluster.ChildJvm;

/** Controls a client JVM. The JVM only executes requests, and ends with this process. */
final class ClientProcess implements AutoCloseable {
  /** Longer than any read of Hadoop's client that encounters a hung DataNode. */
  private static final long ANSWER_SECONDS = 900;

  private static final long END_SECONDS = 20;

  private final String name;
  private final IoContestant contestant;
  private final Process process;
  private final Path log;
  private final Writer requests;
  private final BufferedReader answers;
  private final ScheduledExecutorService watchdog;
  private boolean ended;

  private ClientProcess(String name, IoContestant contestant, Process process, Path log) {
    this.name = name;
    this.contestant = contestant;
    this.process = process;
    this.log = log;
    requests = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    watchdog =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "watch " + name);
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Starts a JVM and waits until its client is open.
   *
   * @param name names it in messages, and its file in {@code logs}
   * @param prefix runs the command that follows it; possibly empty
   * @param heapMib heap in MiB, touched completely at the start so that heap growth affects no
   *     contestant
   * @param more further arguments of the JVM
   * @param classPath directories that are last on the class path
   * @param logs directory of a file that receives the client's standard error
   */
  static ClientProcess start(
      String name,
      IoContestant contestant,
      Map<String, String> settings,
      List<String> prefix,
      int heapMib,
      List<String> more,
      List<Path> classPath,
      Path logs)
      throws IOException {
    List<String> arguments =
        new ArrayList<>(
            Arrays.asList(
                "-Xms" + heapMib + "m",
                "-Xmx" + heapMib + "m",
                "-XX:+AlwaysPreTouch",
                "-XX:+UseParallelGC"));
    arguments.addAll(more);
    ProcessBuilder builder =
        ChildJvm.of(prefix, arguments, ClientMain.class, Collections.emptyList());
    for (Path directory : classPath) {
      builder
          .environment()
          .compute("CLASSPATH", (key, path) -> path + File.pathSeparator + directory);
    }
    Path log = logs.resolve(name + ".log");
    builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    ClientProcess client = new ClientProcess(name, contestant, builder.start(), log);
    try {
      client.exchange(ClientMain.GSON.toJson(settings));
      return client;
    } catch (IOException e) {
      client.close();
      throw e;
    }
  }

  /**
   * Fills a directory for the class path of clients, before any configuration of the user. It
   * registers the benchmark's own coders, which the jar does not register, and has empty site
   * files, so that clients have only the settings that they are given.
   */
  static Path makeFirst(Path folder) throws IOException {
    Path file = folder.resolve("META-INF/services/" + RawErasureCoderFactory.class.getName());
    Files.createDirectories(file.getParent());
    Files.write(file, (IsalCoderFactory.class.getName() + "\n").getBytes(StandardCharsets.UTF_8));
    for (String site : new String[] {"core-site.xml", "hdfs-site.xml"}) {
      Files.write(folder.resolve(site), "<configuration/>".getBytes(StandardCharsets.UTF_8));
    }
    return folder;
  }

  IoContestant contestant() {
    return contestant;
  }

  /** Returns whether the JVM has ended, as happens if the kernel kills it for its memory use. */
  boolean hasEnded() {
    return ended;
  }

  /**
   * Sends a request to the client; if its JVM ends or does not respond, the answer has an error.
   */
  ClientAnswer ask(ClientRequest request) {
    try {
      return exchange(ClientMain.GSON.toJson(request));
    } catch (IOException | RejectedExecutionException e) {
      ended = true;
      ClientAnswer answer = new ClientAnswer();
      answer.error = e.getMessage();
      return answer;
    }
  }

  private ClientAnswer exchange(String line) throws IOException {
    ScheduledFuture<?> tooLate =
        watchdog.schedule(process::destroyForcibly, ANSWER_SECONDS, TimeUnit.SECONDS);
    try {
      String answer = answerTo(line);
      if (answer == null) {
        throw new IOException(
            "Cannot continue: the client JVM of "
                + name
                + " has ended or was silent for "
                + ANSWER_SECONDS
                + " s"
                + lastError());
      }
      return ClientMain.GSON.fromJson(answer, ClientAnswer.class);
    } finally {
      tooLate.cancel(false);
    }
  }

  /** Returns the client's answer, or null if its JVM ended. */
  private String answerTo(String line) {
    try {
      requests.write(line + "\n");
      requests.flush();
      return answers.readLine();
    } catch (IOException e) {
      // Java closes the streams of a process that has been killed.
      return null;
    }
  }

  /** Returns the last exception in the client's log, to complete a message. */
  private String lastError() throws IOException {
    String last = "";
    // Programs may print in another encoding.
    for (String line : new String(Files.readAllBytes(log), StandardCharsets.UTF_8).split("\n")) {
      last = line.contains("Exception") || line.contains("Error") ? ": " + line.trim() : last;
    }
    return last;
  }

  @Override
  public void close() throws IOException {
    watchdog.shutdownNow();
    try {
      requests.close();
    } catch (IOException gone) {
      // The JVM has already ended, which was reported before.
    }
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
