// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A stream of one internal block from the offset at which it was opened. */
public interface UnitReader extends Closeable {

  /**
   * Reads the available bytes, or waits for the next ones; reads at least one byte and at most as
   * many as remain in the buffer.
   */
  void read(ByteBuffer target) throws IOException;

  /** Skips {@code bytes} bytes. */
  void skip(long bytes) throws IOException;

  /** Returns the first offset after the range of this reader. */
  long end();

  /** Returns the name of the DataNode, which is the same in all streams. */
  String node();

  /** Returns whether it reads the DataNode's files directly instead of through the DataNode. */
  boolean isShortCircuit();

  /** Returns the distance of the DataNode in the network topology. */
  int networkDistance();
}
