// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/** The result of one {@link Link}. */
public final class Linked {
  /** The storage of both replicas. */
  public final String storageId;

  /** Whether the bytes had to be copied because the volume does not support hard links. */
  public final boolean copied;

  /** Creates a result. */
  public Linked(String storageId, boolean copied) {
    this.storageId = storageId;
    this.copied = copied;
  }
}
