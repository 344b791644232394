// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

/**
 * A call, or a few calls, on an open stream.
 *
 * @param kind the kind of call
 * @param position place in the file
 * @param length bytes requested
 * @param seed seed of the remaining parameters
 */
record StreamCall(Kind kind, long position, int length, long seed) {

  /** The kinds of calls. */
  enum Kind {
    /** {@code read(byte[], int, int)} once. */
    READ,
    /** {@code read()} a few times. */
    READ_BYTES,
    /** {@code read(ByteBuffer)} once, heap. */
    READ_HEAP,
    /** {@code read(ByteBuffer)} once, direct. */
    READ_DIRECT,
    /** Like {@code readFully(byte[])}, in pieces of one irregular size. */
    READ_ON,
    /** {@code read(long, byte[], int, int)}. */
    PREAD,
    /** {@code readFully(long, byte[])}. */
    PREAD_FULLY,
    /** {@code read(long, ByteBuffer)}, heap or direct. */
    PREAD_BUFFER,
    /** {@code readFully(long, ByteBuffer)}, heap or direct. */
    PREAD_BUFFER_FULLY,
    /** {@code readVectored}. */
    VECTORED,
    /** Positional reads by several threads, and a sequential read by another. */
    CONCURRENT,
    /** {@code seek}. */
    SEEK,
    /** {@code skip}. */
    SKIP,
    /** {@code unbuffer}. */
    UNBUFFER,
    /** {@code setReadahead} and {@code setDropBehind}. */
    SET_READAHEAD,
    /** {@code seekToNewSource}. */
    NEW_SOURCE,
    /** Closes the stream and opens it again. */
    REOPEN,
    /** Reads from the start to the end, in pieces. */
    READ_ALL,
    /**
     * Many seeks, each followed by a few small sequential reads; a fault may occur between them.
     */
    SEEKS,
    /** Closes the stream on one thread while another reads, and opens it again. */
    CLOSE
  }

  @Override
  public String toString() {
    return kind + "(" + position + ", " + length + ")";
  }
}
