// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.status;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.settings.JobSettings;

/** A job with its state. */
public final class JobEntry {
  private final JobDirectory directory;
  private final JobSettings settings;
  private final JobState state;
  private final JobDirectory.Request request;
  private final JobStatus status;
  private final long ageMs;

  JobEntry(
      JobDirectory directory,
      JobState state,
      JobDirectory.Request request,
      JobStatus status,
      long ageMs)
      throws IOException {
    this.directory = directory;
    settings = directory.settings();
    this.state = state;
    this.request = request;
    this.status = status;
    this.ageMs = ageMs;
  }

  public JobDirectory directory() {
    return directory;
  }

  public String name() {
    return directory.name();
  }

  /** Returns the path of the tree that the job converts. */
  public String path() {
    return settings.path;
  }

  public JobState state() {
    return state;
  }

  /** Returns whether an operator has asked to cancel the job, also if that was too late. */
  boolean isAskedToCancel() {
    return request == JobDirectory.Request.CANCEL;
  }

  /** Returns whether an operator has paused the job. */
  boolean isAskedToPause() {
    return request == JobDirectory.Request.PAUSE;
  }

  /** Returns whether a service began the job for a rule. */
  public boolean isOfRule() {
    return settings.rule != null;
  }

  /** Returns what the last driver recorded, or null if it recorded nothing. */
  public JobStatus status() {
    return status;
  }

  /** Returns the age of the status in milliseconds. */
  long ageMs() {
    return ageMs;
  }

  /** Returns the job for programs; the field names are stable. */
  public Map<String, Object> toJson() {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("schema", JobStatus.SCHEMA);
    line.put("job", name());
    line.put("directory", directory.path().toUri().getPath());
    line.put("path", path());
    line.put("undo", settings.undo);
    line.put("policy", settings.policy);
    line.put("state", state);
    line.put("statusAgeSeconds", status == null ? null : (Long) (ageMs / 1000));
    line.put("status", status);
    return line;
  }
}
