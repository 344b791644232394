// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.codec.PageCache;
import org.stripeline.natives.fingerprint.FingerprintFunction;

/**
 * Reads a file past the page cache ({@code O_DIRECT}). Where the JVM or the file system cannot do
 * this, it reads through the page cache, and drops the file from there when it is closed.
 */
final class DirectFile implements BlockFile {
  private static final Logger LOG = LoggerFactory.getLogger(DirectFile.class);

  /** The largest alignment that is supported; file systems require 512 to 4096 bytes. */
  private static final int ALIGNMENT_MAX = 64 << 10;

  /** Room for a window that is not aligned, in a buffer that is not aligned. */
  static final int BUFFER_BYTES = FingerprintFunction.WINDOW_BYTES_MAX + 3 * ALIGNMENT_MAX;

  private static final Jdk JDK = Jdk.find();

  private final Path path;
  private final ByteBuffer whole;
  private FileChannel channel;

  /** Null when reading through the page cache. */
  private ByteBuffer aligned;

  private int alignment;

  /** Whether a read past the page cache has succeeded. */
  private boolean isDirectRead;

  private DirectFile(Path path, ByteBuffer buffer) {
    this.path = path;
    this.whole = buffer;
  }

  /** Opens a file; see {@link BlockFile.Opener}. */
  static DirectFile open(Path path, ByteBuffer buffer) throws IOException {
    DirectFile file = new DirectFile(path, buffer);
    file.openDirect();
    if (file.channel == null) {
      file.channel = FileChannel.open(path, StandardOpenOption.READ);
    }
    return file;
  }

  private void openDirect() {
    if (JDK == null) {
      return;
    }
    try {
      long block = JDK.blockSize(Files.getFileStore(path));
      if (block < 1 || block > ALIGNMENT_MAX || Long.bitCount(block) != 1) {
        return;
      }
      alignment = (int) block;
      whole.clear();
      aligned = JDK.align(whole, alignment);
      channel = FileChannel.open(path, StandardOpenOption.READ, JDK.direct);
    } catch (IOException | ReflectiveOperationException | RuntimeException e) {
      LOG.debug("Cannot read {} past the page cache", path, e);
      aligned = null;
    }
  }

  @Override
  public ByteBuffer read(long position, int length) throws IOException {
    if (aligned != null) {
      try {
        ByteBuffer read = readAligned(position, length);
        isDirectRead = true;
        return read;
      } catch (ClosedByInterruptException e) {
        throw e;
      } catch (IOException e) {
        if (isDirectRead) {
          // It is the disk that fails, and the page cache may still have what it has lost.
          throw e;
        }
        // Some file systems refuse only the read. If it is the disk that fails, the next read
        // fails too, unless the page cache has the bytes.
        LOG.debug("Cannot read {} past the page cache", path, e);
        PageCache.drop(path);
        channel.close();
        channel = FileChannel.open(path, StandardOpenOption.READ);
        aligned = null;
      }
    }
    whole.clear();
    fill(whole, position, length, length);
    whole.flip();
    return whole;
  }

  private ByteBuffer readAligned(long position, int length) throws IOException {
    int before = (int) (position % alignment);
    int end = before + length;
    aligned.clear();
    fill(aligned, position - before, end, (end + alignment - 1) / alignment * alignment);
    aligned.limit(end);
    aligned.position(before);
    return aligned;
  }

  /** Reads at least {@code least} bytes, and {@code most} unless the file ends. */
  private void fill(ByteBuffer into, long position, int least, int most) throws IOException {
    into.limit(most);
    while (into.position() < least) {
      int read = channel.read(into, position + into.position());
      // A read past the page cache is short only at the end of the file; the next one would fail.
      boolean isEnd = aligned != null && into.position() % alignment != 0;
      if (read < 0 || isEnd && into.position() < least) {
        throw new EOFException(
            path.getFileName() + " ends at or before " + (position + into.position()));
      }
    }
  }

  @Override
  public boolean isCached() {
    return aligned == null;
  }

  @Override
  public void close() throws IOException {
    channel.close();
    if (isCached() && !PageCache.drop(path)) {
      LOG.debug("Cannot drop {} from the page cache", path);
    }
  }

  /** What JDK 10 and later have; called by reflection because this code is compiled for Java 8. */
  private static final class Jdk {
    final OpenOption direct;
    private final Method blockSize;
    private final Method alignedSlice;

    private Jdk() throws ReflectiveOperationException {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      direct = (OpenOption) options.getField("DIRECT").get(null);
      blockSize = FileStore.class.getMethod("getBlockSize");
      alignedSlice = ByteBuffer.class.getMethod("alignedSlice", int.class);
    }

    /** Returns null if this JVM lacks it. */
    static Jdk find() {
      try {
        return new Jdk();
      } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
        LOG.debug("This JVM cannot read past the page cache", e);
        return null;
      }
    }

    long blockSize(FileStore store) throws ReflectiveOperationException {
      return (Long) blockSize.invoke(store);
    }

    ByteBuffer align(ByteBuffer buffer, int bytes) throws ReflectiveOperationException {
      return (ByteBuffer) alignedSlice.invoke(buffer, bytes);
    }
  }
}
