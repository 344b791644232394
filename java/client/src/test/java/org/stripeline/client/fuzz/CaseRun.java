// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

import static org.stripeline.client.fuzz.ExpectedBytes.GUARD_BYTES;
import static org.stripeline.client.fuzz.ExpectedBytes.buffer;
import static org.stripeline.client.fuzz.ExpectedBytes.content;
import static org.stripeline.client.fuzz.ExpectedBytes.guarded;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Reads the file of a case and compares the results with the expected bytes. */
final class CaseRun {
  private static final long ENOUGH_MS = 8_000;

  private final FileSystem fs;
  private final Path file;
  private final byte[] expected;
  private final ExpectedBytes contents;
  private final Saboteur saboteur;
  private final boolean strict;
  private FSDataInputStream in;
  private long position;
  private volatile int reads;
  private volatile long stepStart;

  /**
   * Creates a run.
   *
   * @param strict whether exceptions must name the file, and hangs must cost less than a timeout
   */
  CaseRun(FileSystem fs, Path file, byte[] expected, Saboteur saboteur, boolean strict) {
    this.fs = fs;
    this.file = file;
    this.expected = expected;
    contents = new ExpectedBytes(expected);
    this.saboteur = saboteur;
    this.strict = strict;
  }

  /** Returns the number of reads made. */
  int reads() {
    return reads;
  }

  /** Returns the duration of the call in progress. */
  long stepMillis() {
    long start = stepStart;
    return start == 0 ? 0 : FuzzWorld.millisSince(start);
  }

  /** Makes all calls; throws a finding for the first result that is not correct. */
  void run(List<StreamCall> steps) throws Finding, IOException {
    long begin = System.nanoTime();
    saboteur.beforeOpen();
    in = fs.open(file);
    try {
      // If too much is broken, each call may wait for timeouts; a few such calls are sufficient.
      for (int i = 0; i < steps.size() && FuzzWorld.millisSince(begin) < ENOUGH_MS; i++) {
        saboteur.beforeStep(i);
        long start = System.nanoTime();
        stepStart = start;
        step(i, steps.get(i));
        stepStart = 0;
        long millis = FuzzWorld.millisSince(start);
        if (strict
            && !saboteur.mayFail(0, expected.length)
            && millis >= FuzzWorld.SOCKET_TIMEOUT_MS) {
          String what = describe(i, steps.get(i));
          throw new Finding(Finding.Kind.SLOW, what + ": " + millis + " ms", null);
        }
      }
    } finally {
      in.close();
    }
  }

  private static String describe(int index, StreamCall step) {
    return "step " + index + ' ' + step;
  }

  /** A call on a stream; it updates the expected position. */
  private interface Call {
    void run() throws Exception;
  }

  private void step(int index, StreamCall step) throws Finding, IOException {
    Random random = new Random(step.seed());
    String what = describe(index, step);
    int length = step.length();
    long at = step.position();
    switch (step.kind()) {
      case READ:
        attempt(what, position, position + length, () -> read(length));
        break;
      case READ_BYTES:
        attempt(what, position, position + 5, this::readBytes);
        break;
      case READ_HEAP:
        attempt(what, position, position + length, () -> readBuffer(length, false));
        break;
      case READ_DIRECT:
        attempt(what, position, position + length, () -> readBuffer(length, true));
        break;
      case READ_ON:
        attempt(what, position, position + length, () -> readOn(length, 1 + random.nextInt(9_000)));
        break;
      case READ_ALL:
        seek(what, 0);
        int[] pieces = {4_096, 1 << 16, 100_003, 1 << 20, 5 << 20};
        int piece = pieces[random.nextInt(pieces.length)];
        attempt(what, 0, expected.length, () -> readOn(expected.length + 1, piece));
        break;
      case PREAD:
      case PREAD_FULLY:
      case PREAD_BUFFER:
      case PREAD_BUFFER_FULLY:
        pread(what, step.kind(), at, length, random.nextBoolean());
        break;
      case VECTORED:
        vectored(what, at, random);
        break;
      case CONCURRENT:
        concurrent(what, random);
        break;
      case SEEK:
        seek(what, at);
        break;
      case SKIP:
        skip(what, length);
        break;
      case UNBUFFER:
        in.unbuffer();
        break;
      case SET_READAHEAD:
        setReadahead(random);
        break;
      case NEW_SOURCE:
        attempt(what, at, at + 1, () -> in.seekToNewSource(Math.min(at, expected.length - 1)));
        seek(what, position);
        break;
      case REOPEN:
        in.close();
        in = fs.open(file);
        position = 0;
        break;
      case SEEKS:
        seeks(what, random);
        break;
      case CLOSE:
        closeWhileRead(what, at, length, random);
        break;
      default:
        throw new AssertionError(step.kind());
    }
  }

  private void setReadahead(Random random) throws IOException {
    Long[] sizes = {null, 0L, 65_536L, 4L << 20};
    in.setReadahead(sizes[random.nextInt(sizes.length)]);
    in.setDropBehind(random.nextBoolean());
  }

  /** Makes a call; after a permitted failure, seeks to the position before the call. */
  private void attempt(String what, long from, long to, Call call) throws Finding, IOException {
    try {
      call.run();
      if (in.getPos() != position) {
        throw new Finding(
            Finding.Kind.BROKEN_CONTRACT,
            what + ": the stream is at " + in.getPos() + " instead of " + position,
            null);
      }
    } catch (Exception e) {
      judge(what, from, to, e);
      try {
        in.seek(position);
      } catch (IOException again) {
        again.addSuppressed(e);
        throw new Finding(
            Finding.Kind.BROKEN_CONTRACT, what + ": no seek after a failed read", again);
      }
    }
  }

  private void judge(String what, long from, long to, Exception e) throws Finding {
    if (e instanceof Finding) {
      throw new Finding(((Finding) e).kind(), what + ": " + e.getMessage(), e);
    }
    if (!(e instanceof IOException)) {
      throw new Finding(Finding.Kind.NO_IO_EXCEPTION, what + ": " + e, e);
    }
    if (!saboteur.mayFail(from, to)) {
      throw new Finding(Finding.Kind.NEEDLESS_FAILURE, what + ": " + e, e);
    }
    if (strict && !names(e)) {
      throw new Finding(Finding.Kind.BAD_MESSAGE, what + " names no file: " + e, e);
    }
  }

  private boolean names(Throwable e) {
    for (Throwable at = e; at != null; at = at.getCause()) {
      if (String.valueOf(at.getMessage()).contains(file.toUri().getPath())) {
        return true;
      }
    }
    return false;
  }

  private void read(int length) throws Exception {
    byte[] buffer = guarded(length);
    int count = in.read(buffer, GUARD_BYTES, length);
    reads++;
    advance(count, length, buffer);
  }

  private void readBytes() throws Exception {
    for (int i = 0; i < 5; i++) {
      int value = in.read();
      reads++;
      int wanted = position < expected.length ? expected[(int) position] & 0xff : -1;
      if (value != wanted) {
        throw new Finding(
            Finding.Kind.WRONG_BYTES,
            "read() at " + position + " gave " + value + " instead of " + wanted,
            null);
      }
      position += value < 0 ? 0 : 1;
    }
  }

  private void readBuffer(int length, boolean direct) throws Exception {
    ByteBuffer buffer = buffer(length, direct);
    int count = in.read(buffer);
    reads++;
    byte[] bytes = content(buffer, length, count);
    advance(count, length, bytes);
  }

  private void readOn(int length, int piece) throws Exception {
    int left = length;
    while (left > 0) {
      byte[] buffer = guarded(Math.min(left, piece));
      int size = buffer.length - 2 * GUARD_BYTES;
      int count = in.read(buffer, GUARD_BYTES, size);
      reads++;
      advance(count, size, buffer);
      if (count < 0) {
        return;
      }
      left -= count;
    }
  }

  /** Checks the result of a stateful read, and advances the expected position. */
  private void advance(int count, int length, byte[] guarded) throws Finding {
    contents.checkCount(count, position, length);
    contents.compare(guarded, position, Math.max(count, 0), length);
    position += Math.max(count, 0);
  }

  private void pread(String what, StreamCall.Kind kind, long at, int length, boolean direct)
      throws Finding {
    try {
      boolean fully =
          kind == StreamCall.Kind.PREAD_FULLY || kind == StreamCall.Kind.PREAD_BUFFER_FULLY;
      boolean array = kind == StreamCall.Kind.PREAD || kind == StreamCall.Kind.PREAD_FULLY;
      byte[] bytes = guarded(length);
      ByteBuffer buffer = array ? null : buffer(length, direct);
      int count = length;
      try {
        if (array && fully) {
          in.readFully(at, bytes, GUARD_BYTES, length);
        } else if (array) {
          count = in.read(at, bytes, GUARD_BYTES, length);
        } else if (fully) {
          in.readFully(at, buffer);
        } else {
          count = in.read(at, buffer);
        }
      } catch (EOFException e) {
        if (fully && at + length > expected.length) {
          return;
        }
        throw e;
      } finally {
        reads++;
      }
      if (!fully) {
        contents.checkCount(count, at, length);
      } else if (at + length > expected.length) {
        throw new Finding(Finding.Kind.BROKEN_CONTRACT, "no EOFException beyond the end", null);
      }
      contents.compare(
          array ? bytes : content(buffer, length, count), at, Math.max(count, 0), length);
    } catch (Exception e) {
      judge(what, at, at + length, e);
    }
  }

  private void vectored(String what, long at, Random random) throws Finding {
    List<FileRange> ranges = new ArrayList<>();
    long from = at;
    for (int i = 1 + random.nextInt(5); i > 0 && from < expected.length; i--) {
      int length = 1 + random.nextInt((int) Math.min(expected.length - from, 1 << 20));
      ranges.add(FileRange.createFileRange(from, length));
      from += length + random.nextInt(50_000);
    }
    if (ranges.isEmpty()) {
      return;
    }
    boolean direct = random.nextBoolean();
    try {
      in.readVectored(ranges, direct ? ByteBuffer::allocateDirect : ByteBuffer::allocate);
    } catch (Exception e) {
      judge(what, at, from, e);
      return;
    }
    for (FileRange range : ranges) {
      long start = range.getOffset();
      long end = start + range.getLength();
      try {
        ByteBuffer buffer = range.getData().get();
        reads++;
        if (buffer.remaining() != range.getLength()) {
          throw new Finding(Finding.Kind.BROKEN_CONTRACT, range + " gave " + buffer, null);
        }
        byte[] bytes = guarded(range.getLength());
        buffer.get(bytes, GUARD_BYTES, range.getLength());
        contents.compare(bytes, start, range.getLength(), range.getLength());
      } catch (ExecutionException e) {
        judge(what, start, end, e.getCause() instanceof Exception ? (Exception) e.getCause() : e);
      } catch (Exception e) {
        judge(what, start, end, e);
      }
    }
  }

  private void concurrent(String what, Random random) throws Finding, IOException {
    int threads = 2 + random.nextInt(4);
    ExecutorService pool =
        Executors.newFixedThreadPool(threads, task -> new Thread(task, "fuzz-reader"));
    List<Future<?>> futures = new ArrayList<>();
    try {
      for (int i = 0; i < threads; i++) {
        long seed = random.nextLong();
        futures.add(
            pool.submit(
                () -> {
                  preadRandomly(what, new Random(seed));
                  return null;
                }));
      }
      int length = 1 + random.nextInt(expected.length);
      attempt(what, position, position + length, () -> readOn(length, 1 + random.nextInt(200_000)));
      for (Future<?> future : futures) {
        try {
          future.get();
        } catch (ExecutionException e) {
          if (e.getCause() instanceof Finding) {
            throw (Finding) e.getCause();
          }
          throw new Finding(Finding.Kind.NO_IO_EXCEPTION, what + ": " + e.getCause(), e);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IOException(e);
        }
      }
    } finally {
      pool.shutdownNow();
    }
  }

  /**
   * Seeks and reads parts of stripes: later parts reuse what was read for earlier ones, and any of
   * them may be partly lost.
   */
  private void seeks(String what, Random random) throws Finding, IOException {
    for (int i = 3 + random.nextInt(6); i > 0; i--) {
      seek(what, random.nextInt(expected.length));
      for (int read = 1 + random.nextInt(4); read > 0 && stepMillis() < ENOUGH_MS; read--) {
        int length = 1 + random.nextInt(random.nextBoolean() ? 700 : 50_000);
        attempt(what, position, position + length, () -> readOn(length, length));
      }
    }
  }

  private void closeWhileRead(String what, long at, int length, Random random)
      throws Finding, IOException {
    FSDataInputStream closing = in;
    boolean isPositional = random.nextBoolean();
    byte[] bytes = guarded(length);
    FutureTask<Void> read =
        new FutureTask<>(
            () -> {
              if (isPositional) {
                closing.readFully(at, bytes, GUARD_BYTES, length);
              } else {
                closing.seek(at);
                closing.readFully(bytes, GUARD_BYTES, length);
              }
              return null;
            });
    Thread thread = new Thread(read, "fuzz-reader");
    thread.start();
    for (int turns = random.nextInt(100_000); turns > 0 && !read.isDone(); turns--) {
      Thread.onSpinWait();
    }
    closing.close();
    try {
      read.get();
      reads++;
      contents.compare(bytes, at, length, length);
    } catch (ExecutionException e) {
      boolean isClosed = String.valueOf(e.getCause().getMessage()).contains("closed");
      if (!(e.getCause() instanceof IOException) || strict && !isClosed) {
        judge(
            what,
            at,
            at + length,
            e.getCause() instanceof Exception ? (Exception) e.getCause() : e);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    in = fs.open(file);
    position = 0;
  }

  private void preadRandomly(String what, Random random) throws Finding {
    StreamCall.Kind[] kinds = {
      StreamCall.Kind.PREAD,
      StreamCall.Kind.PREAD_FULLY,
      StreamCall.Kind.PREAD_BUFFER,
      StreamCall.Kind.PREAD_BUFFER_FULLY
    };
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      int at = random.nextInt(expected.length);
      int length = 1 + random.nextInt(expected.length - at);
      pread(what, kinds[random.nextInt(kinds.length)], at, length, random.nextBoolean());
    }
  }

  private void seek(String what, long to) throws Finding, IOException {
    attempt(
        what,
        to,
        to + 1,
        () -> {
          in.seek(to);
          position = to;
        });
  }

  private void skip(String what, int count) throws Finding, IOException {
    attempt(
        what,
        position,
        position + count,
        () -> {
          long skipped = in.skip(count);
          if (skipped != Math.min(count, expected.length - position)) {
            throw new Finding(
                Finding.Kind.BROKEN_CONTRACT,
                "skip of " + count + " at " + position + " returned " + skipped,
                null);
          }
          position += skipped;
        });
  }
}
