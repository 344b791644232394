// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.stripeline.lab.cluster.ChildJvm;

/** What measures: the commit of a checkout, this machine, its libraries and programs, and Java. */
final class Origin {
  /** Stands for the commit where there is no checkout, or no git. */
  private static final String UNKNOWN = "unknown";

  private Origin() {}

  /** Returns all that figures depend on besides the command, from a report that describes it. */
  static String of(EvaluationReport report) {
    return String.join(
        "; ",
        report.commit,
        report.versions.toString(),
        report.machine.processors + " x " + report.machine.processorName(),
        "kernel " + report.machine.kernel,
        "Hadoop " + report.hadoop,
        "Java " + report.java,
        ManagementFactory.getRuntimeMXBean().getInputArguments().toString());
  }

  /**
   * Returns the commit of a checkout.
   *
   * @return such as 0a1b..., followed by "with changes" and a digest of them if files differ from
   *     it; {@link #UNKNOWN} in installations
   */
  static String commit(Path home) throws InterruptedException {
    if (!Files.exists(home.resolve(".git"))) {
      return UNKNOWN;
    }
    List<String> commit = lines("git", "-C", home.toString(), "rev-parse", "HEAD");
    if (commit.isEmpty()) {
      return UNKNOWN;
    }
    List<String> changes = lines("git", "-C", home.toString(), "diff", "HEAD", "--no-ext-diff");
    return changes.isEmpty()
        ? commit.get(0)
        : commit.get(0) + " with changes " + Integer.toHexString(changes.hashCode());
  }

  /** Returns the versions of what contestants use of this machine, as far as it is there. */
  static Map<String, String> versions() throws InterruptedException {
    Map<String, String> versions = new TreeMap<>();
    // The name of the file ends in the version; the libraries themselves do not tell it.
    for (String line : lines("/sbin/ldconfig", "-p")) {
      int path = line.indexOf("=> ");
      if (path > 0) {
        addLibrary(versions, "ISA-L", "libisal.so.", line.substring(path + 3));
        addLibrary(versions, "Jerasure", "libJerasure.so.", line.substring(path + 3));
      }
    }
    for (String line : lines("memcached", "--version")) {
      versions.put("memcached", line.replace("memcached", "").trim());
    }
    return versions;
  }

  private static void addLibrary(
      Map<String, String> versions, String name, String file, String path) {
    if (path.contains("/" + file)) {
      try {
        String real = Paths.get(path).toRealPath().getFileName().toString();
        versions.putIfAbsent(name, real.replace(file, "library "));
      } catch (IOException gone) {
        // The list of libraries is older than their removal.
      }
    }
  }

  /** Returns what a command prints; nothing if it cannot be run or fails. */
  private static List<String> lines(String... command) throws InterruptedException {
    List<String> lines = new ArrayList<>();
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectError(new File("/dev/null"));
      return ChildJvm.run(builder, lines) == 0 ? lines : Collections.emptyList();
    } catch (IOException e) {
      return Collections.emptyList();
    }
  }
}
