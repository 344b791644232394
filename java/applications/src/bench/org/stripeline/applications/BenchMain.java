// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import com.google.gson.GsonBuilder;
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
    Jvm.endWithInput();
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
