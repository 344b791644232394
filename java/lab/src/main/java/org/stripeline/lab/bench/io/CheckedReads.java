// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.stripeline.lab.bench.io.client.Pattern;
import org.stripeline.lab.bench.io.client.WrongBytesException;

/** Reads a file and compares every byte; skips reads outside the file. */
final class CheckedReads implements AutoCloseable {
  private final Pattern pattern;
  private final int file;
  private final Path path;
  private final long length;
  private final SplittableRandom random;
  private final FSDataInputStream in;

  /**
   * Opens a file.
   *
   * @param file its number in {@link Pattern}
   * @param seed of the random positions
   */
  CheckedReads(FileSystem fs, Pattern pattern, int file, Path path, long seed) throws IOException {
    this.pattern = pattern;
    this.file = file;
    this.path = path;
    this.length = fs.getFileStatus(path).getLen();
    this.random = new SplittableRandom(seed);
    this.in = fs.open(path);
  }

  long length() {
    return length;
  }

  long position() throws IOException {
    return in.getPos();
  }

  /** Returns the class of the stream. */
  String stream() {
    return in.getWrappedStream().getClass().getName();
  }

  /** Returns the position of a random block of the given size. */
  long anyBlock(int bytes) {
    return random.nextLong(Math.max(1, length / bytes)) * bytes;
  }

  void seek(long position) throws IOException {
    in.seek(Math.max(0, Math.min(position, length)));
  }

  void read(int bytes) throws IOException {
    long at = in.getPos();
    byte[] buffer = new byte[(int) Math.min(bytes, length - at)];
    in.readFully(buffer);
    check(at, buffer);
  }

  void pread(long position, int bytes) throws IOException {
    long at = Math.max(0, Math.min(position, length));
    byte[] buffer = new byte[(int) Math.min(bytes, length - at)];
    in.readFully(at, buffer);
    check(at, buffer);
  }

  /** Reads ranges, each given by position and length. */
  void readVectored(List<long[]> ranges) throws IOException {
    List<FileRange> asked = new ArrayList<>();
    for (long[] range : ranges) {
      asked.add(FileRange.createFileRange(range[0], (int) Math.min(range[1], length - range[0])));
    }
    in.readVectored(asked, ByteBuffer::allocate);
    for (FileRange range : asked) {
      try {
        ByteBuffer read = range.getData().get();
        byte[] buffer = new byte[read.remaining()];
        read.get(buffer);
        check(range.getOffset(), buffer);
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while reading " + path, e);
      }
    }
  }

  private void check(long position, byte[] read) throws IOException {
    if (!pattern.isRight(file, position, read, read.length)) {
      throw new WrongBytesException(
          "Wrong content of " + path + ": bytes differ in " + read.length + " read at " + position);
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
