// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.select.PathArguments;
import org.stripeline.convert.select.TreeWalk;
import org.stripeline.convert.settings.FileFilter;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.terminal.Quantity;

/** Says which rule takes a file, and why the others do not. */
final class RuleExplanation {
  private static final long DAY_MS = 86_400_000;

  private final DistributedFileSystem fs;
  private final String jobs;
  private final List<Rule> rules;
  private final Clock clock;

  RuleExplanation(DistributedFileSystem fs, String jobs, List<Rule> rules, Clock clock) {
    this.fs = fs;
    this.jobs = jobs;
    this.rules = rules;
    this.clock = clock;
  }

  /** Prints the explanation for a file. */
  void print(String name, PrintWriter out) throws IOException {
    String path = PathArguments.parse(name).toUri().getPath();
    HdfsFileStatus file = path.startsWith("/") ? fs.getClient().getFileInfo(path) : null;
    if (file == null || file.isDirectory()) {
      throw new RefusedException(
          "Cannot explain "
              + name
              + ": "
              + (file == null ? "there is no such file" : "it is a directory")
              + "; name a file by its whole path");
    }
    out.println(
        path
            + ": "
            + Quantity.bytes(file.getLen())
            + ", owner "
            + file.getOwner()
            + ", modified "
            + Quantity.counted(ageMs(file) / DAY_MS, "day")
            + " ago");
    List<Rule> earlier = new ArrayList<>();
    for (Rule rule : rules) {
      String why = rule.files.whyNot(path, file.getOwner(), file.getLen());
      if (why == null) {
        out.println("  " + rule + " takes it: " + what(rule, earlier, path, file));
        out.flush();
        return;
      }
      out.println("  " + rule + " does not take it: " + why);
      earlier.add(rule);
    }
    out.println("  no rule takes it: it stays as it is");
    out.flush();
  }

  private long ageMs(HdfsFileStatus file) {
    return clock.millis() - file.getModificationTime();
  }

  private String what(Rule rule, List<Rule> earlier, String path, HdfsFileStatus file)
      throws IOException {
    if (rule.isLeave) {
      return "it stays as it is";
    }
    FileFilter files = rule.files;
    if (ageMs(file) < files.ageMsMin) {
      return "not yet, it must be "
          + (files.ageMsMin % DAY_MS == 0
              ? Quantity.counted(files.ageMsMin / DAY_MS, "day")
              : files.ageMsMin / 1000 + " s")
          + " old";
    }
    FileDecision[] decision = new FileDecision[1];
    new TreeWalk(fs, rule.job(path, earlier), jobs, Collections.emptyMap(), null)
        .visit(
            (candidate, found) -> {
              decision[0] = found;
              return false;
            });
    if (decision[0] == null) {
      throw new IOException("Cannot explain " + path + ": it has just been renamed or deleted");
    }
    if (!decision[0].isConvert()) {
      return "but it stays as it is: " + decision[0].skip().text();
    }
    String when =
        rule.window == null
            ? ""
            : rule.window.isOpen(ZonedDateTime.now(clock))
                ? "; its window " + rule.window + " is open"
                : "; not before its window " + rule.window + " opens";
    return "it is converted to "
        + decision[0].policy()
        + ", "
        + Quantity.bytes(decision[0].bytesNow())
        + " on disks become "
        + Quantity.bytes(decision[0].bytesAfter())
        + when;
  }
}
