// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HardLinksTest {
  @TempDir private Path dir;
  private Path existing;
  private Path fresh;

  @BeforeEach
  void write() throws Exception {
    existing = Files.writeString(dir.resolve("existing"), "bytes");
    fresh = dir.resolve("fresh");
  }

  @Test
  void linksWhereTheFileSystemDoes() throws Exception {
    assertThat(HardLinks.wanted(true).linkOrCopy(existing, fresh)).isFalse();
    assertThat(Files.isSameFile(existing, fresh)).isTrue();
  }

  @Test
  void copiesIfLinksAreDisabled() throws Exception {
    assertThat(HardLinks.wanted(false).linkOrCopy(existing, fresh)).isTrue();
    checkCopied();
  }

  @Test
  void copiesWhereTheFileSystemRefuses() throws Exception {
    HardLinks full =
        new HardLinks(
            (link, from) -> {
              throw new FileSystemException(link.toString(), from.toString(), "Too many links");
            });
    assertThat(full.linkOrCopy(existing, fresh)).isTrue();
    checkCopied();
  }

  private void checkCopied() throws Exception {
    assertThat(Files.isSameFile(existing, fresh)).isFalse();
    assertThat(fresh).hasContent("bytes");
  }

  @Test
  void reportsThatTheSourceIsMissing() throws Exception {
    Files.delete(existing);
    assertThatThrownBy(() -> HardLinks.wanted(true).linkOrCopy(existing, fresh))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void overwritesNothing() throws Exception {
    Files.writeString(fresh, "other");
    for (boolean wanted : new boolean[] {true, false}) {
      assertThatThrownBy(() -> HardLinks.wanted(wanted).linkOrCopy(existing, fresh))
          .isInstanceOf(FileAlreadyExistsException.class);
    }
    assertThat(fresh).hasContent("other");
  }
}
