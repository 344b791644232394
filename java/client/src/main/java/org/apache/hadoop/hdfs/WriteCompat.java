// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.hdfs.DFSStripedOutputStream.Coordinator;
import org.apache.hadoop.hdfs.DFSStripedOutputStream.MultipleBlockingQueue;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.stripeline.client.write.StripeLayout;

/**
 * Gives access to the private members of Hadoop's striped output stream that Stripeline's stream
 * uses: failures, generation stamps and the ends of block groups are handled by the code of the
 * Hadoop release in use.
 */
final class WriteCompat {
  /** Enough for several acknowledgements. */
  private static final int REPLY_BYTES = 256;

  private static final List<String> MISSING = new ArrayList<>();

  private static final MethodHandle ALLOCATE =
      method(DFSStripedOutputStream.class, "allocateNewBlock");
  private static final MethodHandle CHECK_FAILURES =
      method(DFSStripedOutputStream.class, "checkStreamerFailures", boolean.class);
  private static final MethodHandle HANDLE_FAILURE =
      method(
          DFSStripedOutputStream.class,
          "handleStreamerFailure",
          String.class,
          Exception.class,
          StripedDataStreamer.class);
  private static final MethodHandle SET_CURRENT =
      method(DFSStripedOutputStream.class, "setCurrentStreamer", int.class);
  private static final MethodHandle CELL_BUFFERS =
      getter(DFSStripedOutputStream.class, "cellBuffers");
  private static final MethodHandle RELEASE_CELLS =
      method(DFSStripedOutputStream.CellBuffers.class, "release");
  private static final MethodHandle LAST_EXCEPTION =
      getter(DFSStripedOutputStream.class, "exceptionLastSeen");
  private static final MethodHandle LOG_LOST =
      method(DFSStripedOutputStream.class, "logCorruptBlocks");
  private static final MethodHandle FLUSH_THREADS =
      getter(DFSStripedOutputStream.class, "flushAllExecutor");
  private static final MethodHandle SET_FLUSHES =
      setter(DFSStripedOutputStream.class, "flushAllExecutorCompletionService");
  private static final MethodHandle SOCKET = getter(DataStreamer.class, "s");
  private static final MethodHandle REPLIES = getter(DataStreamer.class, "blockReplyStream");
  private static final MethodHandle SET_REPLIES = setter(DataStreamer.class, "blockReplyStream");
  private static final MethodHandle ACKNOWLEDGED = getter(DataStreamer.class, "lastAckedSeqno");
  private static final MethodHandle ENCODER = getter(DFSStripedOutputStream.class, "encoder");
  private static final MethodHandle COORDINATOR =
      getter(DFSStripedOutputStream.class, "coordinator");
  private static final MethodHandle END_BLOCKS =
      getter(DFSStripedOutputStream.Coordinator.class, "endBlocks");

  private WriteCompat() {}

  static List<String> missing() {
    return Collections.unmodifiableList(MISSING);
  }

  /**
   * Waits until the previous group has ended, replaces failed streamers and allocates a group.
   * Queue entries that failed streamers have not taken, or that were never taken from them, are
   * dropped: Hadoop leaves them in queues with room for one block and fails when the next group
   * adds another. Streamers that were replaced are closed: one that waits for the restart of its
   * DataNode would wait for ever, and take a block that is meant for its successor.
   */
  static void allocateNewBlock(DFSStripedOutputStream stream, int units) throws IOException {
    StripedDataStreamer[] before = new StripedDataStreamer[units];
    Arrays.setAll(before, stream::getStripedDataStreamer);
    try {
      allocate(stream);
    } finally {
      for (int unit = 0; unit < units; unit++) {
        if (stream.getStripedDataStreamer(unit) != before[unit]) {
          close(before[unit]);
        }
      }
    }
  }

  /**
   * Does the same as {@code DataStreamer.close(true)} without its lock, which a thread that a hung
   * DataNode blocks may hold; the thread of the streamer notifies those that wait for it.
   */
  static void close(StripedDataStreamer streamer) {
    streamer.setStreamerAsClosed();
    streamer.interrupt();
  }

  private static void allocate(DFSStripedOutputStream stream) throws IOException {
    Coordinator coordinator = (Coordinator) call(() -> COORDINATOR.invoke(stream));
    // Streamers that have written their part of the previous group have already taken their blocks.
    coordinator.getFollowingBlocks().clear();
    call(() -> ALLOCATE.invoke(stream));
    // The call above has taken the ended blocks of the streamers that have not failed.
    ((MultipleBlockingQueue<?>) call(() -> END_BLOCKS.invoke(coordinator))).clear();
  }

  /**
   * Lets the streamers that have no bytes of the current group, because it is short, take part in
   * the next one. All others have ended their blocks.
   */
  static void endIdleStreamers(DFSStripedOutputStream stream, StripeLayout layout)
      throws IOException {
    Coordinator coordinator = (Coordinator) call(() -> COORDINATOR.invoke(stream));
    ExtendedBlock group = stream.getBlock();
    for (int unit = 0; unit < layout.dataUnits(); unit++) {
      if (!layout.hasBytes(unit, group.getNumBytes())) {
        ExtendedBlock block = new ExtendedBlock(group);
        block.setBlockId(group.getBlockId() + unit);
        block.setNumBytes(0);
        coordinator.offerEndBlock(unit, block);
      }
    }
  }

  /** Handles streamers that have failed since the last call; throws if too many have failed. */
  static void checkStreamerFailures(DFSStripedOutputStream stream, boolean flush)
      throws IOException {
    call(() -> CHECK_FAILURES.invoke(stream, flush));
  }

  /** Gives up a streamer; throws if too many have failed. */
  static void handleStreamerFailure(
      DFSStripedOutputStream stream, String what, Exception cause, StripedDataStreamer streamer)
      throws IOException {
    call(() -> HANDLE_FAILURE.invoke(stream, what, cause, streamer));
  }

  /** Selects the streamer that inherited methods work on. */
  static void setCurrentStreamer(DFSStripedOutputStream stream, int index) throws IOException {
    call(() -> SET_CURRENT.invoke(stream, index));
  }

  /** Returns the cell buffers of the stream to Hadoop's pool. */
  static void releaseCellBuffers(DFSStripedOutputStream stream) throws IOException {
    call(() -> RELEASE_CELLS.invoke(CELL_BUFFERS.invoke(stream)));
  }

  /** Logs how many internal blocks of each block group could not be written. */
  static void logLostBlocks(DFSStripedOutputStream stream) throws IOException {
    call(() -> LOG_LOST.invoke(stream));
  }

  /** Sets the exception that {@code close()} throws for a stream whose streamers are closed. */
  static void setLastException(DFSStripedOutputStream stream, IOException cause)
      throws IOException {
    ((ExceptionLastSeen) call(() -> LAST_EXCEPTION.invoke(stream))).set(cause);
  }

  /**
   * Returns the socket of a streamer's connection, or null; called on the thread of the streamer.
   */
  static Socket socket(StripedDataStreamer streamer) throws IOException {
    return (Socket) call(() -> SOCKET.invoke(streamer));
  }

  /**
   * Adds a buffer to the stream of a streamer's acknowledgements; Hadoop reads each byte of their
   * length from the socket. Called on the thread of the streamer before it sends the first packet
   * of a connection: the thread that reads acknowledgements may still read the first one without
   * the buffer.
   */
  static void bufferReplies(StripedDataStreamer streamer) throws IOException {
    DataInputStream replies = (DataInputStream) call(() -> REPLIES.invoke(streamer));
    if (replies != null) {
      DataInputStream buffered = new DataInputStream(new BufferedInputStream(replies, REPLY_BYTES));
      call(
          () -> {
            SET_REPLIES.invoke(streamer, buffered);
            return null;
          });
    }
  }

  /**
   * Returns the sequence number of the last acknowledged packet, or -1; reads it without a lock.
   */
  static long lastAcknowledged(StripedDataStreamer streamer) throws IOException {
    return (Long) call(() -> ACKNOWLEDGED.invoke(streamer));
  }

  /**
   * Drops the results of earlier flushes. A flush that was interrupted leaves them in a queue,
   * where the next one would take them for its own, and find no streamer for one that has failed.
   */
  static void forgetFlushes(DFSStripedOutputStream stream) throws IOException {
    call(
        () -> {
          Executor threads = (Executor) FLUSH_THREADS.invoke(stream);
          SET_FLUSHES.invoke(stream, new ExecutorCompletionService<Void>(threads));
          return null;
        });
  }

  /** Releases what Hadoop's stream releases only on close: its flush threads and its encoder. */
  static void releaseHelpers(DFSStripedOutputStream stream) throws IOException {
    ((ExecutorService) call(() -> FLUSH_THREADS.invoke(stream))).shutdownNow();
    ((RawErasureEncoder) call(() -> ENCODER.invoke(stream))).release();
  }

  /** A call of a handle. */
  interface Call {
    Object run() throws Throwable;
  }

  /** Runs a call; wraps a checked exception that is not an IOException in one. */
  static Object call(Call call) throws IOException {
    try {
      return call.run();
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  private static MethodHandle method(Class<?> owner, String name, Class<?>... parameters) {
    MethodHandle found = find(owner, name, parameters);
    if (found == null) {
      MISSING.add(owner.getSimpleName() + "." + name);
    }
    return found;
  }

  /** Returns a method of any access, or null if this Hadoop lacks it. */
  static MethodHandle find(Class<?> owner, String name, Class<?>... parameters) {
    try {
      Method method = owner.getDeclaredMethod(name, parameters);
      method.setAccessible(true);
      return MethodHandles.lookup().unreflect(method);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }

  private static MethodHandle getter(Class<?> owner, String name) {
    return field(owner, name, MethodHandles.lookup()::unreflectGetter);
  }

  private static MethodHandle setter(Class<?> owner, String name) {
    return field(owner, name, MethodHandles.lookup()::unreflectSetter);
  }

  private interface Access {
    MethodHandle to(Field field) throws IllegalAccessException;
  }

  private static MethodHandle field(Class<?> owner, String name, Access access) {
    try {
      Field field = owner.getDeclaredField(name);
      field.setAccessible(true);
      return access.to(field);
    } catch (ReflectiveOperationException | RuntimeException e) {
      MISSING.add(owner.getSimpleName() + "." + name);
      return null;
    }
  }
}
