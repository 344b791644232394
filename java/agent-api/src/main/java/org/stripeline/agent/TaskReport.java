// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The progress of a task. */
public final class TaskReport {
  /** The state of the task. */
  public final TaskState state;

  /** Bytes read and sent so far. */
  public final long bytesDone;

  /** Total bytes to be read and sent. */
  public final long bytesTotal;

  /** The result of the task if it is {@link TaskState#DONE}, otherwise null. */
  public final EncodeResult result;

  /** The reason if the task failed or was cancelled, otherwise null. */
  public final String error;

  /**
   * The kind of the failure; null if {@link #error} is null, or if the kind is of a later version.
   */
  public final AgentException.Kind errorKind;

  /** The replicas found to be bad if {@link #errorKind} is CORRUPT, otherwise null or empty. */
  public final List<BadReplica> bad;

  /** Creates a report. */
  public TaskReport(
      TaskState state,
      long bytesDone,
      long bytesTotal,
      EncodeResult result,
      String error,
      AgentException.Kind errorKind,
      List<BadReplica> bad) {
    this.state = state;
    this.bytesDone = bytesDone;
    this.bytesTotal = bytesTotal;
    this.result = result;
    this.error = error;
    this.errorKind = errorKind;
    this.bad = Collections.unmodifiableList(new ArrayList<>(bad));
  }
}
