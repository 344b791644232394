// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.fs.FileUtil;

/**
 * The frame of a bench's {@code main}: prints the results as one line of JSON, and nothing else, to
 * standard output, and deletes all files however the process ends. The property {@code
 * applications.folder} names an empty directory, which becomes that of temporary files, too.
 */
final class BenchMain {
  /** Set in the environment if this process must end with the one that writes to its input. */
  private static final String END_WITH_INPUT = "STRIPELINE_END_WITH_INPUT";

  /** As after SIGTERM. */
  private static final int TERMINATED = 143;

  private final Path folder;
  private final Deque<Runnable> ends = new ArrayDeque<>();

  private BenchMain(Path folder) {
    this.folder = folder;
  }

  /** A bench; its result is written as JSON. */
  interface Bench {
    Object run(BenchMain main) throws Exception;
  }

  /**
   * Runs a bench and ends the JVM.
   *
   * @param what what it measures, for messages
   */
  static void run(String what, Bench bench) {
    if (System.getenv(END_WITH_INPUT) != null) {
      Thread watch = new Thread(BenchMain::exitAtEndOfInput, "end-with-parent");
      watch.setDaemon(true);
      watch.start();
    }
    // Programs print to standard output, too.
    PrintStream out = System.out;
    System.setOut(System.err);
    int status = 1;
    try {
      BenchMain main = new BenchMain(Path.of(System.getProperty("applications.folder")));
      Runtime.getRuntime().addShutdownHook(new Thread(main::end, "end-bench"));
      Path temporary = Files.createDirectories(main.folder.resolve("tmp"));
      System.setProperty("java.io.tmpdir", temporary.toString());
      out.println(new GsonBuilder().serializeNulls().create().toJson(bench.run(main)));
      status = 0;
    } catch (Throwable e) {
      e.printStackTrace();
      System.err.println("Cannot measure " + what + ": " + e);
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

  Path folder() {
    return folder;
  }

  /** Adds something to do at the end, before the files are deleted and what was added earlier. */
  void atEnd(Runnable action) {
    synchronized (ends) {
      ends.push(action);
    }
  }

  private void end() {
    synchronized (ends) {
      ends.forEach(Runnable::run);
    }
    FileUtil.fullyDelete(folder.toFile());
  }
}
