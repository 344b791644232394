// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.stripeline.convert.service.TimeWindow;
import org.stripeline.convert.settings.FileFilter;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.PathPattern;

/** One rule of a rules file: which files it takes, and what is done with them and when. */
final class Rule {
  /** Files of a job that are sorted at a time; each takes some hundred bytes. */
  private static final int SORTED_FILES = 50_000;

  /** Name of the rule, unique in its file. */
  String name;

  /** Line at which it begins. */
  int line;

  /** Which files it takes and from what age on; {@code under} has its paths. */
  FileFilter files;

  /** Whether its files are left as they are. */
  boolean isLeave;

  /** When its files may be converted; null for any time. */
  TimeWindow window;

  /** How its files are converted, except for the path; null if they are left. */
  JobSettings settings;

  /** A line that names the layout, for people. */
  String layoutText;

  /** The paths; null until they are needed. */
  private List<PathPattern> patterns;

  /** Returns whether every file of another rule is one of this rule. */
  boolean hides(Rule other) {
    boolean takesAny = files.glob == null && files.owner == null && files.bytesMin == 0;
    return takesAny
        && other.patterns().stream()
            .allMatch(path -> patterns().stream().anyMatch(one -> one.covers(path)));
  }

  private List<PathPattern> patterns() {
    if (patterns == null) {
      patterns = files.under.stream().map(PathPattern::new).collect(Collectors.toList());
    }
    return patterns;
  }

  /**
   * Returns the settings of a job that carries out this rule.
   *
   * @param earlier the rules before this one, whose files it leaves to them
   */
  JobSettings job(String path, List<Rule> earlier) {
    JobSettings job = settings.copy();
    job.path = path;
    job.rule = name;
    job.sortedFiles = SORTED_FILES;
    job.rules.except = new ArrayList<>();
    earlier.forEach(other -> job.rules.except.add(other.files));
    return job;
  }

  /** Returns the name and line, for messages. */
  @Override
  public String toString() {
    return "rule " + name + " (line " + line + ")";
  }
}
