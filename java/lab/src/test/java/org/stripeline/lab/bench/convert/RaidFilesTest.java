// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.net.NetUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.bench.io.IoSettings;

@Timeout(120)
@Tag("full")
class RaidFilesTest {
  private static final int BLOCK_BYTES = 1 << 20;
  private static final org.apache.hadoop.fs.Path FILE =
      new org.apache.hadoop.fs.Path("/source/file");

  @TempDir Path directory;

  private final byte[][] data = new byte[2][BLOCK_BYTES];
  private final byte[][] parity = new byte[2][BLOCK_BYTES];
  private final List<InetSocketAddress> nodes = new ArrayList<>();
  private IoCluster cluster;
  private RaidFiles files;

  @BeforeEach
  void start() throws Exception {
    cluster = IoCluster.start(directory.resolve("cluster"), 4, Collections.emptyMap());
    for (String address : cluster.inside().values()) {
      nodes.add(NetUtils.createSocketAddr(address));
    }
    files = new RaidFiles(cluster, cluster.fs(), IoSettings.policy("RS-2-2-1024k"), BLOCK_BYTES);
    Random random = new Random(1);
    random.nextBytes(data[0]);
    random.nextBytes(data[1]);
    new RSRawErasureCoderFactory()
        .createEncoder(new ErasureCoderOptions(2, 2))
        .encode(data, parity);
    write(FILE, 0, data);
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  private void write(org.apache.hadoop.fs.Path file, int node, byte[]... blocks) throws Exception {
    try (FSDataOutputStream out =
        cluster
            .fs()
            .create(
                file,
                FsPermission.getFileDefault(),
                true,
                4096,
                (short) 1,
                BLOCK_BYTES,
                null,
                new InetSocketAddress[] {nodes.get(node)})) {
      for (byte[] block : blocks) {
        out.write(block);
      }
    }
  }

  private void writeParity(int number, int node, byte[] block) throws Exception {
    String path = RaidStripe.parity(FILE.toUri().getPath(), 0, number);
    write(new org.apache.hadoop.fs.Path(path), node, block);
  }

  @Test
  void wrongParityAndBadPlacesAreFound() throws Exception {
    writeParity(0, 1, parity[0]);
    writeParity(1, 2, parity[1]);
    assertThat(files.wrongParity(FILE)).isNull();
    // Both data blocks are on the first DataNode.
    assertThat(files.blocksToMove(FILE, 4)).isEqualTo(1);

    writeParity(1, 0, new byte[BLOCK_BYTES]);
    assertThat(files.wrongParity(FILE)).contains("file-0-1 is wrong from 0 on");
    assertThat(files.blocksToMove(FILE, 4)).isEqualTo(2);

    files.deleteParity(FILE);
    assertThat(cluster.fs().exists(new org.apache.hadoop.fs.Path("/raid/source/file-0-0")))
        .isFalse();
  }
}
