// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileUtil;

/**
 * The frame of a bench's {@code main}: prints the results as one line of JSON, and nothing else, to
 * standard output, and deletes all files however the process ends. The property {@code
 * applications.folder} names an empty directory, which becomes that of temporary files, too.
 */
final class BenchMain {
  private static final Pattern JAR = Pattern.compile("/([^/]+?)-([0-9][^/]*)\\.jar$");

  /** By the name of its jar. */
  private static final Map<String, String> PROGRAMS =
      Map.of(
          "spark-core_2.13",
          "Spark",
          "duckdb_jdbc",
          "DuckDB",
          "accumulo-core",
          "Accumulo",
          "zookeeper",
          "ZooKeeper",
          "parquet-hadoop",
          "Parquet",
          "orc-core",
          "ORC");

  /** The least pause in which nothing makes a directory again, and how often to try. */
  private static final long DELETION_MILLIS = 100;

  private static final int DELETIONS_MAX = 100;

  private final Path folder;

  /** What the process ends with; a signal leaves it as it is. */
  private volatile int status = Jvm.TERMINATED;

  private final Map<String, String> leftOut = new LinkedHashMap<>();
  private final Deque<Runnable> ends = new ArrayDeque<>();

  private BenchMain(Path folder) {
    this.folder = folder;
  }

  /** A bench; its result is written as JSON. */
  interface Bench {
    Map<String, Object> run(BenchMain main) throws Exception;
  }

  /**
   * Runs a bench and ends the JVM.
   *
   * @param what what it measures, for messages
   */
  static void run(String what, Bench bench) {
    BenchMain main = new BenchMain(Path.of(System.getProperty("applications.folder")));
    Runtime.getRuntime().addShutdownHook(new Thread(main::end, "end-bench"));
    Jvm.endWithInput();
    // Programs print to standard output, too.
    PrintStream out = System.out;
    System.setOut(System.err);
    int status = 1;
    try {
      Path temporary = Files.createDirectories(main.folder.resolve("tmp"));
      System.setProperty("java.io.tmpdir", temporary.toString());
      Map<String, Object> results = bench.run(main);
      results.put("versions", versions());
      results.put("leftOut", main.leftOut);
      out.println(new GsonBuilder().serializeNulls().create().toJson(results));
      if (out.checkError()) {
        throw new IOException("standard output takes no more");
      }
      status = 0;
    } catch (Throwable e) {
      e.printStackTrace();
      System.err.println("Cannot measure " + what + ": " + e);
    }
    main.status = status;
    System.exit(status);
  }

  /** Returns the versions of programs that have a class path of their own, by their jars' names. */
  private static Map<String, String> versions() {
    Map<String, String> versions = new TreeMap<>();
    String engines = Objects.requireNonNullElse(System.getenv("ENGINES_CLASS_PATH"), "");
    for (String jar : engines.split(":")) {
      Matcher name = JAR.matcher(jar);
      if (name.find() && PROGRAMS.containsKey(name.group(1))) {
        versions.put(PROGRAMS.get(name.group(1)), name.group(2));
      }
    }
    if (!versions.containsKey("Accumulo")) {
      // Spark brings it, and does not run it.
      versions.remove("ZooKeeper");
    }
    return versions;
  }

  /**
   * Returns the contestants of a list that is separated by commas, without those that cannot be
   * measured on this machine; the results have the reasons.
   */
  List<Contestant> contestants(String labels) {
    List<Contestant> found = new ArrayList<>();
    for (Contestant contestant : Contestant.parse(labels)) {
      String absence = contestant.absence();
      if (absence == null) {
        found.add(contestant);
      } else {
        leftOut.put(contestant.label, absence);
      }
    }
    return found;
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
    // After a signal, the bench fails while its parts are ended, and changes the status.
    int ended = status;
    synchronized (ends) {
      for (Runnable action : ends) {
        try {
          action.run();
        } catch (RuntimeException e) {
          System.err.println("Cannot end a part of the bench: " + e);
        }
      }
    }
    // A cluster that a signal interrupts while it starts goes on making directories.
    for (int i = 0; i < DELETIONS_MAX && Files.exists(folder); i++) {
      FileUtil.fullyDelete(folder.toFile());
      try {
        Thread.sleep(DELETION_MILLIS);
      } catch (InterruptedException e) {
        break;
      }
    }
    Runtime.getRuntime().halt(ended);
  }
}
