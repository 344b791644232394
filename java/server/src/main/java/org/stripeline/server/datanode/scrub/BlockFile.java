// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The open file of a replica. */
interface BlockFile extends Closeable {
  /**
   * Reads bytes.
   *
   * @return a direct buffer with the bytes from position to limit, valid until the next call
   * @throws java.io.EOFException if the file ends before
   */
  ByteBuffer read(long position, int length) throws IOException;

  /** Returns whether any bytes were read through the page cache. */
  boolean isCached();

  /** Opens files; replaced in tests. */
  interface Opener {
    /**
     * Opens a file.
     *
     * @param buffer a direct buffer of {@link DirectFile#BUFFER_BYTES}, for the time until the file
     *     is closed
     */
    BlockFile open(Path file, ByteBuffer buffer) throws IOException;
  }
}
