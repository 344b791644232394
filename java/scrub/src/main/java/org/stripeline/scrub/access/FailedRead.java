// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.BlockFingerprints.Outcome;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.convert.job.Reasons;

/**
 * What it means for a replica that it could not be read through the client. DataNodes send only the
 * text of their exceptions.
 */
final class FailedRead {
  private static final Pattern REFUSAL =
      Pattern.compile("Got error, status=ERROR\\b.*received exception (\\S+)", Pattern.DOTALL);
  private static final Pattern STAMP =
      Pattern.compile("Replica gen stamp < block genstamp.*replica=.*?blk_-?\\d+_(\\d+)");
  private static final Pattern LENGTH =
      Pattern.compile("don't match block .*\\( blockLen (\\d+) \\)");

  private FailedRead() {}

  /**
   * Sets the outcome that an agent would have reported, and returns it. Returns null if the reason
   * may lie in the DataNode or the network rather than in the replica.
   *
   * @param isOpened whether the DataNode had begun to send the bytes
   * @param answer receives the replica's generation stamp and length, if the DataNode said them
   */
  static Outcome outcome(
      IOException failure,
      boolean isOpened,
      FingerprintRequest request,
      BlockFingerprints.Builder answer) {
    Throwable cause = failure.getCause();
    if (cause == null) {
      return null;
    }
    if (isOpened) {
      // A DataNode that fails to read a file closes the connection, without any message.
      boolean isOfNetwork =
          cause instanceof SocketException || cause instanceof InterruptedIOException;
      return isOfNetwork ? null : Outcome.UNREADABLE;
    }
    String text = Reasons.of(cause);
    Matcher refusal = REFUSAL.matcher(text);
    if (!refusal.find()) {
      return null;
    }
    Matcher stamp = STAMP.matcher(text);
    Matcher length = LENGTH.matcher(text);
    if (refusal.group(1).contains("ReplicaNotFoundException")) {
      return Outcome.ABSENT;
    } else if (stamp.find()) {
      answer.replica(Long.parseLong(stamp.group(1)), request.block.length);
      return Outcome.DIFFERENT;
    } else if (length.find()) {
      answer.replica(request.block.generationStamp, Long.parseLong(length.group(1)));
      return Outcome.DIFFERENT;
    }
    return Outcome.UNREADABLE;
  }
}
