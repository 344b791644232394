// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.client.Interrupts;
import org.stripeline.client.write.StripeLayout;

/** Names the internal blocks whose loss made a write fail; Hadoop reports only their number. */
final class FailedUnits {
  private FailedUnits() {}

  /**
   * Returns an exception that names the failed units of a stream with their DataNodes and causes,
   * or {@code cause} itself if it is of a subclass of IOException or no unit has failed.
   */
  static IOException named(StripelineOutputStream stream, StripeLayout layout, IOException cause) {
    // Subclasses report other conditions, such as an exceeded quota, and name the file themselves.
    if (cause.getClass() != IOException.class) {
      return cause;
    }
    List<String> failed = new ArrayList<>();
    List<String> withoutBlock = new ArrayList<>();
    for (int unit = 0; unit < layout.units(); unit++) {
      StripedDataStreamer streamer = stream.getStripedDataStreamer(unit);
      // The interruption of a streamer does not show the reason for it.
      IOException late = stream.late().cause(unit);
      IOException last = late == null ? streamer.getLastException().get() : late;
      // Hadoop also stops the healthy streamers before it throws.
      if (streamer.getErrorState().hasInternalError() && !isInterrupt(last)) {
        DatanodeInfo[] nodes = streamer.getNodes();
        if (nodes != null && nodes.length > 0) {
          failed.add(described(unit, nodes, last));
        } else {
          withoutBlock.add(described(unit, streamer.getExcludedNodes(), last));
        }
      }
    }
    if (failed.size() <= layout.units() - layout.dataUnits()) {
      // Otherwise Hadoop may have stopped these streamers while they created their blocks, which
      // looks like a refusal.
      failed.addAll(withoutBlock);
    }
    if (failed.isEmpty()) {
      return cause;
    }
    return new IOException(
        stream.cannotWrite()
            + cause.getMessage()
            + ". Failed internal blocks: "
            + String.join("; ", failed),
        cause);
  }

  private static String described(int unit, DatanodeInfo[] nodes, IOException last) {
    return unit
        + (nodes.length == 0 ? "" : " at " + nodes[0].getXferAddr())
        + (last == null ? "" : ": " + last.getMessage());
  }

  /**
   * Returns whether an exception was caused by an interruption. The thread that reads
   * acknowledgements sees a closed channel when the sending thread was interrupted.
   */
  private static boolean isInterrupt(IOException e) {
    return Interrupts.isInterrupt(e)
        || e instanceof ClosedChannelException
        || e != null && e.getCause() instanceof InterruptedException;
  }
}
