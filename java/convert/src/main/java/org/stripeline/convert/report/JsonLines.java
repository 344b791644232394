// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.terminal.OutputOptions;

/** Writes a plan or a job as one JSON object per line; the field names are stable. */
public final class JsonLines implements JobObserver {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private final PrintWriter out;
  private final JobObserver next;

  public JsonLines(PrintWriter out) {
    this(out, NONE);
  }

  /**
   * Creates a writer.
   *
   * @param next also told of the beginning of the job and of the end of each file
   */
  public JsonLines(PrintWriter out, JobObserver next) {
    this.out = out;
    this.next = next;
  }

  @Override
  public synchronized void planned(Candidate file, FileDecision decision) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("path", file.path());
    line.put("verdict", decision.isConvert() ? "convert" : "skip");
    if (!decision.isConvert()) {
      line.put("reason", decision.skip().name());
    }
    if (decision.code() != null) {
      line.put("policy", decision.policy());
      line.put("layout", decision.treatment().layout().toString());
    }
    line.put("bytes", file.bytes());
    line.put("diskBytesNow", decision.bytesNow());
    line.put("diskBytesAfter", decision.bytesAfter());
    print(line);
  }

  @Override
  public synchronized void warned(String text) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("warning", text);
    print(line);
  }

  @Override
  public synchronized void begun(JobDirectory directory, Totals totals) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("job", directory.name());
    line.put("directory", directory.path().toUri().getPath());
    line.put("files", totals.files);
    line.put("bytes", totals.bytes);
    print(line);
    next.begun(directory, totals);
  }

  @Override
  public synchronized void ended(String path, long bytes, FileOutcome outcome) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("path", path);
    line.put("outcome", outcome.kind());
    line.put("reason", outcome.reason());
    line.put("bytes", outcome.bytes());
    print(line);
    next.ended(path, bytes, outcome);
  }

  public void plan(Totals totals, Map<String, String> policies) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("plan", totals);
    line.put("policies", policies);
    print(line);
  }

  public void report(JobReport report, double seconds) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("job", report.job());
    line.put("converted", report.converted());
    line.put("convertedBytes", report.convertedBytes());
    line.put("failed", report.failed());
    line.put("rolledBack", report.rolledBack());
    line.put("skipped", report.skipped());
    line.put("vanished", report.vanished());
    line.put("gone", report.gone());
    line.put("refused", report.refusal());
    line.put("cancelled", report.isCancelled() && !report.isOpen());
    line.put("paused", report.isLeftPaused());
    line.put("traffic", report.traffic());
    line.put("seconds", seconds);
    print(line);
  }

  private void print(Map<String, Object> line) {
    Map<String, Object> versioned = new LinkedHashMap<>();
    versioned.put(OutputOptions.SCHEMA_KEY, OutputOptions.SCHEMA);
    versioned.putAll(line);
    out.println(GSON.toJson(versioned));
    out.flush();
  }
}
