// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import java.util.List;

/** Counts of the engine of this process and its rails. */
public interface EngineMXBean {
  /** Returns the engine as JSON, including the rails that are not used, with the reasons. */
  String getDescription();

  /** Returns the number of tasks issued. */
  long getIssued();

  /** Returns the number of tasks that have not ended. */
  long getOutstanding();

  /** Returns the readings of each rail. */
  List<RailReading> getRails();
}
