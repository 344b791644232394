// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;
import org.stripeline.testkit.Conditions;

/** Writes files to DataNodes whose disks have room for one and a half internal blocks. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@Tag("full")
class FullDiskTest {
  private static final int K = 3;
  private static final int M = 2;
  private static final int CELL = 64 << 10;
  private static final int STRIPE = K * CELL;
  private static final int GROUP = 4 * STRIPE;

  /** Four block groups. */
  private static final byte[] DATA = StripedCluster.bytes(3 * GROUP + STRIPE + 777, 7);

  @TempDir private Path dir;
  private final List<Path> mounted = new ArrayList<>();
  private final List<String> limited = new ArrayList<>();
  private StripedCluster cluster;
  private org.apache.hadoop.fs.Path file;

  @BeforeEach
  void start() throws IOException {
    Configuration settings = new Configuration(false);
    settings.setInt("dfs.blocksize", GROUP / K);
    settings.setInt("dfs.client.datanode-restart.timeout", 1);
    cluster = new StripedCluster(dir, K + M, settings);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", K, M), CELL);
    file = new org.apache.hadoop.fs.Path(cluster.directory("/ec", policy), "f");
  }

  @AfterEach
  void stop() throws Exception {
    try {
      cluster.close();
    } finally {
      for (Path path : mounted) {
        run("umount", "--lazy", path.toString());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"functional-partitioned, 2", "non-blocking, 1", "blocking, 1"})
  void asManyFullDisksAsThereIsParityLoseNothing(String mode, int disks) throws Exception {
    limitDisks(disks);
    try (DistributedFileSystem fs = client(mode)) {
      StripedCluster.write(fs, file, DATA);
    }
    Conditions.await(
        "the blocks of those with room",
        () ->
            cluster.groups(file).stream()
                .allMatch(group -> group.getLocations().length >= K + M - disks));
    assertThat(cluster.groups(file).get(0).getLocations()).hasSize(K + M);
    assertThat(cluster.groups(file).get(2).getLocations()).hasSize(K + M - disks);
    for (DistributedFileSystem fs : new DistributedFileSystem[] {cluster.stock(), cluster.ours()}) {
      byte[] read = new byte[DATA.length];
      try (FSDataInputStream in = fs.open(file)) {
        in.readFully(read);
      }
      assertThat(read).isEqualTo(DATA);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"functional-partitioned", "blocking"})
  void oneFullDiskMoreIsAnError(String mode) throws Exception {
    limitDisks(M + 1);
    try (DistributedFileSystem fs = client(mode)) {
      FSDataOutputStream out = fs.create(file);
      assertThatThrownBy(
              () -> {
                out.write(DATA);
                out.close();
              })
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("Cannot write " + file.toUri().getPath() + ": ")
          .satisfies(
              e ->
                  // The last DataNode to fail is missing if Hadoop interrupted it before it
                  // reported its failure.
                  assertThat(named(e.getMessage())).isNotEmpty().isSubsetOf(limited));
      assertThatThrownBy(out::close).isInstanceOf(IOException.class);
      assertThat(cluster.stock().isFileClosed(file)).isFalse();
    }
  }

  /** Syncs that end block groups succeed as long as parity replaces what the full disks lack. */
  @ParameterizedTest
  @ValueSource(ints = {M, M + 1})
  void syncedBytesStayWhenDisksAreFull(int disks) throws Exception {
    limitDisks(disks);
    int acknowledged = 0;
    boolean isClosed = false;
    try (DistributedFileSystem fs = client("functional-partitioned")) {
      FSDataOutputStream out = fs.create(file);
      try {
        for (int done = 0; done < DATA.length; done = acknowledged) {
          int count = Math.min(STRIPE + 777, DATA.length - done);
          out.write(DATA, done, count);
          out.hsync();
          acknowledged = done + count;
        }
        out.close();
        isClosed = true;
      } catch (IOException e) {
        assertThat(e).hasMessageContaining(file.toUri().getPath());
        assertThatThrownBy(out::close).isInstanceOf(IOException.class);
      }
      assertThat(isClosed).isEqualTo(disks <= M);
    }
    assertThat(acknowledged).isGreaterThan(GROUP);
    for (DistributedFileSystem fs : new DistributedFileSystem[] {cluster.stock(), cluster.ours()}) {
      byte[] read = new byte[acknowledged];
      try (FSDataInputStream in = fs.open(file)) {
        in.readFully(read);
      }
      assertThat(read).isEqualTo(Arrays.copyOf(DATA, acknowledged));
    }
  }

  /** Returns the DataNodes that a message names as failed. */
  private List<String> named(String message) {
    return cluster.mini().getDataNodes().stream()
        .map(node -> node.getDatanodeId().getXferAddr())
        .filter(node -> Pattern.compile("\\d at " + node + "\\b").matcher(message).find())
        .toList();
  }

  private DistributedFileSystem client(String mode) throws IOException {
    Configuration conf = new Configuration(cluster.mini().getConfiguration(0));
    conf.set(ClientKeys.WRITE_MODE, mode);
    conf.setInt(ClientKeys.WRITE_SYNC_SWITCH_MAX, 0);
    return cluster.client(StripelineFileSystem.class, conf);
  }

  /** Mounts small file systems on the block directories of the first DataNodes. */
  private void limitDisks(int count) throws Exception {
    String pool = cluster.mini().getNamesystem().getBlockPoolId();
    for (int i = 0; i < count; i++) {
      DataNode node = cluster.mini().getDataNodes().get(i);
      Path storage = cluster.mini().getInstanceStorageDir(i, 0).toPath();
      Path current = storage.resolve("current").resolve(pool).resolve("current");
      Path version = dir.resolve("VERSION");
      Files.copy(current.resolve("VERSION"), version, StandardCopyOption.REPLACE_EXISTING);
      int size = GROUP / K * 3 / 2;
      assumeTrue(
          run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", current.toString()),
          "a full disk takes mount, which takes root");
      mounted.add(current);
      Files.copy(version, current.resolve("VERSION"));
      Files.createDirectory(current.resolve("rbw"));
      Files.createDirectory(current.resolve("finalized"));
      limited.add(node.getDatanodeId().getXferAddr());
    }
  }

  private static boolean run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.waitFor() == 0;
  }
}
