// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How far a task is. */
public final class TaskReport {
  /** Where it is. */
  public final TaskState state;

  /** Bytes read and sent up to now. */
  public final long bytesDone;

  /** Bytes to be read and sent in all. */
  public final long bytesTotal;

  /** What it has done if it is {@link TaskState#DONE}, else null. */
  public final EncodeResult result;

  /** Why it failed or was cancelled, else null. */
  public final String error;

  /** Of what kind that is; null where {@link #error} is, or if only a later version knows it. */
  public final AgentException.Kind errorKind;

  /** The replicas that it found to be bad if {@link #errorKind} is CORRUPT, else null or empty. */
  public final List<BadReplica> bad;

  /** Says how far it is. */
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
