// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.io.IOException;

/** A coding call or task that failed for a reason other than its arguments. */
public final class EcException extends IOException {
  private static final long serialVersionUID = 2L;

  private final Kind kind;

  /** What to do about it. The numbers are those of the C interface and are never given anew. */
  public enum Kind {
    /** A failure that this version has no other name for. */
    INTERNAL(1),
    /** As many tasks are outstanding as may be: wait for one, or let the engine wait. */
    BUSY(14),
    /** The task was given up by its issuer. */
    CANCELLED(15),
    /** The task's time was up before it was done. */
    DEADLINE_EXCEEDED(16),
    /** No rail takes such a task, or every rail that does has failed. */
    NO_RAIL(17),
    /** A rail failed while it was changing the outputs, so that nobody can do it again. */
    RAIL_FAILED(18),
    /** The codec was closed, or the engine is shutting down. */
    CLOSED(19),
    /** The engine cannot be started as configured, or not on this machine. */
    CONFIGURATION(20);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /** Returns the number that stands for this kind in the native interfaces. */
    public int code() {
      return code;
    }

    /** Returns the kind of that number; {@link #INTERNAL} for one of a later version. */
    static Kind of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return INTERNAL;
    }
  }

  EcException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** Called by the native library. */
  EcException(int code, String message) {
    this(Kind.of(code), message);
  }

  /** Returns what to do about it. */
  public Kind kind() {
    return kind;
  }
}
