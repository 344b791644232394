// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import java.util.List;

/** What the engine of this process and its rails have done. */
public interface EngineMXBean {
  /** Returns the engine as JSON, with the rails that are out and why. */
  String getDescription();

  /** Returns the number of tasks issued. */
  long getIssued();

  /** Returns the number of tasks that have not ended. */
  long getOutstanding();

  /** Returns each rail. */
  List<RailReading> getRails();
}
