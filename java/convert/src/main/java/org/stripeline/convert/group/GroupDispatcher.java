// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.stripeline.convert.file.Attempt;

/** Requests agents to encode the groups of files whose replicas are linked. */
public interface GroupDispatcher {
  /** Returns the number of groups of one file that may be encoded concurrently. */
  int groupsAtOnce();

  /**
   * Begins to encode one group.
   *
   * @param isGivenUp returns whether the file has been abandoned, so that work that is not begun
   *     can be dropped
   */
  Pending begin(Attempt attempt, GroupAdoption adoption, BooleanSupplier isGivenUp)
      throws IOException;

  /** Called when all groups of a file are encoded. */
  default void finish(Attempt attempt) throws IOException {}

  /** A group that is being encoded. */
  interface Pending {
    /** Waits until the group is encoded. */
    void await() throws IOException;
  }
}
