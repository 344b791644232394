// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.util.Random;
import java.util.zip.Checksum;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares with CRCs that are computed from the bytes themselves. */
class ChunkCrcsTest {
  @ParameterizedTest
  @CsvSource({"0,512", "1,512", "512,512", "1024,512", "16777216,512", "1000003,512", "70000,4096"})
  void composesWhatTheBytesHave(int length, int chunk) throws Exception {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    for (DataChecksum.Type type :
        new DataChecksum.Type[] {DataChecksum.Type.CRC32, DataChecksum.Type.CRC32C}) {
      ByteArrayOutputStream crcs = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(crcs);
      for (int at = 0; at < length; at += chunk) {
        out.writeInt(crc(type, bytes, at, Math.min(chunk, length - at)));
      }
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(crcs.toByteArray()));
      assertThat(new ChunkCrcs(type, chunk).compose(in, length))
          .isEqualTo(crc(type, bytes, 0, length));
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  private static int crc(DataChecksum.Type type, byte[] bytes, int offset, int length) {
    Checksum crc = DataChecksum.newDataChecksum(type, 512);
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }
}
