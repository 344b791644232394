// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.crypto.CryptoInputStream;
import org.apache.hadoop.crypto.CryptoOutputStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The work of one thread of a client on one file. */
final class FileTask {
  private final FileSystem fs;
  private final Pattern pattern;
  private final ClientRequest request;
  private final int file;
  private final Path path;

  /** Latencies of single reads or syncs in nanoseconds. */
  private final Histogram latencies = new Histogram(3);

  private byte[] buffer;
  private String stream;

  FileTask(FileSystem fs, Pattern pattern, ClientRequest request, int file) {
    this.fs = fs;
    this.pattern = pattern;
    this.request = request;
    this.file = file;
    this.path = new Path(request.paths.get(file));
  }

  /** Prepares work that does not involve the servers; called before the clock starts. */
  void prepare() {
    switch (request.action) {
      case WRITE:
      case SYNC:
      case FIRST_SYNC:
        return;
      case PREAD:
      case RANDOM:
        buffer = new byte[request.pieceBytes];
        return;
      default:
        buffer = new byte[Pattern.CHUNK_BYTES];
    }
  }

  /**
   * Runs the task.
   *
   * @return bytes read or written
   * @throws IOException also if a byte is wrong
   */
  long run() throws IOException {
    switch (request.action) {
      case WRITE:
        return write();
      case SYNC:
        return sync();
      case FIRST_SYNC:
        return syncFirst();
      case PREAD:
        return readAtPositions();
      case RANDOM:
        return readAtRandom();
      default:
        return read();
    }
  }

  Histogram latencies() {
    return latencies;
  }

  String stream() {
    return stream;
  }

  private long write() throws IOException {
    try (FSDataOutputStream out = create()) {
      for (long done = 0; done < request.bytes; ) {
        int step = (int) Math.min(Pattern.CHUNK_BYTES, request.bytes - done);
        out.write(pattern.bytes(), pattern.index(file, done), step);
        done += step;
      }
    }
    return request.bytes;
  }

  private FSDataOutputStream create() throws IOException {
    // A directory that has been deleted must not come back.
    FSDataOutputStream out =
        fs.createNonRecursive(
            path,
            true,
            fs.getConf().getInt("io.file.buffer.size", Pattern.CHUNK_BYTES),
            fs.getDefaultReplication(path),
            fs.getDefaultBlockSize(path),
            null);
    OutputStream wrapped = out.getWrappedStream();
    boolean isEncrypted = wrapped instanceof CryptoOutputStream;
    wrapped = isEncrypted ? ((CryptoOutputStream) wrapped).getWrappedStream() : wrapped;
    stream = wrapped.getClass().getName();
    return out;
  }

  private long sync() throws IOException {
    try (FSDataOutputStream out = create()) {
      for (int i = 0; i < request.pieces; i++) {
        long started = System.nanoTime();
        writePiece(out, (long) i * request.pieceBytes);
        if (i > 0) {
          latencies.recordValue(System.nanoTime() - started);
        }
      }
    }
    return (long) request.pieces * request.pieceBytes;
  }

  private long syncFirst() throws IOException {
    for (int i = 0; i < request.pieces; i++) {
      fs.delete(path, false);
      long started = System.nanoTime();
      try (FSDataOutputStream out = create()) {
        writePiece(out, 0);
        latencies.recordValue(System.nanoTime() - started);
      }
    }
    return (long) request.pieces * request.pieceBytes;
  }

  private void writePiece(FSDataOutputStream out, long position) throws IOException {
    out.write(pattern.bytes(), pattern.index(file, position), request.pieceBytes);
    out.hflush();
  }

  private long read() throws IOException {
    long done = 0;
    try (FSDataInputStream in = open()) {
      while (done < request.bytes) {
        int step = (int) Math.min(buffer.length, request.bytes - done);
        int read = in.read(buffer, 0, step);
        if (read < 0) {
          throw wrong("it ends at " + done + ", not at " + request.bytes);
        }
        check(done, read);
        done += read;
      }
    }
    return done;
  }

  private long readAtPositions() throws IOException {
    long done = 0;
    try (FSDataInputStream in = open()) {
      while (done < request.bytes) {
        int step = (int) Math.min(buffer.length, request.bytes - done);
        int read = in.read(done, buffer, 0, step);
        if (read < 0) {
          throw wrong("it ends at " + done + ", not at " + request.bytes);
        }
        check(done, read);
        done += read;
      }
    }
    return done;
  }

  private long readAtRandom() throws IOException {
    Random random = new Random(request.seed + file);
    long positions = request.bytes - buffer.length + 1;
    try (FSDataInputStream in = open()) {
      for (int i = 0; i < request.pieces; i++) {
        long position = (long) (random.nextDouble() * positions);
        long started = System.nanoTime();
        in.readFully(position, buffer, 0, buffer.length);
        latencies.recordValue(System.nanoTime() - started);
        if (!pattern.isRight(file, position, buffer, buffer.length)) {
          throw wrong("bytes differ in " + buffer.length + " bytes read at " + position);
        }
      }
    }
    return (long) request.pieces * buffer.length;
  }

  private FSDataInputStream open() throws IOException {
    FSDataInputStream in = fs.open(path);
    InputStream wrapped = in.getWrappedStream();
    boolean isEncrypted = wrapped instanceof CryptoInputStream;
    wrapped = isEncrypted ? ((CryptoInputStream) wrapped).getWrappedStream() : wrapped;
    stream = wrapped.getClass().getName();
    return in;
  }

  private void check(long position, int length) throws IOException {
    if (request.everyByte
        ? !pattern.isRight(file, position, buffer, length)
        : !pattern.looksRight(file, position, buffer, length)) {
      throw wrong("bytes differ in " + length + " bytes read at " + position);
    }
  }

  private WrongBytesException wrong(String what) {
    return new WrongBytesException("Wrong content of " + path + ": " + what);
  }
}
