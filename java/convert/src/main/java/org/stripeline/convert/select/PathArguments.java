// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.terminal.CommandStyle;

/** Paths of a command line, with globs that are expanded as Hadoop's shell does. */
public final class PathArguments {
  private PathArguments() {}

  /**
   * Returns whether a path is a glob: it has an asterisk, a question mark, a bracket, a brace or a
   * backslash.
   */
  public static boolean isGlob(String path) {
    return path.matches(".*[*?\\[{\\\\].*");
  }

  /** Returns a path in the form in which it is given as an argument that is not a glob. */
  public static String literal(String path) {
    return path.replaceAll("[*?\\[{\\\\]", "\\\\$0");
  }

  /**
   * Parses a path. Hadoop leaves a slash at the end of those that end with a {@code .} or {@code
   * ..}, so that the paths of files below would have two in a row.
   *
   * @throws IllegalArgumentException if it is not valid
   */
  public static Path parse(String text) {
    Path path = new Path(text);
    URI uri = path.toUri();
    String plain = uri.getPath();
    return plain.length() > 1 && plain.endsWith("/")
        ? new Path(uri.getScheme(), uri.getAuthority(), plain.substring(0, plain.length() - 1))
        : path;
  }

  /**
   * Returns the command line that resumes a job, without its other options.
   *
   * @param path what the job converts
   * @param job name of the job, or null
   */
  public static String resumeCommand(String path, String job) {
    return "stripeline convert "
        + CommandStyle.shellWord(literal(path))
        + " --resume"
        + (job == null ? "" : " --job=" + CommandStyle.shellWord(job));
  }

  /**
   * Expands globs, and leaves out paths that are the same as another one or below it.
   *
   * @throws RefusedException if a glob matches nothing or cannot be read, or a path is empty or not
   *     valid
   */
  public static List<String> expand(Configuration conf, List<String> given) throws IOException {
    Set<String> all = new LinkedHashSet<>();
    for (String path : given) {
      if (isGlob(path)) {
        all.addAll(matches(conf, path));
      } else {
        all.add(path);
      }
    }
    return withoutNested(all);
  }

  /**
   * Leaves out paths that are the same as another one or below it.
   *
   * @throws RefusedException if a path is empty or not valid
   */
  public static List<String> withoutNested(Collection<String> all) throws RefusedException {
    // Of two spellings of one path, such as /a and /a/, the first counts.
    Map<Path, String> spellings = new LinkedHashMap<>();
    for (String path : all) {
      try {
        spellings.putIfAbsent(parse(path), path);
      } catch (IllegalArgumentException e) {
        throw new RefusedException("Cannot use the path '" + path + "': " + e.getMessage());
      }
    }
    List<String> joined = new ArrayList<>();
    spellings.forEach(
        (path, spelling) -> {
          if (!isBelowAny(path, spellings.keySet())) {
            joined.add(spelling);
          }
        });
    return joined;
  }

  /**
   * Expands a path of a file system.
   *
   * @throws RefusedException if it is a glob that matches nothing or cannot be read
   */
  public static List<String> expand(FileSystem fs, String path) throws IOException {
    return isGlob(path) ? matches(fs, path, false) : Collections.singletonList(path);
  }

  /** Expands globs with the configuration of the class path. */
  public static List<String> expand(List<String> given) throws IOException {
    return expand(new HdfsConfiguration(), given);
  }

  private static boolean isBelowAny(Path path, Set<Path> others) {
    for (Path at = path.getParent(); at != null; at = at.getParent()) {
      if (others.contains(at)) {
        return true;
      }
    }
    return false;
  }

  private static List<String> matches(Configuration conf, String glob) throws IOException {
    Path pattern;
    try {
      pattern = new Path(glob);
    } catch (IllegalArgumentException e) {
      throw new RefusedException("Cannot expand " + glob + ": " + e.getMessage());
    }
    boolean isQualified = pattern.toUri().getScheme() != null;
    URI uri = isQualified ? pattern.toUri() : FileSystem.getDefaultUri(conf);
    try (FileSystem fs = FileSystem.newInstance(uri, conf)) {
      return matches(fs, glob, isQualified);
    } catch (IllegalArgumentException e) {
      // Hadoop throws this exception for an unknown host.
      throw new IOException("Cannot expand " + glob + ": " + e.getMessage(), e);
    }
  }

  private static List<String> matches(FileSystem fs, String glob, boolean isQualified)
      throws IOException {
    List<String> found = new ArrayList<>();
    try {
      FileStatus[] statuses = fs.globStatus(new Path(glob));
      for (FileStatus status : statuses == null ? new FileStatus[0] : statuses) {
        Path path = status.getPath();
        found.add(isQualified ? path.toString() : path.toUri().getPath());
      }
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).startsWith("Illegal file pattern")) {
        throw new RefusedException("Cannot expand " + glob + ": " + e.getMessage());
      }
      throw e;
    }
    if (found.isEmpty()) {
      throw new RefusedException(
          "Cannot expand "
              + glob
              + ": nothing matches it"
              + (isQualified ? "" : " on " + fs.getUri()));
    }
    return found;
  }
}
