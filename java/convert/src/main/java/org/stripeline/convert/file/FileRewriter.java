// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;

/** Writes temporary files with the bytes of originals. */
public interface FileRewriter {
  /**
   * Makes one and completes it. The caller rolls back what it leaves when it fails: the temporary
   * file, and the internal blocks that it has put into the journal.
   *
   * @return number of the temporary file
   */
  long rewrite(Attempt attempt) throws IOException;

  /** Tells whether it compares all replicas of an original by itself. */
  default boolean comparesReplicas() {
    return false;
  }

  /**
   * Checks that the NameNode knows the blocks of what was made where they were verified, and
   * nowhere else.
   *
   * @param made number of the temporary file
   * @throws IOException if not: the file may be made of bytes that no agent has verified
   */
  default void requireAsPlanned(Attempt attempt, long made) throws IOException {}

  /** Tells whether the parity of what it made has been checked against its data at rest. */
  default boolean hasCheckedParity(Attempt attempt) {
    return false;
  }
}
