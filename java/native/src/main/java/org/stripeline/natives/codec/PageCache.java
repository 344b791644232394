// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Access to the operating system's page cache. */
public final class PageCache {
  private PageCache() {}

  /**
   * Asks the operating system to drop the written-back pages of a file from its cache, so that the
   * next read goes to the disk.
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
      // The configured library is of an earlier version.
      return false;
    }
  }
}
