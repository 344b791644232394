// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

import java.io.IOException;
import java.util.List;

/** A source of the files of a tree. */
public interface FileSource {
  /** Receives the files, one after the other. */
  interface Sink {
    /**
     * Receives a file.
     *
     * @param file must not be kept: the source may reuse the object for the next file
     */
    void accept(PlannedFile file);

    /**
     * Returns whether {@link #accept} will need {@link PlannedFile#checks} of a file, so that the
     * source can answer for several files at the same time.
     *
     * @param file must not be kept
     */
    default boolean needsChecks(PlannedFile file) {
      return true;
    }
  }

  /**
   * Streams all files of the tree, in any order. Memory use does not grow with the number of files,
   * except for what an image source keeps to find the directory of each file.
   *
   * @throws IOException if the source cannot be read to its end
   */
  void stream(Sink sink) throws IOException;

  /**
   * Returns what the user should know about the way in which this source was read; complete only
   * after streaming.
   */
  List<String> notes();

  /** Returns whether all files of the tree were streamed; if not, the notes give the reason. */
  boolean isComplete();
}
