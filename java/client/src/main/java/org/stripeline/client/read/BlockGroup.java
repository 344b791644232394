// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * The operations that the read pipeline needs on one block group of a file. Called by several
 * threads concurrently.
 */
public interface BlockGroup {

  /** Returns the DataNode that holds an internal block, null if none is known. */
  String node(int unit);

  /**
   * Returns the storage of that DataNode, usually a disk, by a name that is the same in all
   * streams; null if it is not known.
   */
  String storage(int unit);

  /**
   * Opens an internal block.
   *
   * @param unit index of the internal block in its group
   * @param from the first offset to read
   * @param to the offset after the last byte to read
   * @throws IOException if it cannot be read, with the DataNode and the cause
   */
  UnitReader open(int unit, long from, long to) throws IOException;

  /**
   * Returns whether a thread that opens an internal block may be interrupted. A thread that opens a
   * file shared by all streams of the process must not be interrupted, because the interrupt would
   * close the file.
   */
  boolean mayInterruptOpen(int unit);

  /** Records that the copy of an internal block on {@code node} is corrupt. */
  void corrupt(int unit, String node);

  /** Returns the NameNode or nameservice that knows the locations of the internal blocks. */
  String nameNode();

  /** Requests the locations of the internal blocks from the NameNode again. */
  void refresh() throws IOException;

  /**
   * Issues the computation of erased units to coders beside the CPUs, and returns at once. The
   * buffers belong to it until the future has ended; their positions do not change. Actions that
   * depend on the future must be short.
   *
   * @return null if there are no such coders, or the buffers are not direct
   */
  CompletableFuture<?> issueDecode(ByteBuffer[] units, int[] erased, ByteBuffer[] outputs);

  /**
   * Computes erased units on the calling thread. All buffers are of one kind, direct or heap; their
   * positions are undefined afterwards.
   */
  void decode(ByteBuffer[] units, int[] erased, ByteBuffer[] outputs) throws IOException;

  /** Returns whether the decoder prefers direct buffers. */
  boolean prefersDirectBuffers();

  /**
   * Returns the name of the file and the group in messages, such as "/a/b, block group blk_-9 at
   * 0".
   */
  String name();
}
