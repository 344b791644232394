// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.nio.ByteBuffer;

/** What the read pipeline asks of one block group of a file. Called by several threads at once. */
public interface BlockGroup {

  /** Returns the DataNode that holds an internal block as far as is known, null if none does. */
  String node(int unit);

  /**
   * Returns the storage of that DataNode, a disk as a rule, by a name that is the same in all
   * streams; null if it is not known.
   */
  String storage(int unit);

  /**
   * Opens an internal block.
   *
   * @param unit index of the internal block in its group
   * @param from first offset to be read
   * @param to first offset that will not be
   * @throws IOException if it cannot be read from, with the DataNode and the cause
   */
  UnitReader open(int unit, long from, long to) throws IOException;

  /**
   * Returns whether a thread that opens an internal block may be interrupted. One that opens a file
   * which is shared by all streams of the process may not, since that would close it.
   */
  boolean mayInterruptOpen(int unit);

  /** Takes note that an internal block, as {@code node} serves it, is corrupt. */
  void corrupt(int unit, String node);

  /** Asks the NameNode anew where the internal blocks are. */
  void refresh() throws IOException;

  /** Computes erased units; buffers are of one kind, positions are the caller's to forget. */
  void decode(ByteBuffer[] units, int[] erased, ByteBuffer[] outputs) throws IOException;

  /** Returns whether the decoder wants direct buffers. */
  boolean prefersDirectBuffers();

  /** Returns how messages name the file and the group, such as "/a/b, block group blk_-9 at 0". */
  String name();
}
