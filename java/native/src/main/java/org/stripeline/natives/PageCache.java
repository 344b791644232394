// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** What the operating system keeps of files in memory. */
public final class PageCache {
  private PageCache() {}

  /**
   * Asks the operating system to forget what it has of a file in memory, as far as it is written
   * back, so that the next read is one of the disk.
   *
   * @return whether it was asked; false without the native library, or if the file cannot be opened
   */
  public static boolean drop(Path file) {
    if (!CoderStatus.current().isNative()) {
      return false;
    }
    try {
      return NativeBridge.dropPages(file.toString().getBytes(StandardCharsets.UTF_8));
    } catch (UnsatisfiedLinkError e) {
      // A library of an earlier version was named by hand.
      return false;
    }
  }
}
