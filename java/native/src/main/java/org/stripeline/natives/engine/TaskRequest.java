// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.time.Duration;
import org.stripeline.natives.codec.EcException;

/**
 * The urgency of a task of a {@link RailEngine}.
 *
 * <pre>{@code
 * codec
 *     .with(TaskRequest.background().within(Duration.ofSeconds(5)))
 *     .idecode(units, erased, outputs);
 * }</pre>
 */
public final class TaskRequest {
  private static final TaskRequest FOREGROUND = new TaskRequest(false, null);
  private static final TaskRequest BACKGROUND = new TaskRequest(true, null);

  private final boolean background;
  private final Duration deadline;

  private TaskRequest(boolean background, Duration deadline) {
    this.background = background;
    this.deadline = deadline;
  }

  /** Returns the default: a foreground task without a deadline. */
  public static TaskRequest foreground() {
    return FOREGROUND;
  }

  /** Returns the request for repair and scrubbing: started only while no foreground task waits. */
  public static TaskRequest background() {
    return BACKGROUND;
  }

  /**
   * Returns this request with a limit on the time from issue to end, after which the task fails
   * with {@link EcException.Kind#DEADLINE_EXCEEDED}. Pieces that a rail has started are finished.
   *
   * @param deadline the limit, not negative
   * @throws IllegalArgumentException if it is null or negative
   */
  public TaskRequest within(Duration deadline) {
    if (deadline == null || deadline.isNegative()) {
      throw new IllegalArgumentException(
          "Cannot limit a task to " + deadline + ": the time must not be null or negative");
    }
    return new TaskRequest(background, deadline);
  }

  boolean isBackground() {
    return background;
  }

  /** Returns the limit in nanoseconds, or -1 for no limit. */
  long deadlineNanos() {
    if (deadline == null) {
      return -1;
    }
    try {
      return deadline.toNanos();
    } catch (ArithmeticException e) {
      // More than 292 years.
      return -1;
    }
  }
}
