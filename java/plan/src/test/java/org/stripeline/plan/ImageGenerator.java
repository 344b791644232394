// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;

/**
 * Writes images of any size in the formats of {@code hdfs oiv}, from a seed: directories two levels
 * deep, files of 1 to 20 blocks, some of them short, in the order in which the inodes were created.
 */
final class ImageGenerator {
  static final long BLOCK_BYTES = 128L << 20;

  private static final int FILES_PER_DIRECTORY = 200;
  private static final int DIRECTORIES_PER_TOP = 100;
  private static final long ROOT_ID = 16385;

  private final SplittableRandom random;
  private final long blocksWanted;

  /** Totals of what was written. */
  long files;

  long blocks;
  long bytes;

  ImageGenerator(long seed, long blocksWanted) {
    this.random = new SplittableRandom(seed);
    this.blocksWanted = blocksWanted;
  }

  /** Writes XML, with gzip if the name ends in {@code .gz}. */
  void writeXml(Path file) throws IOException {
    long files = 0;
    SplittableRandom sizes = random.split();
    try (PrintStream out = open(file)) {
      out.print("<?xml version=\"1.0\"?>\n<fsimage><version><layoutVersion>-66</layoutVersion>");
      out.print("</version>\n<NameSection><namespaceId>1</namespaceId></NameSection>\n");
      out.print("<INodeSection><lastInodeId>1</lastInodeId><numInodes>1</numInodes>");
      directory(out, ROOT_ID, "");
      long id = ROOT_ID + 1;
      StringBuilder tree = new StringBuilder();
      StringBuilder tops = new StringBuilder();
      long top = 0;
      for (long count = 0; blocks < blocksWanted; count++) {
        if (count % DIRECTORIES_PER_TOP == 0) {
          top = id++;
          directory(out, top, "t" + top);
          tops.append("<child>").append(top).append("</child>");
        }
        long directory = id++;
        directory(out, directory, "d" + directory);
        tree.append(top).append(' ').append(directory).append(' ').append(id);
        for (int i = 0; i < FILES_PER_DIRECTORY && blocks < blocksWanted; i++) {
          file(out, id++, sizes);
          files++;
        }
        tree.append(' ').append(id).append('\n');
      }
      out.print("</INodeSection>\n<INodeDirectorySection><directory><parent>" + ROOT_ID);
      out.print("</parent>" + tops + "</directory>\n");
      children(out, tree.toString());
      out.print("</INodeDirectorySection>\n</fsimage>\n");
    }
    this.files = files;
  }

  private static void children(PrintStream out, String tree) {
    for (String line : tree.split("\n")) {
      String[] ids = line.split(" ");
      out.print("<directory><parent>" + ids[0] + "</parent><child>" + ids[1]);
      out.print("</child></directory>\n<directory><parent>" + ids[1] + "</parent>");
      for (long id = Long.parseLong(ids[2]); id < Long.parseLong(ids[3]); id++) {
        out.print("<child>" + id + "</child>");
      }
      out.print("</directory>\n");
    }
  }

  private static void directory(PrintStream out, long id, String name) {
    out.print(
        "<inode><id>"
            + id
            + "</id><type>DIRECTORY</type><name>"
            + name
            + "</name><mtime>1700000000000</mtime><permission>hdfs:supergroup:0755</permission>"
            + "<nsquota>-1</nsquota><dsquota>-1</dsquota></inode>\n");
  }

  private void file(PrintStream out, long id, SplittableRandom sizes) {
    int count =
        (int) Math.min(1 + sizes.nextInt(sizes.nextInt(4) == 0 ? 20 : 3), blocksWanted - blocks);
    long last = 1 + sizes.nextLong(BLOCK_BYTES);
    StringBuilder text = new StringBuilder();
    text.append("<inode><id>")
        .append(id)
        .append("</id><type>FILE</type><name>part-")
        .append(id)
        .append("</name><replication>3</replication><mtime>1700000000000</mtime>")
        .append("<atime>1700000000000</atime><preferredBlockSize>")
        .append(BLOCK_BYTES)
        .append("</preferredBlockSize><permission>hdfs:supergroup:0644</permission><blocks>");
    for (int i = 0; i < count; i++) {
      long length = i + 1 == count ? last : BLOCK_BYTES;
      text.append("<block><id>")
          .append(1073741825 + blocks)
          .append("</id><genstamp>")
          .append(1001 + blocks)
          .append("</genstamp><numBytes>")
          .append(length)
          .append("</numBytes></block>\n");
      blocks++;
      bytes += length;
    }
    out.print(text.append("</blocks>\n<storagePolicyId>0</storagePolicyId></inode>\n"));
  }

  /** Writes delimited lines, with gzip if the name ends in {@code .gz}. */
  void writeDelimited(Path file) throws IOException {
    SplittableRandom sizes = random.split();
    try (PrintStream out = open(file)) {
      out.print(
          "Path\tReplication\tModificationTime\tAccessTime\tPreferredBlockSize\tBlocksCount\t"
              + "FileSize\tNSQUOTA\tDSQUOTA\tPermission\tUserName\tGroupName\n");
      line(out, "/", 0, 0, 0, "drwxr-xr-x");
      while (blocks < blocksWanted) {
        int count =
            (int)
                Math.min(1 + sizes.nextInt(sizes.nextInt(4) == 0 ? 20 : 3), blocksWanted - blocks);
        long length = (count - 1) * BLOCK_BYTES + 1 + sizes.nextLong(BLOCK_BYTES);
        long directory = files / FILES_PER_DIRECTORY;
        line(
            out,
            "/t" + directory / DIRECTORIES_PER_TOP + "/d" + directory + "/part-" + files,
            3,
            count,
            length,
            "-rw-r--r--");
        files++;
        blocks += count;
        bytes += length;
      }
    }
  }

  private static void line(
      PrintStream out, String path, int replication, int count, long length, String permission) {
    out.print(
        path
            + '\t'
            + replication
            + "\t2023-11-14 22:13\t2023-11-14 22:13\t"
            + BLOCK_BYTES
            + '\t'
            + count
            + '\t'
            + length
            + "\t0\t0\t"
            + permission
            + "\thdfs\tsupergroup\n");
  }

  private static PrintStream open(Path file) throws IOException {
    OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 18);
    if (file.toString().endsWith(".gz")) {
      out = new BufferedOutputStream(new GZIPOutputStream(out, 1 << 16), 1 << 18);
    }
    return new PrintStream(out, false, StandardCharsets.UTF_8);
  }
}
