// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.io.IOException;

/** Thrown when a coding call or task fails for a reason other than its arguments. */
public final class EcException extends IOException {
  private static final long serialVersionUID = 2L;

  private final Kind kind;

  /** The kind of a failure. The numbers are those of the C interface and are never reused. */
  public enum Kind {
    /** A failure that has no other kind in this version. */
    INTERNAL(1),
    /**
     * The maximum number of tasks is outstanding: wait for one, or configure the engine to wait.
     */
    BUSY(14),
    /** The issuer cancelled the task. */
    CANCELLED(15),
    /** The deadline of the task passed before it was done. */
    DEADLINE_EXCEEDED(16),
    /** No rail accepts such a task, or every rail that does has failed. */
    NO_RAIL(17),
    /** A rail failed while it was changing the outputs, so the task cannot be repeated. */
    RAIL_FAILED(18),
    /** The codec was closed, or the engine is shutting down. */
    CLOSED(19),
    /** The engine cannot be started with its configuration, or not on this machine. */
    CONFIGURATION(20);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /** Returns the number of this kind in the native interfaces. */
    public int code() {
      return code;
    }

    /**
     * Returns the kind with that number; {@link #INTERNAL} for a number of a later version. For
     * Stripeline's own modules.
     */
    public static Kind of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return INTERNAL;
    }
  }

  /** Creates the failure. For Stripeline's own modules. */
  public EcException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** Called by the native library. */
  EcException(int code, String message) {
    this(Kind.of(code), message);
  }

  /** Returns the kind of the failure. */
  public Kind kind() {
    return kind;
  }
}
