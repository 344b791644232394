// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import java.util.ArrayList;
import java.util.List;
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

  /** Patterns of paths, one of which covers each file, see {@link PathPattern}; null for any. */
  public List<String> under;

  /** Filters of other jobs: a file that one of them chooses is left to it, whatever its age. */
  public List<FileFilter> except = new ArrayList<>();

  private transient GlobPattern compiled;
  private transient List<PathPattern> underCompiled;

  /**
   * Returns whether a file is selected.
   *
   * @param modifiedMs time of its last modification
   * @param nowMs the current time
   */
  public boolean selects(String path, String user, long bytes, long modifiedMs, long nowMs) {
    if (nowMs - modifiedMs < ageMsMin || !chooses(path, user, bytes)) {
      return false;
    }
    for (FileFilter other : except) {
      if (other.chooses(path, user, bytes)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the path, owner and size of a file are selected, whatever its age. */
  public boolean chooses(String path, String user, long bytes) {
    return isUnder(path)
        && matches(path)
        && (owner == null || owner.equals(user))
        && bytes >= bytesMin;
  }

  /**
   * Returns why {@link #chooses} returns false for a file, as text for users; null if it returns
   * true.
   */
  public String whyNot(String path, String user, long bytes) {
    if (!isUnder(path)) {
      return "it is not below " + String.join(" or ", under);
    }
    if (!matches(path)) {
      return "it does not match " + glob;
    }
    if (owner != null && !owner.equals(user)) {
      return "its owner is not " + owner;
    }
    return bytes < bytesMin ? "it has less than " + bytesMin + " bytes" : null;
  }

  private boolean isUnder(String path) {
    if (under == null) {
      return true;
    }
    if (underCompiled == null) {
      List<PathPattern> patterns = new ArrayList<>();
      under.forEach(pattern -> patterns.add(new PathPattern(pattern)));
      underCompiled = patterns;
    }
    for (PathPattern pattern : underCompiled) {
      if (pattern.covers(path)) {
        return true;
      }
    }
    return false;
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
