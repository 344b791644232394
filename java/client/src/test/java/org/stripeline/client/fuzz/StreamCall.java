// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

/**
 * One call, or a few, on an open stream.
 *
 * @param kind which
 * @param position place in the file
 * @param length bytes asked for
 * @param seed for what else there is to choose
 */
record StreamCall(Kind kind, long position, int length, long seed) {

  /** What is called. */
  enum Kind {
    /** {@code read(byte[], int, int)} once. */
    READ,
    /** {@code read()} a few times. */
    READ_BYTES,
    /** {@code read(ByteBuffer)} once, heap. */
    READ_HEAP,
    /** {@code read(ByteBuffer)} once, direct. */
    READ_DIRECT,
    /** {@code readFully(byte[])}, in pieces of one odd size. */
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
    /** Positional reads by several threads, with one reading on. */
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
    /** Close and open again. */
    REOPEN,
    /** From the start to the end, in pieces. */
    READ_ALL,
    /** Many seeks, each with a few small reads on from there; a fault may strike between them. */
    SEEKS,
    /** Close by one thread while another reads, and open again. */
    CLOSE
  }

  @Override
  public String toString() {
    return kind + "(" + position + ", " + length + ")";
  }
}
