// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.hdfs.DFSStripedOutputStream.Coordinator;
import org.apache.hadoop.hdfs.DFSStripedOutputStream.MultipleBlockingQueue;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

/**
 * The private members of Hadoop's striped output stream that ours goes on using: the protocol for
 * failures, generation stamps and ends of block groups stays Hadoop's own code, of whatever release
 * runs.
 */
final class WriteCompat {
  /** Holds a few acknowledgements. */
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
  private static final MethodHandle CELL_ARRAY =
      getter(DFSStripedOutputStream.CellBuffers.class, "buffers");
  private static final MethodHandle RELEASE_CELLS =
      method(DFSStripedOutputStream.CellBuffers.class, "release");
  private static final MethodHandle LAST_EXCEPTION =
      getter(DFSStripedOutputStream.class, "exceptionLastSeen");
  private static final MethodHandle FLUSH_THREADS =
      getter(DFSStripedOutputStream.class, "flushAllExecutor");
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
   * Waits for the ends of the group before, replaces failed streamers and allocates a group. What
   * failed streamers did not take, or nothing took of them, is dropped: Hadoop leaves it in queues
   * that have room for one block, and fails when the next group puts another there.
   */
  static void allocateNewBlock(DFSStripedOutputStream stream) throws IOException {
    Coordinator coordinator = (Coordinator) call(() -> COORDINATOR.invoke(stream));
    // Streamers that have written their part of the group before have taken theirs.
    coordinator.getFollowingBlocks().clear();
    call(() -> ALLOCATE.invoke(stream));
    // It has taken the ends of streamers that have not failed.
    ((MultipleBlockingQueue<?>) call(() -> END_BLOCKS.invoke(coordinator))).clear();
  }

  /** Handles streamers that have failed since the last call; throws if too many have. */
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

  /** Makes a streamer the one that inherited methods work on. */
  static void setCurrentStreamer(DFSStripedOutputStream stream, int index) throws IOException {
    call(() -> SET_CURRENT.invoke(stream, index));
  }

  /** Gives the stream's own cell buffers back to Hadoop's pool, and returns their emptied array. */
  static ByteBuffer[] takeCellBuffers(DFSStripedOutputStream stream) throws IOException {
    return (ByteBuffer[])
        call(
            () -> {
              Object cells = CELL_BUFFERS.invoke(stream);
              RELEASE_CELLS.invoke(cells);
              return CELL_ARRAY.invoke(cells);
            });
  }

  /** Sets what {@code close()} of a stream whose streamers are closed throws. */
  static void setLastException(DFSStripedOutputStream stream, IOException cause)
      throws IOException {
    ((ExceptionLastSeen) call(() -> LAST_EXCEPTION.invoke(stream))).set(cause);
  }

  /** Returns the socket of a streamer's connection, or null; for the thread of the streamer. */
  static Socket socket(StripedDataStreamer streamer) throws IOException {
    return (Socket) call(() -> SOCKET.invoke(streamer));
  }

  /**
   * Lets a streamer's acknowledgements be read through a buffer; Hadoop asks the socket for every
   * byte of their length. For the thread of the streamer, before it sends a connection's first
   * packet: the thread that reads them may still read the first without the buffer.
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

  /** Returns the number of the last packet that was acknowledged, or -1; read without a lock. */
  static long lastAcknowledged(StripedDataStreamer streamer) throws IOException {
    return (Long) call(() -> ACKNOWLEDGED.invoke(streamer));
  }

  /** Releases what Hadoop's stream releases on close only: threads for flushing, its encoder. */
  static void releaseHelpers(DFSStripedOutputStream stream) throws IOException {
    ((ExecutorService) call(() -> FLUSH_THREADS.invoke(stream))).shutdownNow();
    ((RawErasureEncoder) call(() -> ENCODER.invoke(stream))).release();
  }

  private interface Call {
    Object run() throws Throwable;
  }

  private static Object call(Call call) throws IOException {
    try {
      return call.run();
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  private static MethodHandle method(Class<?> owner, String name, Class<?>... parameters) {
    try {
      Method method = owner.getDeclaredMethod(name, parameters);
      open(method);
      return MethodHandles.lookup().unreflect(method);
    } catch (ReflectiveOperationException | RuntimeException e) {
      MISSING.add(owner.getSimpleName() + "." + name);
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
      open(field);
      return access.to(field);
    } catch (ReflectiveOperationException | RuntimeException e) {
      MISSING.add(owner.getSimpleName() + "." + name);
      return null;
    }
  }

  private static void open(AccessibleObject member) {
    member.setAccessible(true);
  }
}
