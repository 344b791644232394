// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.SnapshotDiffReport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;

/**
 * Tests the differences in HDFS's handling of converted files; the manual lists each under "What
 * changes for users of the files".
 */
@Tag("full")
class ChangesForUsersTest {
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory, 3, 1, conf -> conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static void convert(JobSettings settings) throws IOException {
    convert(settings, settings.path.substring(1));
  }

  private static void convert(JobSettings settings, String name) throws IOException {
    settings.allowRackLoss = true;
    settings.rules.includeSnapshotted = true;
    try (Driver driver = cluster.driver()) {
      JobReport report = driver.execute(settings, name);
      assertThat(report.failed()).isZero();
      assertThat(report.converted()).isPositive();
    }
  }

  private static void convert(String path) throws IOException {
    convert(ConvertCluster.striped(path, "XOR-2-1"));
  }

  private static FileChecksum checksum(String path, String mode) throws IOException {
    Configuration conf = new Configuration(cluster.conf());
    conf.set("dfs.checksum.combine.mode", mode);
    try (FileSystem fs = FileSystem.newInstance(cluster.uri(), conf)) {
      return fs.getFileChecksum(new Path(path));
    }
  }

  @Test
  void theDefaultChecksumDiffersAndTheCompositeChecksumIsTheSame() throws Exception {
    JobSettings[] layouts = {
      ConvertCluster.striped("/checksum-striped", "XOR-2-1"),
      ConvertCluster.contiguous("/checksum-contiguous", "XOR-2-1")
    };
    for (JobSettings settings : layouts) {
      String file = settings.path + "/a";
      cluster.write(file, 2 * BLOCK + 1);
      FileChecksum before = checksum(file, "MD5MD5CRC");
      FileChecksum composite = checksum(file, "COMPOSITE_CRC");
      convert(settings);

      assertThat(checksum(file, "MD5MD5CRC")).isNotEqualTo(before);
      assertThat(checksum(file, "COMPOSITE_CRC")).isEqualTo(composite);
      convert(ConvertCluster.undo(settings.path), "undo" + settings.path.substring(1));
      assertThat(checksum(file, "MD5MD5CRC")).isEqualTo(before);
    }
  }

  @Test
  void appendsOnlyInANewBlockGroup() throws Exception {
    byte[] bytes = cluster.write("/append/a", 2 * BLOCK + 1);
    convert("/append");
    DistributedFileSystem fs = cluster.fs();
    Path file = new Path("/append/a");

    assertThatThrownBy(() -> fs.append(file))
        .hasMessageContaining("append")
        .hasMessageContaining("NEW_BLOCK");
    EnumSet<CreateFlag> inNewBlock = EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK);
    try (FSDataOutputStream out = fs.append(file, inNewBlock, 4096, null)) {
      out.write(1);
    }
    byte[] more = Arrays.copyOf(bytes, bytes.length + 1);
    more[bytes.length] = 1;
    assertThat(cluster.read("/append/a")).isEqualTo(more);
  }

  @Test
  void flushingHasNoEffect() throws Exception {
    byte[] bytes = cluster.write("/flush/a", 2 * BLOCK);
    EnumSet<CreateFlag> inNewBlock = EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK);
    Path file = new Path("/flush/a");
    convert("/flush");

    try (FSDataOutputStream out = cluster.fs().append(file, inNewBlock, 4096, null)) {
      assertThat(out.hasCapability("hflush")).isFalse();
      assertThat(out.hasCapability("hsync")).isFalse();
      out.write(new byte[1000]);
      out.hflush();
      out.hsync();
      assertThat(cluster.read("/flush/a")).isEqualTo(bytes);
    }
    assertThat(cluster.read("/flush/a")).hasSize(bytes.length + 1000);
  }

  @Test
  void isNotTruncated() throws Exception {
    byte[] bytes = cluster.write("/truncate/a", 2 * BLOCK);
    convert("/truncate");

    assertThatThrownBy(() -> cluster.fs().truncate(new Path("/truncate/a"), BLOCK))
        .hasMessageContaining("Cannot truncate file with striped block");
    assertThat(cluster.read("/truncate/a")).isEqualTo(bytes);
  }

  @Test
  void isJoinedOnlyWithFilesOfItsPolicy() throws Exception {
    for (String name : new String[] {"a", "b"}) {
      cluster.write("/concat/" + name, 2 * BLOCK);
    }
    convert("/concat");
    byte[] plain = cluster.write("/concat/plain", 2 * BLOCK);
    DistributedFileSystem fs = cluster.fs();

    assertThatThrownBy(
            () -> fs.concat(new Path("/concat/a"), new Path[] {new Path("/concat/plain")}))
        .hasMessageContaining("erasure coding policy");
    assertThat(cluster.read("/concat/plain")).isEqualTo(plain);
    fs.concat(new Path("/concat/a"), new Path[] {new Path("/concat/b")});
    assertThat(cluster.read("/concat/a")).hasSize(4 * BLOCK);
  }

  @Test
  void theConvertedFileHasANewInodeNumber() throws Exception {
    cluster.write("/inode/a", 2 * BLOCK);
    DistributedFileSystem fs = cluster.fs();
    long id = fs.getClient().getFileInfo("/inode/a").getFileId();
    convert("/inode");

    assertThat(fs.getClient().getFileInfo("/inode/a").getFileId()).isNotEqualTo(id);
    assertThatThrownBy(() -> fs.open(new Path(InodePath.of(id))))
        .isInstanceOf(FileNotFoundException.class);
  }

  @Test
  void isAnotherFileForSnapshots() throws Exception {
    byte[] bytes = cluster.write("/snapshots/a", 2 * BLOCK);
    DistributedFileSystem fs = cluster.fs();
    Path root = new Path("/snapshots");
    fs.allowSnapshot(root);
    fs.createSnapshot(root, "before");
    convert("/snapshots");

    assertThat(cluster.read("/snapshots/.snapshot/before/a")).isEqualTo(bytes);
    SnapshotDiffReport report = fs.getSnapshotDiffReport(root, "before", "");
    assertThat(report.toString()).contains("-\t./a").contains("+\t./a");
    fs.deleteSnapshot(root, "before");
    fs.disallowSnapshot(root);
  }

  @Test
  void setrepChangesNothing() throws Exception {
    cluster.write("/setrep/a", 2 * BLOCK);
    convert("/setrep");
    Path file = new Path("/setrep/a");
    DistributedFileSystem fs = cluster.fs();
    short before = fs.getFileStatus(file).getReplication();

    fs.setReplication(file, (short) 2);
    assertThat(fs.getFileStatus(file).getReplication()).isEqualTo(before);
    assertThat(before).isEqualTo((short) 1);
    assertThat(cluster.isWhole("/setrep/a")).isTrue();
  }
}
