// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import java.util.ArrayList;
import java.util.List;

/**
 * What a walk knows of, but was renamed or deleted before the walk came to it. How many files such
 * a directory had is not known. Field names are stable.
 */
public final class Vanished {
  private static final int EXAMPLES_MAX = 10;

  /** Directories not looked at, or not to their end. */
  public long directories;

  /** Files not looked at. */
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

  /** Tells whether there is anything of the kind. */
  public boolean isAny() {
    return directories + files > 0;
  }
}
