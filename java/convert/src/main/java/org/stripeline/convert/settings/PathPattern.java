// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import org.apache.hadoop.fs.GlobPattern;

/**
 * An absolute path whose components are globs, as Hadoop's shell expands them: a wildcard does not
 * match a slash.
 */
public final class PathPattern {
  private final String text;
  private final GlobPattern[] components;

  /**
   * Reads a pattern.
   *
   * @throws IllegalArgumentException if it is not absolute, cannot be read, or has a slash in
   *     braces
   */
  public PathPattern(String text) {
    if (!text.startsWith("/")) {
      throw new IllegalArgumentException("Cannot use path " + text + ": it must begin with /");
    }
    if (text.matches(".*\\{[^}]*/.*")) {
      throw new IllegalArgumentException(
          "Cannot use path " + text + ": a slash in braces is not possible; write several paths");
    }
    this.text = text;
    String[] parts = split(text);
    components = new GlobPattern[parts.length];
    for (int i = 0; i < parts.length; i++) {
      try {
        components[i] = new GlobPattern(parts[i]);
      } catch (RuntimeException e) {
        // The class depends on the library that Hadoop's GlobPattern uses.
        throw new IllegalArgumentException("Cannot read path " + text + ": " + e.getMessage(), e);
      }
    }
  }

  private static String[] split(String path) {
    String inner = path.replaceAll("^/+|/+$", "");
    return inner.isEmpty() ? new String[0] : inner.split("/+");
  }

  /** Returns whether the pattern matches a path or one of the directories above it. */
  public boolean covers(String path) {
    String[] parts = split(path);
    if (parts.length < components.length) {
      return false;
    }
    for (int i = 0; i < components.length; i++) {
      if (!components[i].matches(parts[i])) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return text;
  }
}
