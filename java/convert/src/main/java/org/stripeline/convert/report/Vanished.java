// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Directories and files that were renamed or deleted before the walk came to them. The number of
 * files in such a directory is unknown. The field names are stable.
 */
public final class Vanished {
  private static final int EXAMPLES_MAX = 10;

  /** Directories that were not read, or not completely. */
  public long directories;

  /** Files that were not judged. */
  public long files;

  /** Paths of the first few. */
  public final List<String> examples = new ArrayList<>();

  public void directory(String path) {
    directories++;
    example(path);
  }

  public void file(String path) {
    files++;
    example(path);
  }

  private void example(String path) {
    if (examples.size() < EXAMPLES_MAX) {
      examples.add(path);
    }
  }

  /** Returns whether anything vanished. */
  public boolean isAny() {
    return directories + files > 0;
  }
}
