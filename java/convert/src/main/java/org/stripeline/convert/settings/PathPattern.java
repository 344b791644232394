// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import org.apache.hadoop.fs.GlobPattern;

/**
 * An absolute path whose components are globs, as Hadoop's shell expands them: a wildcard does not
 * match a slash.
 */
public final class PathPattern {
  private final String text;
  private final Component[] components;

  /** One name or glob of the pattern. */
  private static final class Component {
    private final String text;

    /** The only name that it matches; null if it has wildcards. */
    private final String name;

    private final GlobPattern glob;

    Component(String text) {
      this.text = text;
      boolean isWild = text.replaceAll("\\\\.", "").matches("(?s).*[*?\\[{\\\\].*");
      // As Hadoop's shell does: without wildcards, all characters stand for themselves.
      name = isWild ? null : text.replaceAll("\\\\(.)", "$1");
      glob = isWild ? new GlobPattern(text) : null;
    }

    boolean matches(String other) {
      return name == null ? glob.matches(other) : name.equals(other);
    }

    boolean includes(Component other) {
      return text.equals("*")
          || text.equals(other.text)
          || (other.name != null && matches(other.name));
    }
  }

  /**
   * Reads a pattern.
   *
   * @throws IllegalArgumentException if it is not absolute, cannot be read, has a slash in braces,
   *     or a component that is {@code .} or {@code ..}
   */
  public PathPattern(String text) {
    if (!text.startsWith("/")) {
      throw new IllegalArgumentException("Cannot use path " + text + ": it must begin with /");
    }
    if (text.matches(".*\\{[^}]*/.*")) {
      throw new IllegalArgumentException(
          "Cannot use path " + text + ": a slash in braces is not possible; write several paths");
    }
    String[] parts = split(text);
    // Paths of files, with which this is compared, have single slashes.
    this.text = "/" + String.join("/", parts);
    components = new Component[parts.length];
    for (int i = 0; i < parts.length; i++) {
      if (parts[i].matches("[.]{1,2}")) {
        throw new IllegalArgumentException(
            "Cannot use path " + text + ": a name must not be " + parts[i]);
      }
      try {
        components[i] = new Component(parts[i]);
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

  /**
   * Returns whether the pattern covers every path that another one covers. It can return false if
   * that has wildcards.
   */
  public boolean covers(PathPattern other) {
    if (other.components.length < components.length) {
      return false;
    }
    for (int i = 0; i < components.length; i++) {
      if (!components[i].includes(other.components[i])) {
        return false;
      }
    }
    return true;
  }

  /** Returns the pattern with single slashes, and none at its end. */
  @Override
  public String toString() {
    return text;
  }
}
