// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

/**
 * Something that goes wrong with one internal block.
 *
 * @param kind what
 * @param group which block group
 * @param unit which internal block of it
 * @param where place in the file, as a fraction of its length
 * @param when moment at which it happens
 * @param step step before which it happens, if that is the moment
 */
record Fault(Kind kind, int group, int unit, double where, Moment when, int step) {

  /** What goes wrong. */
  enum Kind {
    /** One bit of the data is inverted. */
    FLIP_DATA,
    /** One bit of a checksum is inverted. */
    FLIP_CHECKSUM,
    /** One bit of the checksum file's header is inverted. */
    FLIP_HEADER,
    /** The data file ends early. */
    TRUNCATE_DATA,
    /** The checksum file ends early. */
    TRUNCATE_CHECKSUMS,
    /** The data file is gone. */
    DELETE_DATA,
    /** Both files are gone. */
    DELETE_BOTH,
    /** The disk fails on reads from {@code where} on. */
    FAIL,
    /** Reads from {@code where} on never come back. */
    HANG,
    /** Each read of the block file takes some milliseconds. */
    SLOW,
    /** All reads of the DataNode hang. */
    HANG_NODE,
    /** The DataNode is stopped. */
    STOP_NODE;

    /** Returns whether it strikes all internal blocks on the DataNode. */
    boolean ofNode() {
      return this == HANG_NODE || this == STOP_NODE;
    }

    /** Returns whether it needs a tap on the block. */
    boolean ofStream() {
      return this == FAIL || this == HANG || this == SLOW || this == HANG_NODE;
    }

    /** Returns whether the block can be read all the same. */
    boolean isHarmless() {
      return this == SLOW;
    }
  }

  /** When it happens. */
  enum Moment {
    /** Before the file is opened. */
    BEFORE_OPEN,
    /** Before one of the steps. */
    BEFORE_STEP,
    /** When a reader reaches the middle of what lies before {@code where} in the same block. */
    WHEN_READ
  }

  /** Returns this, or if it would hang a fault that fails at once. */
  Fault insteadOfHanging() {
    boolean hangs = kind == Kind.HANG || kind == Kind.HANG_NODE;
    return hangs ? new Fault(Kind.FAIL, group, unit, where, when, step) : this;
  }

  @Override
  public String toString() {
    return kind
        + " group "
        + group
        + " unit "
        + unit
        + String.format(" at %.3f ", where)
        + when
        + (when == Moment.BEFORE_STEP ? " " + step : "");
  }
}
