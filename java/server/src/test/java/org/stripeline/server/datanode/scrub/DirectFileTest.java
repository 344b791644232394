// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.natives.fingerprint.FingerprintFunction;

class DirectFileTest {
  private static final int WINDOW = FingerprintFunction.WINDOW_BYTES_MAX;

  @TempDir private Path dir;

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(DirectFile.BUFFER_BYTES);

  @Test
  void readsWhatIsInTheFile() throws Exception {
    readsAt(dir);
  }

  /** Some kernels refuse to read tmpfs past the page cache. */
  @Test
  void readsInMemoryFileSystems() throws Exception {
    Path memory = Paths.get("/dev/shm");
    if (Files.isDirectory(memory)) {
      Path own = Files.createTempDirectory(memory, "stripeline-direct");
      try {
        readsAt(own);
      } finally {
        Files.deleteIfExists(own.resolve("blk"));
        Files.delete(own);
      }
    }
  }

  private void readsAt(Path directory) throws Exception {
    byte[] bytes = new byte[WINDOW + 70_001];
    new Random(3).nextBytes(bytes);
    Path path = Files.write(directory.resolve("blk"), bytes);
    int end = bytes.length;
    int[][] parts = {
      {0, 1},
      {0, WINDOW},
      {0, 4096},
      {1, WINDOW},
      {511, 4097},
      {4095, WINDOW},
      {70_001, WINDOW},
      {end - 1, 1},
      {end - 65_536, 65_536},
      {65_536, 4465}
    };
    try (DirectFile file = DirectFile.open(path, buffer)) {
      for (int[] part : parts) {
        byte[] read = new byte[part[1]];
        ByteBuffer data = file.read(part[0], part[1]);
        assertThat(data.isDirect()).isTrue();
        assertThat(data.remaining()).isEqualTo(part[1]);
        data.get(read);
        assertThat(read)
            .as(Arrays.toString(part))
            .isEqualTo(Arrays.copyOfRange(bytes, part[0], part[0] + part[1]));
      }
      for (int[] part : new int[][] {{end - 1, 2}, {end, 1}, {end + 10_000_000, 1}}) {
        assertThatThrownBy(() -> file.read(part[0], part[1]))
            .as(Arrays.toString(part))
            .isInstanceOf(EOFException.class)
            .hasMessageContaining("blk ends at or before");
      }
    }
  }

  @Test
  void readsThroughThePageCacheWhereNothingElseIsPossible() throws Exception {
    Path refusing = Paths.get("/proc/version");
    byte[] bytes = Files.readAllBytes(refusing);
    try (DirectFile file = DirectFile.open(refusing, buffer)) {
      byte[] read = new byte[bytes.length - 3];
      file.read(3, read.length).get(read);
      assertThat(read).isEqualTo(Arrays.copyOfRange(bytes, 3, bytes.length));
      assertThat(file.isCached()).isTrue();
    }
  }

  /** The page cache has the bytes, and would hide that the disk cannot read them any more. */
  @Test
  void aReadThatFailsAfterOthersIsNotRepeated() throws Exception {
    Path path = Files.write(dir.resolve("blk"), new byte[2 * WINDOW]);
    DirectFile file = DirectFile.open(path, buffer);
    file.read(0, WINDOW);
    file.close();
    assertThatThrownBy(() -> file.read(WINDOW, WINDOW)).isInstanceOf(IOException.class);
  }

  @Test
  void aMissingFileIsNamed() {
    assertThatThrownBy(() -> DirectFile.open(dir.resolve("gone"), buffer))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("gone");
  }
}
