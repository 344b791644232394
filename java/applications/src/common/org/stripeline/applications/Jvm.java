// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A main class in a JVM of its own, which can be killed. */
final class Jvm implements AutoCloseable {
  /** Set in the environment if this process must end with the one that writes to its input. */
  private static final String END_WITH_INPUT = "STRIPELINE_END_WITH_INPUT";

  /** As after SIGTERM. */
  static final int TERMINATED = 143;

  private final Process process;
  private final String main;

  private Jvm(Process process, String main) {
    this.process = process;
    this.main = main;
    // Nothing stays behind when this JVM is ended from outside.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
  }

  /** What a JVM runs with: its class path, its options and the folder of its log. */
  record Setting(String classPath, List<String> options, Path folder) {
    /** Returns the same with further options. */
    Setting with(String... more) {
      List<String> all = new ArrayList<>(options);
      all.addAll(List.of(more));
      return new Setting(classPath, all, folder);
    }

    /** Starts a main class, whose standard output is read with {@link Jvm#output}. */
    Jvm start(String main, String... arguments) throws IOException {
      return start(false, List.of(main), arguments);
    }

    /** Starts a main class whose standard output goes to its log. */
    Jvm startLogged(String main, String... arguments) throws IOException {
      return start(true, List.of(main), arguments);
    }

    /** As {@link #startLogged}; the process ends with this one, also if this one is killed. */
    Jvm startServer(String main, String... arguments) throws IOException {
      return start(true, List.of(ServerMain.class.getName(), main), arguments);
    }

    private Jvm start(boolean logged, List<String> mains, String... arguments) throws IOException {
      String main = mains.get(mains.size() - 1);
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(options);
      command.addAll(List.of("-cp", classPath));
      command.addAll(mains);
      command.addAll(List.of(arguments));
      ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
      ProcessBuilder.Redirect log =
          ProcessBuilder.Redirect.appendTo(
              folder.resolve(main.substring(main.lastIndexOf('.') + 1) + ".log").toFile());
      builder.redirectError(log);
      if (logged) {
        builder.redirectOutput(log);
      }
      return new Jvm(builder.start(), main);
    }
  }

  /** Returns the reader of the standard output. */
  BufferedReader output() {
    return process.inputReader();
  }

  /** Returns the standard input. */
  OutputStream input() {
    return process.getOutputStream();
  }

  /** Ends this process with the one that writes to its input, if the environment says so. */
  static void endWithInput() {
    if (System.getenv(END_WITH_INPUT) != null) {
      atEndOfInput(() -> System.exit(TERMINATED));
    }
  }

  /** Runs an action when the process that writes to the input has ended. */
  static void atEndOfInput(Runnable action) {
    Thread watch =
        new Thread(
            () -> {
              try {
                System.in.transferTo(OutputStream.nullOutputStream());
              } catch (IOException e) {
                // The other end is gone.
              }
              action.run();
            },
            "end-with-parent");
    watch.setDaemon(true);
    watch.start();
  }

  /**
   * Starts a ZooKeeper.
   *
   * @param setting what it runs with
   * @param port where it listens
   */
  static Jvm startZooKeeper(Setting setting, int port) throws IOException {
    return setting
        .with("-Xmx128m", "-Dzookeeper.admin.enableServer=false")
        .startServer(
            "org.apache.zookeeper.server.ZooKeeperServerMain",
            Integer.toString(port),
            setting.folder().resolve("zookeeper").toString());
  }

  /** Kills the process without warning; what it has printed can still be read. */
  void kill() throws InterruptedException {
    process.toHandle().destroyForcibly();
    process.waitFor();
  }

  /** Has this process killed when the other one ends. */
  void endWith(Jvm other) {
    other.process.onExit().thenRun(process::destroyForcibly);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for the end of the process and fails if it was not orderly. */
  void waitForEnd() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(5, TimeUnit.MINUTES) || process.exitValue() != 0) {
      throw new IOException(main + " did not end in order; see its log");
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
