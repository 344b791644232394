// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

/**
 * A fault of one internal block.
 *
 * @param kind the kind of fault
 * @param group index of the block group
 * @param unit index of the internal block in the group
 * @param where place in the file, as a fraction of its length
 * @param when the moment at which it occurs
 * @param step the step before which it occurs, if that is the moment
 */
record Fault(Kind kind, int group, int unit, double where, Moment when, int step) {

  /** The kinds of faults. */
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
    /** Both files end early and match: every checksum that is left is right. */
    TRUNCATE_BOTH,
    /** The checksums are those of another internal block of the group. */
    OTHER_CHECKSUMS,
    /** The data file is deleted. */
    DELETE_DATA,
    /** Both files are deleted. */
    DELETE_BOTH,
    /** The disk fails on reads from {@code where} on. */
    FAIL,
    /** Reads from {@code where} on never return. */
    HANG,
    /** Each read of the block file takes some milliseconds. */
    SLOW,
    /** All reads of the DataNode hang. */
    HANG_NODE,
    /** The DataNode is stopped. */
    STOP_NODE;

    /** Returns whether it affects all internal blocks on the DataNode. */
    boolean ofNode() {
      return this == HANG_NODE || this == STOP_NODE;
    }

    /** Returns whether it needs a tap on the block. */
    boolean ofStream() {
      return this == FAIL || this == HANG || this == SLOW || this == HANG_NODE;
    }

    /** Returns whether the block can be read in spite of it. */
    boolean isHarmless() {
      return this == SLOW;
    }
  }

  /** The moments at which a fault occurs. */
  enum Moment {
    /** Before the file is opened. */
    BEFORE_OPEN,
    /** Before one of the steps. */
    BEFORE_STEP,
    /** When a reader reaches half of the distance to {@code where} in the same block. */
    WHEN_READ
  }

  /** Returns this fault with another kind. */
  Fault as(Kind other) {
    return new Fault(other, group, unit, where, when, step);
  }

  /** Returns this fault, or if it would hang, a fault that fails at once. */
  Fault insteadOfHanging() {
    boolean hangs = kind == Kind.HANG || kind == Kind.HANG_NODE;
    return hangs ? as(Kind.FAIL) : this;
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
