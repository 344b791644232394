// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/** One replica to be had under a second name. */
public final class Link {
  /** The replica as it is: finalized, with exactly this generation stamp and length. */
  public final AgentBlock source;

  /** What it becomes as well: an internal block of the same length. */
  public final AgentBlock target;

  /** Asks for {@code target} to be the same bytes as {@code source}. */
  public Link(AgentBlock source, AgentBlock target) {
    this.source = source;
    this.target = target;
  }
}
