// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Collections;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.bench.io.client.ClientRequest.Action;

/** Timed operations must detect wrong bytes; tested on local files, which can be damaged. */
class FileTaskTest {
  private static final long BYTES = 3 * (1 << 20) + 12345;

  private final Pattern pattern = new Pattern();
  private FileSystem fs;

  @TempDir Path directory;

  @BeforeEach
  void write() throws IOException {
    fs = new RawLocalFileSystem();
    fs.initialize(java.net.URI.create("file:///"), new Configuration(false));
    assertThat(run(Action.WRITE, true)).isEqualTo(BYTES);
  }

  @AfterEach
  void close() throws IOException {
    fs.close();
  }

  @Test
  void readsTheWrittenBytes() throws IOException {
    assertThat(run(Action.READ, false)).isEqualTo(BYTES);
    assertThat(run(Action.READ, true)).isEqualTo(BYTES);
    assertThat(run(Action.PREAD, true)).isEqualTo(BYTES);
    assertThat(run(Action.RANDOM, false)).isEqualTo(50 * 5000);
  }

  @Test
  void detectsOneWrongByteWhereEveryByteIsCompared() throws IOException {
    damage(2_000_001, 1);

    for (Action action : new Action[] {Action.READ, Action.PREAD}) {
      assertThatThrownBy(() -> run(action, true))
          .isInstanceOf(WrongBytesException.class)
          .hasMessageContaining("bytes differ");
    }
  }

  @Test
  void detectsWrongCellsInTheBytesComparedDuringTiming() throws IOException {
    damage(1 << 20, 64 << 10);

    assertThatThrownBy(() -> run(Action.READ, false)).isInstanceOf(WrongBytesException.class);
    assertThatThrownBy(() -> run(Action.PREAD, false)).isInstanceOf(WrongBytesException.class);
    assertThatThrownBy(() -> run(Action.RANDOM, false)).isInstanceOf(WrongBytesException.class);
  }

  @Test
  void detectsTruncatedFiles() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path().toFile(), "rw")) {
      file.setLength(BYTES - 1);
    }
    assertThatThrownBy(() -> run(Action.READ, false)).hasMessageContaining("it ends at");
    assertThatThrownBy(() -> run(Action.PREAD, false)).hasMessageContaining("it ends at");
  }

  @Test
  void distinguishesFiles() {
    byte[] second = new byte[5000];
    System.arraycopy(pattern.bytes(), pattern.index(1, 0), second, 0, second.length);

    assertThat(pattern.isRight(1, 0, second, second.length)).isTrue();
    assertThat(pattern.isRight(0, 0, second, second.length)).isFalse();
    assertThat(pattern.looksRight(0, 0, second, second.length)).isFalse();
  }

  private void damage(long position, int bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path().toFile(), "rw")) {
      byte[] inverted = new byte[bytes];
      file.seek(position);
      file.readFully(inverted);
      for (int i = 0; i < bytes; i++) {
        inverted[i] = (byte) ~inverted[i];
      }
      file.seek(position);
      file.write(inverted);
    }
  }

  private long run(Action action, boolean everyByte) throws IOException {
    ClientRequest request = new ClientRequest();
    request.action = action;
    request.paths = Collections.singletonList(path().toString());
    request.bytes = BYTES;
    request.everyByte = everyByte;
    request.pieceBytes = action == Action.RANDOM ? 5000 : 700_000;
    request.pieces = 50;
    request.seed = 7;
    FileTask task = new FileTask(fs, pattern, request, 0);
    task.prepare();
    return task.run();
  }

  private Path path() {
    return directory.resolve("file");
  }
}
