// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.BlockFingerprints.Outcome;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.convert.file.ReplicaReader;
import org.stripeline.convert.job.RateLimiter;
import org.stripeline.natives.Ticker;
import org.stripeline.natives.fingerprint.Fingerprint;
import org.stripeline.natives.fingerprint.FingerprintFunction;

/**
 * Computes fingerprints of replicas in this process, from bytes that their DataNodes send. Replaces
 * agents where there are none; the bytes of all blocks then cross the network.
 */
final class ClientReads {
  /** Windows of one call, so that no DataNode is read from for long while others wait for it. */
  private static final int WINDOWS_MAX = 16;

  private final DistributedFileSystem fs;
  private final Ticker ticker;
  private FingerprintFunction function;

  ClientReads(DistributedFileSystem fs, Ticker ticker) {
    this.fs = fs;
    this.ticker = ticker;
  }

  /** Reads bytes as they are, whether they match their checksums or not. */
  byte[] read(LocatedBlock replica, DatanodeInfo node, long offset, int bytes) throws IOException {
    return read(replica, node, offset, bytes, false, new boolean[1]).array();
  }

  /**
   * Answers a request as an agent does. A chunk with a wrong checksum is reported as the first of
   * its window, because only the window is known.
   */
  BlockFingerprints fingerprint(LocatedBlock replica, DatanodeInfo node, FingerprintRequest request)
      throws IOException {
    BlockFingerprints.Builder answer = new BlockFingerprints.Builder(request);
    answer.replica(request.block.generationStamp, request.block.length);
    answer.cached();
    long most =
        request.bytesPerSecond == 0 ? FingerprintRequest.RATE_DEFAULT : request.bytesPerSecond;
    RateLimiter rate = new RateLimiter(most, ticker);
    Fingerprint fingerprint = new Fingerprint(function(request));
    long end = request.firstWindow + Math.min(request.windows, WINDOWS_MAX);
    for (long window = request.firstWindow; window < end; window++) {
      long offset = Math.min(request.block.length, window * request.windowBytes);
      int bytes = (int) Math.min(request.windowBytes, request.block.length - offset);
      rate.take(bytes);
      boolean[] isOpened = new boolean[1];
      ByteBuffer data;
      try {
        try {
          data = read(replica, node, offset, bytes, true, isOpened);
        } catch (IOException e) {
          if (!(e.getCause() instanceof ChecksumException)) {
            throw e;
          }
          data = read(replica, node, offset, bytes, false, isOpened);
          answer.badChunk(window, offset);
        }
      } catch (IOException e) {
        if (answer.windows() > 0) {
          break;
        }
        Outcome outcome = FailedRead.outcome(e, isOpened[0], request, answer);
        if (outcome == null) {
          throw e;
        }
        return answer.end(outcome, AgentException.reason(e));
      }
      fingerprint.update(data);
      answer.fingerprint(fingerprint.take());
    }
    return answer.end(Outcome.READ, "");
  }

  /**
   * Reads a part of a replica.
   *
   * @param isOpened is set when the DataNode begins to send
   */
  private ByteBuffer read(
      LocatedBlock replica,
      DatanodeInfo node,
      long offset,
      int bytes,
      boolean isVerified,
      boolean[] isOpened)
      throws IOException {
    ByteBuffer into = ByteBuffer.allocate(bytes);
    isOpened[0] = false;
    try (ReplicaReader reader = new ReplicaReader(fs, replica, node, offset, bytes, isVerified)) {
      isOpened[0] = true;
      reader.read(into);
    }
    into.flip();
    return into;
  }

  private synchronized FingerprintFunction function(FingerprintRequest request) {
    function = FingerprintFunction.of(function, request.seed, request.sums, request.windowBytes);
    return function;
  }
}
