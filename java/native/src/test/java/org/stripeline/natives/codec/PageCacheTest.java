// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageCacheTest {
  @TempDir Path directory;

  @Test
  void dropsAFileWithTheNativeLibraryOnly() throws Exception {
    byte[] bytes = new byte[100_000];
    bytes[70_000] = 1;
    Path file = Files.write(directory.resolve("file"), bytes);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.force(true);
    }

    assertThat(PageCache.drop(file)).isEqualTo(CoderStatus.current().isNative());
    assertThat(PageCache.drop(directory.resolve("missing"))).isFalse();

    assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
  }
}
