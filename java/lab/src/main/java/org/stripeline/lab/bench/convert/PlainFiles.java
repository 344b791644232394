// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.bench.cluster.ParityCheck;
import org.stripeline.lab.bench.io.client.Pattern;

/** The replicated files of a round, written and compared with Hadoop's own client and coder. */
public final class PlainFiles implements AutoCloseable {
  private final IoCluster cluster;
  private final ConvertSettings settings;
  private final DistributedFileSystem fs;
  private final RaidFiles raid;
  private final long fileBytes;
  private final Pattern pattern = new Pattern();

  public PlainFiles(IoCluster cluster, ConvertSettings settings, ErasureCodingPolicy policy)
      throws IOException {
    this.cluster = cluster;
    this.settings = settings;
    Map<String, String> own = cluster.clientSettings();
    own.put("io.erasurecode.codec.rs.rawcoders", "rs_java");
    fs = cluster.open(own);
    fileBytes = settings.fileBytes(policy);
    raid = new RaidFiles(cluster, fs, policy, settings.blockBytes);
  }

  private Path file(String directory, int number) {
    return new Path(directory, "file" + number);
  }

  /** Writes all files and waits until each block has all its replicas. */
  public void write(String directory) throws IOException {
    for (int number = 0; number < settings.files; number++) {
      write(directory, number, fileBytes);
    }
    IoCluster.await("all replicas of " + directory, () -> isReplicated(directory));
  }

  /** Writes a file of one block. */
  void writeBlock(String directory, int number) throws IOException {
    write(directory, number, settings.blockBytes);
  }

  private void write(String directory, int number, long bytes) throws IOException {
    try (FSDataOutputStream out =
        fs.create(
            file(directory, number),
            true,
            1 << 16,
            (short) settings.replication,
            settings.blockBytes)) {
      for (long position = 0; position < bytes; position += Pattern.CHUNK_BYTES) {
        int step = (int) Math.min(Pattern.CHUNK_BYTES, bytes - position);
        out.write(pattern.bytes(), pattern.index(number, position), step);
      }
    }
  }

  private boolean isReplicated(String directory) {
    try {
      for (int number = 0; number < settings.files; number++) {
        String path = file(directory, number).toUri().getPath();
        for (LocatedBlock block :
            fs.getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE).getLocatedBlocks()) {
          if (block.getLocations().length < settings.replication) {
            return false;
          }
        }
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads all files from their data blocks.
   *
   * @return bytes compared
   * @throws IOException if a byte is wrong or a file is not erasure-coded
   */
  public long compare(String directory) throws IOException {
    for (int number = 0; number < settings.files; number++) {
      Path path = file(directory, number);
      if (fs.getErasureCodingPolicy(path) == null || fs.getFileStatus(path).getLen() != fileBytes) {
        throw new IOException("Cannot continue: " + path + " is not the file erasure-coded");
      }
    }
    return compareAll(directory);
  }

  private long compareAll(String directory) throws IOException {
    for (int number = 0; number < settings.files; number++) {
      compare(directory, number, fileBytes);
    }
    return settings.files * fileBytes;
  }

  /**
   * Reads all files from the replicas that {@link RaidNode} has left.
   *
   * @param sample receives how many blocks would have to move
   * @return bytes compared
   */
  long compareRaid(String directory, ConvertSample sample) throws IOException {
    sample.blocksSent = 0L;
    for (int number = 0; number < settings.files; number++) {
      sample.blocksSent += raid.blocksToMove(file(directory, number), settings.racks);
    }
    return compareAll(directory);
  }

  /** Deletes the files with parity of all files. */
  void deleteRaidParity(String directory) throws IOException {
    for (int number = 0; number < settings.files; number++) {
      raid.deleteParity(file(directory, number));
    }
  }

  /**
   * Compares and deletes the first files from {@link #writeBlock} in a directory.
   *
   * @return bytes compared
   */
  long compareAndDeleteBlocks(String directory, int count) throws IOException {
    List<String> paths = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      compare(directory, number, settings.blockBytes);
      paths.add(file(directory, number).toUri().getPath());
    }
    cluster.delete(paths);
    return count * settings.blockBytes;
  }

  private void compare(String directory, int number, long bytes) throws IOException {
    byte[] read = new byte[Pattern.CHUNK_BYTES];
    Path path = file(directory, number);
    try (FSDataInputStream in = fs.open(path)) {
      for (long position = 0; position < bytes; position += read.length) {
        int step = (int) Math.min(read.length, bytes - position);
        // Positional reads: Hadoop's stream would buffer k cells, which are as large as blocks
        // here.
        in.readFully(position, read, 0, step);
        if (!pattern.isRight(number, position, read, step)) {
          throw new IOException("Cannot continue: wrong bytes in " + path + " from " + position);
        }
      }
    }
  }

  /**
   * Has Hadoop compare the parity of all files with what its Java coder computes.
   *
   * @param isRaid whether {@link RaidNode} has encoded them
   * @return what is wrong or missing, or null
   */
  String wrongParity(String directory, boolean isRaid) throws IOException {
    String wrong = null;
    for (int number = 0; number < settings.files && wrong == null; number++) {
      Path file = file(directory, number);
      wrong = isRaid ? raid.wrongParity(file) : ParityCheck.wrong(cluster, file);
    }
    return wrong;
  }

  /** Deletes all files and waits until their blocks are removed. */
  public void delete(String directory) throws IOException {
    List<String> paths = new ArrayList<>();
    for (int number = 0; number < settings.files; number++) {
      paths.add(file(directory, number).toUri().getPath());
    }
    cluster.delete(paths);
  }

  @Override
  public void close() throws IOException {
    fs.close();
  }
}
