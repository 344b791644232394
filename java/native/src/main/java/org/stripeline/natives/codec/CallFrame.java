// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The small arrays that one call needs: positions, and the arrays of heap buffers.
 *
 * <p>A codec keeps one frame in a {@link Slot}, so that a thread that calls it repeatedly allocates
 * nothing; a second concurrent caller allocates its own frame and drops it.
 */
final class CallFrame {
  /** Bytes of each unit. */
  int length;

  /** Whether all buffers of the call are direct. */
  boolean direct;

  int[] inputPositions = new int[0];
  int[] outputPositions = new int[0];
  byte[][] inputArrays = new byte[0][];
  byte[][] outputArrays = new byte[0][];

  /** Resizes the arrays to exactly the numbers of buffers, as the native library requires. */
  void fit(int inputs, int outputs) {
    // Arrays first: after an OutOfMemoryError another call uses the frame.
    if (inputPositions.length != inputs) {
      inputArrays = new byte[inputs][];
      inputPositions = new int[inputs];
    }
    if (outputPositions.length != outputs) {
      outputArrays = new byte[outputs][];
      outputPositions = new int[outputs];
    }
  }

  void setInput(int index, ByteBuffer buffer) {
    if (direct) {
      inputPositions[index] = buffer.position();
    } else {
      inputArrays[index] = buffer.array();
      inputPositions[index] = buffer.arrayOffset() + buffer.position();
    }
  }

  void setOutput(int index, ByteBuffer buffer) {
    if (direct) {
      outputPositions[index] = buffer.position();
    } else {
      outputArrays[index] = buffer.array();
      outputPositions[index] = buffer.arrayOffset() + buffer.position();
    }
  }

  /** Holds at most one idle frame. */
  static final class Slot {
    private final AtomicReference<CallFrame> idle = new AtomicReference<>();

    CallFrame take() {
      CallFrame frame = idle.getAndSet(null);
      return frame != null ? frame : new CallFrame();
    }

    void giveBack(CallFrame frame) {
      if (!frame.direct) {
        // An idle frame must not keep the caller's arrays alive.
        Arrays.fill(frame.inputArrays, null);
        Arrays.fill(frame.outputArrays, null);
      }
      idle.lazySet(frame);
    }
  }
}
