// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A stream of one internal block, from where it was opened onwards. */
public interface UnitReader extends Closeable {

  /**
   * Reads what it has at hand, or else what comes next, at least one byte and at most what remains
   * in the buffer.
   */
  void read(ByteBuffer target) throws IOException;

  /** Passes over so many bytes. */
  void skip(long bytes) throws IOException;

  /** Returns the first offset that this reader does not serve. */
  long end();

  /** Returns the DataNode that it reads from, by a name that is the same in all streams. */
  String node();

  /** Returns whether it reads the DataNode's files without asking the DataNode. */
  boolean isShortCircuit();

  /** Returns the distance of the DataNode in the network topology. */
  int networkDistance();
}
