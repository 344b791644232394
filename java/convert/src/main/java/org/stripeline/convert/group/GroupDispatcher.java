// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.stripeline.convert.file.Attempt;

/** Has agents encode the groups of files whose replicas are linked. */
public interface GroupDispatcher {
  /** Groups of one file that may be under way at one time. */
  int groupsAtOnce();

  /**
   * Begins one group.
   *
   * @param isGivenUp tells that the file is given up, so that what is not begun need not be
   */
  Pending begin(Attempt attempt, GroupAdoption adoption, BooleanSupplier isGivenUp)
      throws IOException;

  /** All groups of a file are encoded. */
  default void finish(Attempt attempt) throws IOException {}

  /** A group that is being encoded. */
  interface Pending {
    /** Waits for it. */
    void await() throws IOException;
  }
}
