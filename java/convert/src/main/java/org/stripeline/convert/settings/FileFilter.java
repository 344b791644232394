// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import org.apache.hadoop.fs.GlobPattern;

/** Which files of a tree a job takes, as far as its user says; all must hold. */
public final class FileFilter {
  /** Least milliseconds since the last modification; 0 for any. */
  public long ageMsMin;

  /** Least bytes of a file. */
  public long bytesMin;

  /** Pattern of the whole path, or of the name alone if it has no slash; null for any. */
  public String glob;

  /** Owner of the files; null for any. */
  public String owner;

  /** Whether files that snapshots keep are taken too, though their space stays bound. */
  public boolean includeSnapshotted;

  /** Whether files whose writers rely on hsync are taken; erasure-coded files ignore hsync. */
  public boolean includeSynced;

  private transient GlobPattern compiled;

  /** Tells whether a path matches the pattern. */
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
