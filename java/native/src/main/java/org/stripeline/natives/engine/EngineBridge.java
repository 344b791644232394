// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.natives.codec.EcException;

/**
 * The engine methods of the native library, as crates/jni exports them.
 *
 * <p>A task with a number other than 0 is issued: the native memory of its buffers must remain
 * valid until {@link #take} has reported that number. A call with task 0 waits for its result. A
 * deadline is in nanoseconds from now; a negative value means none. A closed engine causes an
 * {@link IllegalStateException}.
 */
final class EngineBridge {
  /** The longs of a report: task, status, detail. */
  static final int REPORT_LONGS = 3;

  /** The status of a task that succeeded; for a comparison, without a difference. */
  static final long SOUND = 0;

  /**
   * The status of a comparison that found a difference; the detail has the parity unit in its upper
   * and the offset in its lower half. Any other status is the code of an {@link EcException.Kind}.
   */
  static final long MISMATCH = -1;

  private EngineBridge() {}

  /**
   * Throws if there is no native library.
   *
   * @param verb the action that needs the library, such as "open the engine"
   */
  static void requireLibrary(String verb) throws EcException {
    CoderStatus status = CoderStatus.current();
    if (!status.isNative()) {
      throw new EcException(
          EcException.Kind.CONFIGURATION,
          "Cannot "
              + verb
              + ": it needs the native library ("
              + status.fallbackCause().orElse("unknown cause")
              + ")");
    }
  }

  /** Opens an engine; the configuration is UTF-8 text of {@code key=value} lines. */
  static native long open(byte[] configuration) throws IOException;

  /** Waits for calls and tasks, and ends the engine's threads. */
  static native void close(long engine);

  /**
   * Waits for tasks to end; returns the number of reports written, or -1 when the engine is closed
   * and has no more reports, after which the handle is invalid. A report of task 0 means that there
   * are events.
   */
  static native int take(long engine, long[] reports);

  /** Returns the reason why a reported task failed, once; null if it is not known. */
  static native String failure(long engine, long task);

  /**
   * Returns the oldest event, prefixed with + if it is good news and with - if it is bad; null if
   * there is none.
   */
  static native String event(long engine);

  /** Cancels a task; returns false if it has ended. */
  static native boolean cancel(long engine, long task);

  /**
   * Writes as many statistics as fit and returns their total number; see {@link EngineStatistics}.
   */
  static native int statistics(long engine, long[] numbers);

  /** Returns a line for each rail: its name, a tab, and the reason if it is out of service. */
  static native String rails(long engine);

  /** Returns the description of the engine, a JSON object. */
  static native String describe(long engine);

  static native void encode(
      long engine,
      long codec,
      ByteBuffer[] inputs,
      int[] inputPositions,
      ByteBuffer[] outputs,
      int[] outputPositions,
      int length,
      long task,
      boolean background,
      long deadline)
      throws IOException;

  static native void decode(
      long engine,
      long codec,
      ByteBuffer[] units,
      int[] unitPositions,
      int[] erased,
      ByteBuffer[] outputs,
      int[] outputPositions,
      int length,
      long task,
      boolean background,
      long deadline)
      throws IOException;

  static native int verify(
      long engine,
      long codec,
      ByteBuffer[] units,
      int[] positions,
      int length,
      long task,
      boolean background,
      long deadline)
      throws IOException;

  static native void update(
      long engine,
      long codec,
      int dataUnit,
      ByteBuffer old,
      int oldPosition,
      ByteBuffer fresh,
      int freshPosition,
      ByteBuffer[] parity,
      int[] parityPositions,
      int length,
      long task,
      boolean background,
      long deadline)
      throws IOException;

  /**
   * Looks for the rails that a configuration names and measures them; returns a JSON object, see
   * {@link RailSurvey}.
   *
   * @param configuration UTF-8 text of {@code key=value} lines, of which only {@code rails} is used
   * @param milliseconds how long to measure, all rails together
   * @param path the file to write the tuning table to, in the encoding of file names; may be null
   */
  static native String survey(byte[] configuration, long milliseconds, byte[] path)
      throws IOException;
}
