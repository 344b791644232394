// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The library that this build made, if it made one. */
final class NativeLibraryUnderTest {
  private NativeLibraryUnderTest() {}

  /**
   * Skips the test where no library was built. Where one was, it must load: to skip for one that is
   * there but broken would hide the very failure that the tests are for.
   */
  static void require() {
    boolean built =
        System.getProperty(NativeLoader.PATH_KEY) != null
            || NativeLoader.class.getResource(platform().resourcePath()) != null;
    assumeTrue(built, "no native library was built (tools/build-native.sh builds it)");
    NativeLoader.shared().verifyEnabled();
    assertThat(CoderStatus.current().isNative()).isTrue();
  }

  static NativePlatform platform() {
    return NativePlatform.of(System.getProperty("os.name"), System.getProperty("os.arch"));
  }
}
