// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Prints what a process uses that keeps many files open and syncs each of them often. */
final class SyncUsage {
  private static final int ROUNDS = 3;
  private static final byte[] RECORD = new byte[50];

  private SyncUsage() {}

  /** What the process used at one time. */
  record Usage(int threads, int sockets, long heapBytes) {
    /** Reads what {@link #main} printed under a name. */
    static Usage of(String output, String name) {
      String[] parts =
          output
              .lines()
              .filter(line -> line.startsWith(name + ' '))
              .findFirst()
              .orElseThrow(() -> new AssertionError(output))
              .split(" ");
      return new Usage(
          Integer.parseInt(parts[1]), Integer.parseInt(parts[2]), Long.parseLong(parts[3]));
    }
  }

  public static void main(String[] arguments) throws Exception {
    Configuration conf = new Configuration();
    conf.addResource(new Path(arguments[0]));
    Path folder = new Path(arguments[1]);
    int streams = Integer.parseInt(arguments[2]);
    try (DistributedFileSystem fs =
        (DistributedFileSystem) FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf)) {
      try (FSDataOutputStream first = fs.create(new Path(folder, "first"))) {
        first.hsync();
      }
      print("before");
      List<FSDataOutputStream> open = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        FSDataOutputStream out = fs.create(new Path(folder, "log" + i));
        out.write(new byte[i % 10 == 0 ? 300_000 : 100]);
        open.add(out);
      }
      for (FSDataOutputStream out : open) {
        out.hsync();
      }
      write(open);
      print("open");
      for (FSDataOutputStream out : open) {
        out.close();
      }
      open.clear();
      print("closed");
      if (!fs.getClient().isFilesBeingWrittenEmpty()) {
        throw new IllegalStateException("The client renews leases of closed files");
      }
    }
    System.exit(0);
  }

  private static void write(List<FSDataOutputStream> open) throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      for (FSDataOutputStream out : open) {
        out.write(RECORD);
        out.hflush();
      }
    }
  }

  private static void print(String name) throws Exception {
    int threads = ProcessUsage.settled().threads;
    System.gc();
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    System.out.println(name + ' ' + threads + ' ' + sockets() + ' ' + heap);
  }

  /** Other descriptors are those of selectors, which Hadoop keeps until the next use of one. */
  private static int sockets() throws IOException {
    int count = 0;
    for (File descriptor : new File("/proc/self/fd").listFiles()) {
      try {
        if (Files.readSymbolicLink(descriptor.toPath()).toString().startsWith("socket:")) {
          count++;
        }
      } catch (NoSuchFileException e) {
        // That of the listing itself.
      }
    }
    return count;
  }
}
