// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

/** Points of a conversion at which a driver can die, in their order; numbers are the ordinals. */
public enum Step {
  /** The file was looked at; nothing is known of it in the journal. */
  CHECKED,
  /** The journal says that the file is begun. */
  BEGUN,
  /** The driver holds the lease of the file. */
  FENCED,
  /** The temporary file exists, without bytes. */
  CREATED,
  /** The journal names the internal blocks of a group. */
  GROUP_NAMED,
  /** Replicas of a group are linked. */
  LINKED,
  /** Parity of a group is written. */
  ENCODED,
  /** The temporary file is complete. */
  MADE,
  /** Its bytes are those of the original. */
  VERIFIED,
  /** It has the attributes of the original. */
  ATTRIBUTED,
  /** The journal says that it will be swapped. */
  SWAP_NAMED,
  /** Only superusers can write the original. */
  PROTECTED,
  /** The original is closed again. */
  FENCE_ENDED,
  /** The original is what was verified; the rename comes next. */
  LOOKED,
  /** It has taken the place of the original. */
  SWAPPED,
  /** The journal says that the file is done. */
  ENDED,
  /** The journal says that what was begun is rolled back. */
  BACK_NAMED,
  /** The temporary file is deleted again. */
  BACK_DELETED,
  /** Its internal blocks are removed. */
  BACK_UNLINKED
}
