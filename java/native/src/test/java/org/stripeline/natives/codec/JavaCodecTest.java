// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaCodecTest extends CodecContractTest {
  @Override
  protected ErasureCodec create(Code code, int dataUnits, int parityUnits) {
    return new JavaCodec(code, dataUnits, parityUnits);
  }

  /** Offsets must not overflow at the end of the longest unit; its file has no bytes on disk. */
  @Test
  @Tag("full")
  void theLongestUnitIsCodedToItsEnd(@TempDir Path directory) throws IOException {
    int length = Integer.MAX_VALUE;
    try (RandomAccessFile file = new RandomAccessFile(directory.resolve("zeros").toFile(), "rw")) {
      file.setLength(length);
      ByteBuffer zeros = file.getChannel().map(MapMode.READ_ONLY, 0, length);
      BlockCoder.Unit[] units = {BlockCoder.Unit.of(zeros, 0, length)};
      BlockCoder coder = new BlockCoder(new int[][] {{1}}, 1);
      assertThat(coder.firstMismatch(units, units, length, new BlockCoder.Scratch())).isEqualTo(-1);
    }
  }
}
