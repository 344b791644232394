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

/** Creates hard links to files, or copies them if the file system does not support links. */
final class HardLinks {
  private static final Logger LOG = LoggerFactory.getLogger(HardLinks.class);

  private final Linker linker;

  /** Creates links with {@code linker}: the file system's own, or one that always fails. */
  HardLinks(Linker linker) {
    this.linker = linker;
  }

  /** Returns an instance that uses the file system's hard links, or one that only copies. */
  static HardLinks wanted(boolean wanted) {
    return new HardLinks(
        wanted
            ? Files::createLink
            : (link, existing) -> {
              throw new UnsupportedOperationException("hard links are disabled");
            });
  }

  /**
   * Creates {@code fresh} with the same bytes as {@code existing}.
   *
   * @return whether the bytes had to be copied
   * @throws NoSuchFileException if {@code existing} is gone
   * @throws FileAlreadyExistsException if {@code fresh} exists
   */
  boolean linkOrCopy(Path existing, Path fresh) throws IOException {
    try {
      linker.link(fresh, existing);
      return false;
    } catch (NoSuchFileException | FileAlreadyExistsException e) {
      throw e;
    } catch (FileSystemException | UnsupportedOperationException e) {
      // Not permitted, not supported, or too many links: in all cases a copy works.
      LOG.warn("Cannot link {} to {}, copying it instead: {}", fresh, existing, e.toString());
      Files.copy(existing, fresh);
      return true;
    }
  }

  /** Makes a hard link. */
  interface Linker {
    void link(Path link, Path existing) throws IOException;
  }
}
