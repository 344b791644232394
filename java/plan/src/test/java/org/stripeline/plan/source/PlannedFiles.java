// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

import org.stripeline.placement.CodeName;

/** Files with given properties, as a source would describe them. */
public final class PlannedFiles {
  private PlannedFiles() {}

  /** Returns a replicated file, closed, without locations. */
  public static PlannedFile of(String path, long blockBytes, int replication, long... blocks) {
    PlannedFile file = new PlannedFile();
    file.reset(path);
    file.blockSize = blockBytes;
    file.replication = replication;
    for (long bytes : blocks) {
      file.addBlock(bytes);
    }
    return file;
  }

  /** Sets the code, as of a file that is erasure-coded already. */
  public static PlannedFile coded(PlannedFile file, CodeName code) {
    file.coded = code;
    return file;
  }

  public static PlannedFile open(PlannedFile file) {
    file.isOpen = true;
    return file;
  }

  public static PlannedFile inSnapshot(PlannedFile file) {
    file.isInSnapshot = true;
    return file;
  }

  public static PlannedFile withStoragePolicy(PlannedFile file, int policy) {
    file.storagePolicy = policy;
    return file;
  }

  /** Sets the numbers of the nodes that hold each block. */
  public static PlannedFile located(PlannedFile file, int[]... replicas) {
    file.replicas = replicas;
    return file;
  }
}
