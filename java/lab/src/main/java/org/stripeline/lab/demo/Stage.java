// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.bench.io.client.Pattern;
import org.stripeline.lab.cluster.WorkDirectory;
import org.stripeline.terminal.Progress;

/**
 * The common parts of all acts: the cluster, both clients, files of known bytes, progress and
 * report.
 */
final class Stage {
  static final Path ROOT = new Path("/demo");

  private static final int REPLICATION = 3;

  /** The two sides of every comparison. */
  enum Side {
    OURS,
    STOCK
  }

  private final DemoSettings settings;
  private final IoCluster cluster;
  private final WorkDirectory place;
  private final Progress progress;
  private final DemoReport report;
  private final Pattern pattern = new Pattern();

  Stage(
      DemoSettings settings,
      IoCluster cluster,
      WorkDirectory place,
      Progress progress,
      DemoReport report) {
    this.settings = settings;
    this.cluster = cluster;
    this.place = place;
    this.progress = progress;
    this.report = report;
  }

  DemoSettings settings() {
    return settings;
  }

  IoCluster cluster() {
    return cluster;
  }

  WorkDirectory place() {
    return place;
  }

  Progress progress() {
    return progress;
  }

  DemoReport report() {
    return report;
  }

  /** Creates an empty directory with the erasure coding policy of the demo. */
  Path codedDirectory(String name) throws IOException {
    Path directory = new Path(ROOT, name);
    cluster.fs().mkdirs(directory);
    cluster.fs().setErasureCodingPolicy(directory, settings.policy().getName());
    return directory;
  }

  /**
   * Returns the configuration of a client: its list of coders has one entry because Hadoop falls
   * back without a message.
   */
  Configuration configuration(Side side) throws IOException {
    Configuration conf = new HdfsConfiguration();
    for (Map.Entry<String, String> setting : cluster.clientSettings().entrySet()) {
      conf.set(setting.getKey(), setting.getValue());
    }
    // Used by fsck.
    conf.set("dfs.namenode.http-address", cluster.status().web.substring("http://".length()));
    conf.set(RebuildAct.CODER_KEY, coder(side));
    if (side == Side.OURS) {
      conf.set("fs.hdfs.impl", "org.apache.hadoop.hdfs.StripelineFileSystem");
    } else {
      conf.unset("fs.hdfs.impl");
    }
    return conf;
  }

  String coder(Side side) {
    return side == Side.OURS ? settings.coder() : "rs_java";
  }

  /** Opens a client without knowledge of failed DataNodes; the caller closes it. */
  DistributedFileSystem open(Side side) throws IOException {
    Configuration conf = configuration(side);
    return (DistributedFileSystem) FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf);
  }

  /** Returns the two sides; a different one is first in each round. */
  static List<Side> inTurn(int round) {
    List<Side> sides = new ArrayList<>(Arrays.asList(Side.values()));
    Collections.rotate(sides, -round);
    return sides;
  }

  /**
   * Writes a file.
   *
   * @param number determines its bytes
   */
  void write(DistributedFileSystem fs, Path path, int number, long bytes, long blockBytes)
      throws IOException {
    try (FSDataOutputStream out =
        fs.create(path, true, Pattern.CHUNK_BYTES, (short) REPLICATION, blockBytes)) {
      for (long done = 0; done < bytes; done += Pattern.CHUNK_BYTES) {
        int step = (int) Math.min(Pattern.CHUNK_BYTES, bytes - done);
        out.write(pattern.bytes(), pattern.index(number, done), step);
      }
    }
  }

  /**
   * Reads a file and compares every byte with what was written.
   *
   * @throws DemoException if one is wrong
   */
  void requireRight(DistributedFileSystem fs, Path path, int number, long bytes)
      throws IOException {
    byte[] read = new byte[Pattern.CHUNK_BYTES];
    try (FSDataInputStream in = fs.open(path)) {
      for (long done = 0; done < bytes; done += read.length) {
        int step = (int) Math.min(read.length, bytes - done);
        in.readFully(read, 0, step);
        if (wrong(number, done, read, step) > 0) {
          throw new DemoException("Wrong bytes in " + path + " from " + done);
        }
      }
      if (in.read() != -1) {
        throw new DemoException("Wrong length of " + path + ": more than " + bytes + " bytes");
      }
    }
  }

  /** Returns how many bytes differ from those of a file at a position. */
  long wrong(int number, long position, byte[] read, int length) {
    long wrong = 0;
    for (int done = 0; done < length; ) {
      int step = Math.min(Pattern.CHUNK_BYTES, length - done);
      int index = pattern.index(number, position + done);
      for (int i = 0; i < step; i++) {
        wrong += read[done + i] == pattern.bytes()[index + i] ? 0 : 1;
      }
      done += step;
    }
    return wrong;
  }
}
