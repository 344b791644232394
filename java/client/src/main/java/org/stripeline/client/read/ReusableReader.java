// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

/** A reader that a positional read left open for a read that continues at its end. */
public final class ReusableReader {
  private final GroupReader reader;
  private final long position;

  /**
   * Creates an object; the reader keeps nothing of the read that has ended.
   *
   * @param position the offset in the file at which the read ended
   */
  public ReusableReader(GroupReader reader, long position) {
    this.reader = reader;
    this.position = position;
    reader.awaitsNothing();
  }

  /** Returns the reader. */
  public GroupReader reader() {
    return reader;
  }

  /**
   * Returns whether a read can use the reader. After a group of a file that is being written has
   * grown, the stream knows it by another object, and the reader does not know all of its bytes.
   *
   * @param group the group of the read, as the stream knows it now
   * @param from the offset in the file at which the read begins
   */
  public boolean serves(GroupKnowledge group, long from) {
    return reader.knowledge() == group && position == from;
  }
}
