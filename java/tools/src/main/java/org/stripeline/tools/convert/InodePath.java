// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

/**
 * Names a file by its number ({@code FSDirectory.resolvePath}): renames are followed, and a file
 * that takes the place of a deleted one is not taken for it.
 */
final class InodePath {
  private static final String PREFIX = "/.reserved/.inodes/";

  private InodePath() {}

  static String of(long fileId) {
    return PREFIX + fileId;
  }
}
