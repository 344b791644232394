// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives files second names, or copies them where the file system does not. */
final class HardLinks {
  private static final Logger LOG = LoggerFactory.getLogger(HardLinks.class);

  private final Linker linker;

  /** {@code linker} is the file system's own, or one that refuses. */
  HardLinks(Linker linker) {
    this.linker = linker;
  }

  /** Returns those of the file system, or copies only if hard links are not wanted. */
  static HardLinks wanted(boolean wanted) {
    return new HardLinks(
        wanted
            ? Files::createLink
            : (link, existing) -> {
              throw new UnsupportedOperationException("hard links are switched off");
            });
  }

  /**
   * Makes {@code fresh} the same bytes as {@code existing}.
   *
   * @return whether they had to be copied
   * @throws NoSuchFileException if {@code existing} is gone
   * @throws FileAlreadyExistsException if {@code fresh} is there
   */
  boolean linkOrCopy(Path existing, Path fresh) throws IOException {
    try {
      linker.link(fresh, existing);
      return false;
    } catch (NoSuchFileException | FileAlreadyExistsException e) {
      throw e;
    } catch (FileSystemException | UnsupportedOperationException e) {
      // Not permitted, not supported, or too many links already: whatever it is, a copy will do.
      LOG.warn("Cannot link {} to {}, and copies it: {}", fresh, existing, e.toString());
      Files.copy(existing, fresh);
      return true;
    }
  }

  /** Makes a hard link. */
  interface Linker {
    void link(Path link, Path existing) throws IOException;
  }
}
