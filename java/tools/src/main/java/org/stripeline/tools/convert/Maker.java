// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;

/** Makes temporary files with the bytes of originals. */
interface Maker {
  /**
   * Makes one and completes it. What it leaves when it fails is taken back by the caller: the
   * temporary file, and the internal blocks that it has put into the journal.
   *
   * @return number of the temporary file
   */
  long make(Attempt attempt) throws IOException;

  /** Tells whether the parity of what it made has been checked against its data at rest. */
  default boolean hasCheckedParity(Attempt attempt) {
    return false;
  }
}
