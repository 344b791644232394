// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/** What became of one {@link Link}. */
public final class Linked {
  /** The storage on which both replicas are. */
  public final String storageId;

  /** Whether the bytes had to be copied because the volume makes no hard links. */
  public final boolean copied;

  /** Says where the link is and how it was made. */
  public Linked(String storageId, boolean copied) {
    this.storageId = storageId;
    this.copied = copied;
  }
}
