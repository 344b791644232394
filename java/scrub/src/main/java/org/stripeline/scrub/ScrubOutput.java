// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.stripeline.scrub.check.Finding;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.repair.RepairRecord;
import org.stripeline.terminal.OutputOptions;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Quantity;
import org.stripeline.terminal.Terminal;

/**
 * Prints the findings of a scrub as they come, as text or as one JSON object per line. Thread-safe:
 * a signal prints the sums, after which nothing else is printed.
 */
final class ScrubOutput implements ScrubObserver, AutoCloseable {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private final PrintWriter out;
  private final boolean isJson;
  private final Progress progress;
  private Progress.Step step;
  private long findings;
  private boolean isEnded;

  /** Groups whose findings were printed with what was done about them. */
  private final Set<String> printed = new HashSet<>();

  ScrubOutput(PrintWriter out, boolean isJson, Progress progress) {
    this.out = out;
    this.isJson = isJson;
    this.progress = progress;
  }

  @Override
  public synchronized void listed(long files, long bytes) {
    progress.say("%s, %s", Quantity.counted(files, "file"), Quantity.bytes(bytes));
    step = progress.step("check", bytes);
  }

  @Override
  public synchronized void leftOut(long bytes) {
    if (step != null) {
      step.leaveOut(bytes, Quantity.counted(findings, "finding"));
    }
  }

  @Override
  public synchronized void unread(String path, String reason) {
    if (isEnded) {
      return;
    }
    if (!isJson) {
      out.println(Terminal.oneLine(path + ": NOT_CHECKED: " + reason));
      out.flush();
      return;
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("path", path);
    line.put("notRead", reason);
    print(line);
  }

  @Override
  public synchronized void checked(
      String path, long number, String block, long bytes, GroupResult result) {
    if (isEnded) {
      return;
    }
    findings += result.findings().size();
    if (!printed.remove(path + " " + number) && !result.findings().isEmpty()) {
      if (isJson) {
        print(json(path, number, block, result));
      } else {
        printFindings(group(path, number, block), result);
        out.flush();
      }
    }
    if (step != null) {
      step.advance(bytes, Quantity.counted(findings, "finding"));
    }
  }

  /** Prints what was done with a group that was damaged; called by the thread of the group. */
  synchronized void repaired(String path, long number, GroupResult checked, RepairRecord record) {
    if (isEnded) {
      return;
    }
    printed.add(path + " " + number);
    if (isJson) {
      Map<String, Object> line = json(path, number, checked.locations().toString(), checked);
      line.put("repair", record.json());
      print(line);
      return;
    }
    String group = group(path, number, checked.locations().toString());
    printFindings(group, checked);
    out.println(Terminal.oneLine(group + ": " + record));
    out.flush();
  }

  private static String group(String path, long number, String block) {
    return path + " group " + number + " " + block;
  }

  private void printFindings(String group, GroupResult result) {
    for (Finding finding : result.findings()) {
      out.println(Terminal.oneLine(group + ": " + finding));
    }
  }

  private static Map<String, Object> json(
      String path, long number, String block, GroupResult result) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Finding finding : result.findings()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("kind", finding.kind().name());
      one.put("damage", finding.kind().isDamage());
      if (finding.unit() >= 0) {
        one.put("unit", finding.unit());
      }
      if (finding.copy() != null) {
        one.put("block", finding.copy().block.id);
        one.put("node", finding.copy().node.getXferAddr());
        one.put("nodeId", finding.copy().node.getDatanodeUuid());
      }
      if (finding.windows() > 0) {
        one.put("firstWindow", finding.firstWindow());
        one.put("windows", finding.windows());
      }
      one.put("text", finding.text());
      all.add(one);
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("path", path);
    line.put("group", number);
    line.put("block", block);
    line.put("findings", all);
    return line;
  }

  /** Prints the sums of a scrub that a signal ends. */
  void interrupted(ScrubTotals totals) {
    totals.interrupted = true;
    totals(totals);
  }

  /** Prints the sums, and nothing afterwards. */
  synchronized void totals(ScrubTotals totals) {
    if (isEnded) {
      return;
    }
    isEnded = true;
    if (step != null && !totals.interrupted) {
      step.succeeded();
    }
    close();
    if (isJson) {
      Map<String, Object> line = new LinkedHashMap<>();
      JsonElement tree = GSON.toJsonTree(totals);
      tree.getAsJsonObject().entrySet().forEach(one -> line.put(one.getKey(), one.getValue()));
      print(line);
      return;
    }
    if (totals.interrupted) {
      out.println("Interrupted; of what was listed, only these were checked:");
    }
    out.println(
        Quantity.counted(totals.files, "file")
            + ", "
            + Quantity.counted(totals.groups, "group or block", "groups and blocks")
            + ": "
            + totals.groupsHealthy
            + " healthy, "
            + totals.groupsDamaged
            + " damaged, "
            + totals.groupsNotChecked
            + " not checked or only in part"
            + (totals.groupsGone > 0 ? ", " + totals.groupsGone + " deleted or replaced" : ""));
    out.println(
        Quantity.bytes(totals.bytesRead)
            + " read; fingerprints: "
            + Quantity.counted(totals.windowsByAgents, "window")
            + " by agents, "
            + totals.windowsByClient
            + " by this client");
    if (totals.filesLeftOut + totals.groupsLeftOut > 0) {
      out.println(
          Quantity.counted(totals.filesLeftOut, "file")
              + ", and "
              + Quantity.counted(totals.groupsLeftOut, "group or block", "groups and blocks")
              + " of others, left out: found healthy within --checked-before");
    }
    if (totals.pathsUnread > 0) {
      out.println(
          Quantity.counted(totals.pathsUnread, "path") + " could not be listed, not checked");
    }
    out.flush();
  }

  private void print(Map<String, Object> line) {
    Map<String, Object> versioned = new LinkedHashMap<>();
    versioned.put(OutputOptions.SCHEMA_KEY, OutputOptions.SCHEMA);
    versioned.putAll(line);
    out.println(GSON.toJson(versioned));
    out.flush();
  }

  @Override
  public synchronized void close() {
    if (step != null) {
      step.close();
      step = null;
    }
  }
}
