// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import org.apache.hadoop.fs.GlobPattern;

/** User-defined filter for the files of a tree. A file is converted only if all conditions hold. */
public final class FileFilter {
  /** Minimum milliseconds since the last modification; 0 for any. */
  public long ageMsMin;

  /** Minimum length of a file in bytes. */
  public long bytesMin;

  /** Pattern of the whole path, or of the name alone if it has no slash; null for any. */
  public String glob;

  /** Owner of the files; null for any. */
  public String owner;

  /** Whether files in snapshots are converted too, although this frees no space. */
  public boolean includeSnapshotted;

  /** Whether files whose writers rely on hsync are converted; erasure-coded files ignore hsync. */
  public boolean includeSynced;

  private transient GlobPattern compiled;

  /**
   * Returns whether a file is selected.
   *
   * @param modifiedMs time of its last modification
   * @param nowMs the current time
   */
  public boolean selects(String path, String user, long bytes, long modifiedMs, long nowMs) {
    return matches(path)
        && (owner == null || owner.equals(user))
        && bytes >= bytesMin
        && nowMs - modifiedMs >= ageMsMin;
  }

  /** Returns whether a path matches the pattern. */
  public boolean matches(String path) {
    if (glob == null) {
      return true;
    }
    if (compiled == null) {
      compiled = new GlobPattern(glob);
    }
    boolean whole = glob.indexOf('/') >= 0;
    return compiled.matches(whole ? path : path.substring(path.lastIndexOf('/') + 1));
  }
}
