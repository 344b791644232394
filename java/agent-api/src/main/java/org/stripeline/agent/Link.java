// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/** A replica to be linked under a second block id. */
public final class Link {
  /** The existing replica: finalized, with exactly this generation stamp and length. */
  public final AgentBlock source;

  /** The second name of the replica: an internal block of the same length. */
  public final AgentBlock target;

  /** Creates a request to link {@code source} as {@code target}. */
  public Link(AgentBlock source, AgentBlock target) {
    this.source = source;
    this.target = target;
  }
}
