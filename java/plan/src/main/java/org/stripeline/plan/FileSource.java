// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.io.IOException;
import java.util.List;

/** Where the files of a tree come from. */
interface FileSource {
  /** Takes the files, one after the other. */
  interface Sink {
    /**
     * Takes a file.
     *
     * @param file not to be kept: the source may use the object for the next file
     */
    void accept(PlannedFile file);
  }

  /**
   * Streams all files of the tree, in any order. Memory does not grow with their number, except by
   * what an image needs in order to know the directory of each.
   *
   * @throws IOException if the source cannot be read to its end
   */
  void stream(Sink sink) throws IOException;

  /** Returns what the user should know of how this source was read; complete after streaming. */
  List<String> notes();

  /** Returns whether all files of the tree were streamed; if not, the notes say why. */
  boolean isComplete();
}
