// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/** Names the internal blocks whose loss ends a write; Hadoop says how many they are. */
final class FailedUnits {
  private FailedUnits() {}

  /** Returns an exception that says which of a stream's units failed where, or the given one. */
  static IOException named(StripelineOutputStream stream, int units, IOException cause) {
    // Others have a meaning of their own, such as a quota, and name the file themselves.
    if (cause.getClass() != IOException.class) {
      return cause;
    }
    StringBuilder failed = new StringBuilder();
    for (int unit = 0; unit < units; unit++) {
      StripedDataStreamer streamer = stream.getStripedDataStreamer(unit);
      // That a streamer was interrupted does not say why.
      IOException late = stream.late() == null ? null : stream.late().cause(unit);
      IOException last = late == null ? streamer.getLastException().get() : late;
      // Hadoop stops the healthy ones, too, before it throws.
      if (streamer.getErrorState().hasInternalError() && !isInterrupt(last)) {
        failed.append(failed.length() == 0 ? "" : "; ").append(unit);
        DatanodeInfo node = node(streamer);
        if (node != null) {
          failed.append(" at ").append(node.getXferAddr());
        }
        if (last != null) {
          failed.append(": ").append(last.getMessage());
        }
      }
    }
    if (failed.length() == 0) {
      return cause;
    }
    return new IOException(
        stream.cannotWrite()
            + cause.getMessage()
            + ". Failed internal blocks: "
            + failed,
        cause);
  }

  private static DatanodeInfo node(StripedDataStreamer streamer) {
    DatanodeInfo[] nodes = streamer.getNodes();
    if (nodes == null || nodes.length == 0) {
      // Refused when the block was to be created.
      nodes = streamer.getExcludedNodes();
    }
    return nodes.length == 0 ? null : nodes[0];
  }

  private static boolean isInterrupt(IOException e) {
    return Interrupts.isInterrupt(e)
        || e != null && e.getCause() instanceof InterruptedException;
  }
}
