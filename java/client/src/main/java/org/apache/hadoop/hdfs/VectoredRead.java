// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.VectoredReadUtils;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.client.StackRoom;
import org.stripeline.client.read.GroupReader;
import org.stripeline.client.read.RangeRead;

/**
 * One {@code readVectored} call: requests many ranges from DataNodes before it waits for the first.
 * Hadoop's own implementation reads the ranges one after the other. As in Hadoop, every range has
 * been read or has failed when the call returns.
 */
final class VectoredRead {
  /**
   * The maximum number of ranges in progress. Each has its own connections, as a positional read
   * does.
   */
  private static final int RANGES_MAX = 16;

  private final StripelineInputStream stream;
  private final Consumer<ByteBuffer> release;
  private List<Range> all = Collections.emptyList();

  /**
   * Creates a read.
   *
   * @param release receives the buffers of ranges that could not be read
   */
  VectoredRead(StripelineInputStream stream, Consumer<ByteBuffer> release) {
    this.stream = stream;
    this.release = release;
  }

  void read(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
    StackRoom.require();
    all = prepare(ranges, allocate);
    Deque<Range> underWay = new ArrayDeque<>();
    try {
      for (Range next : all) {
        if (underWay.size() == RANGES_MAX) {
          underWay.remove().finish();
        }
        underWay.add(next);
        next.begin();
      }
      while (!underWay.isEmpty()) {
        underWay.remove().finish();
      }
    } finally {
      // Ranges are left only after an unexpected failure. All end before the first is released: the
      // caller's function may throw.
      List<Range> left = all.stream().filter(Range::giveUp).collect(Collectors.toList());
      stream.reportCorrupt();
      left.forEach(range -> release.accept(range.buffer));
    }
  }

  /**
   * Releases the buffers of all ranges before this thread waits for memory, because other threads
   * may be waiting for them.
   */
  private void giveUpAhead() {
    all.forEach(range -> range.reads.forEach(RangeRead::giveUp));
  }

  /**
   * Returns the ranges in the order of their offsets, with buffers; rejects the same ranges as this
   * release of Hadoop.
   */
  private List<Range> prepare(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate)
      throws IOException {
    List<FileRange> copies = new ArrayList<>();
    for (FileRange range : ranges) {
      copies.add(FileRange.createFileRange(range.getOffset(), range.getLength(), range));
    }
    // Releases reject different ranges, so Hadoop's own loop checks them; it reads nothing here.
    VectoredReadUtils.readVectored(new Unread(), copies, allocate);
    copies.sort(Comparator.comparingLong(FileRange::getOffset));
    List<Range> prepared = new ArrayList<>();
    for (FileRange copy : copies) {
      Range range = new Range(copy.getOffset(), copy.getData().join());
      ((FileRange) copy.getReference()).setData(range.result);
      prepared.add(range);
    }
    return prepared;
  }

  /** Advances each buffer to its limit without filling it. */
  private static final class Unread implements PositionedReadable, ByteBufferPositionedReadable {
    @Override
    public int read(long position, ByteBuffer buffer) {
      int count = buffer.remaining();
      buffer.position(buffer.limit());
      return count;
    }

    @Override
    public void readFully(long position, ByteBuffer buffer) {
      read(position, buffer);
    }

    @Override
    public int read(long position, byte[] buffer, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void readFully(long position, byte[] buffer, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void readFully(long position, byte[] buffer) {
      throw new UnsupportedOperationException();
    }
  }

  private final class Range {
    final CompletableFuture<ByteBuffer> result = new CompletableFuture<>();
    private final long offset;
    private final ByteBuffer buffer;
    private final List<GroupReader> readers = new ArrayList<>();
    private final List<RangeRead> reads = new ArrayList<>();
    private IOException failure;

    Range(long offset, ByteBuffer buffer) {
      this.offset = offset;
      this.buffer = buffer;
    }

    /** Requests the whole range. */
    void begin() {
      try {
        ByteBuffer target = buffer.duplicate();
        while (target.hasRemaining()) {
          stream.checkUsable();
          long at = offset + target.position();
          if (offset < 0 || at + target.remaining() > stream.getFileLength()) {
            throw new EOFException(FSExceptionMessages.EOF_IN_READ_FULLY);
          }
          beginPart(at, target);
        }
      } catch (IOException e) {
        failure = e;
      }
    }

    /** Requests the part of the range that is in one block group. */
    private void beginPart(long at, ByteBuffer target) throws IOException {
      LocatedBlock group = stream.groupAt(at);
      long from = at - group.getStartOffset();
      int count = (int) Math.min(target.remaining(), group.getBlockSize() - from);
      ByteBuffer part = target.duplicate();
      part.limit(part.position() + count);
      target.position(part.limit());
      GroupReader reader = stream.openReader(group);
      reader.beforeWaiting(VectoredRead.this::giveUpAhead);
      readers.add(reader);
      RangeRead read = new RangeRead(reader, stream.tally());
      reads.add(read);
      read.begin(from, from + count, from + count, part);
    }

    /** Waits for the whole range. */
    void finish() {
      try {
        for (RangeRead read : reads) {
          if (failure == null) {
            read.finish();
          }
        }
      } catch (IOException e) {
        failure = e;
      }
      close();
      if (failure == null) {
        result.complete(buffer);
      } else {
        result.completeExceptionally(failure);
        release.accept(buffer);
      }
    }

    /** Returns false if the range had ended before. */
    boolean giveUp() {
      if (result.isDone()) {
        return false;
      }
      close();
      return result.completeExceptionally(
          new IOException("Cannot read " + stream.getSrc() + ": reading its ranges has failed"));
    }

    private void close() {
      reads.forEach(RangeRead::close);
      readers.forEach(stream::closeReader);
    }
  }
}
