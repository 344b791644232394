// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

/**
 * The steps of a conversion, in order, at each of which a driver can die. Tests refer to the
 * ordinals.
 */
public enum Step {
  /** The file was checked; the journal has no record of it. */
  CHECKED,
  /** The journal has a record that the file is begun. */
  BEGUN,
  /** The temporary file exists, without bytes. */
  CREATED,
  /** The journal names the internal blocks of a group. */
  GROUP_NAMED,
  /** Replicas of a group are linked. */
  LINKED,
  /** Parity of a group has been written. */
  ENCODED,
  /** The temporary file is complete. */
  MADE,
  /** The temporary file has the bytes of the original. */
  VERIFIED,
  /** The temporary file has the attributes of the original. */
  ATTRIBUTED,
  /** The driver holds the lease of the file. */
  FENCED,
  /** The journal announces the swap. */
  SWAP_NAMED,
  /** Only superusers can write the original. */
  PROTECTED,
  /** The original is closed. */
  FENCE_ENDED,
  /** The last check has passed; the rename comes next. */
  LOOKED,
  /** The temporary file has replaced the original. */
  SWAPPED,
  /** The journal has a record that the file is done. */
  ENDED,
  /** The journal announces the rollback. */
  BACK_NAMED,
  /** The temporary file is deleted. */
  BACK_DELETED,
  /** The internal blocks are removed. */
  BACK_UNLINKED
}
