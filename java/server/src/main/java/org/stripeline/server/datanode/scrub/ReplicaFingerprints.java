// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.BlockFingerprints.Outcome;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.natives.Ticker;
import org.stripeline.natives.fingerprint.FingerprintFunction;
import org.stripeline.server.datanode.AgentCount;
import org.stripeline.server.datanode.AgentKeys;
import org.stripeline.server.datanode.AgentMetrics;

/**
 * Reads fingerprints of a DataNode's own replicas, one stream per storage, at a rate that all
 * streams share.
 */
public final class ReplicaFingerprints implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaFingerprints.class);

  /** Time after which a call answers with the windows that it has. */
  static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Longest time that a window waits for those of other calls. */
  static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final DataNode dataNode;
  private final AgentMetrics metrics;
  private final BlockFile.Opener files;
  private final Ticker ticker;

  /** The storages that are being read. */
  private final Set<String> storages = ConcurrentHashMap.newKeySet();

  /** Guards the rest; streams that wait for their time wait for it. */
  private final Object lock = new Object();

  private final ByteSchedule shared;
  private final Deque<ByteBuffer> free = new ArrayDeque<>();
  private int buffers;
  private FingerprintFunction recent;
  private boolean closed;

  /**
   * Creates the operation.
   *
   * @param files opens block files
   * @param ticker the clock of rates and time limits
   */
  ReplicaFingerprints(
      DataNode dataNode,
      AgentMetrics metrics,
      long bytesPerSecond,
      BlockFile.Opener files,
      Ticker ticker) {
    this.dataNode = dataNode;
    this.metrics = metrics;
    this.files = files;
    this.ticker = ticker;
    shared = new ByteSchedule(bytesPerSecond);
  }

  /**
   * Creates the operation on a DataNode, which may not have registered yet.
   *
   * @param bytesPerSecond limit of all calls together; 0 for none
   */
  public static ReplicaFingerprints of(
      DataNode dataNode, AgentMetrics metrics, long bytesPerSecond) {
    return new ReplicaFingerprints(
        dataNode, metrics, bytesPerSecond, DirectFile::open, Ticker.SYSTEM);
  }

  /**
   * Reads the requested windows, or as many as can be read within some seconds.
   *
   * @param request has been checked
   * @throws AgentException of kind BUSY if the storage is being read; of kind NO_AGENT if closed
   */
  public BlockFingerprints read(FingerprintRequest request) throws IOException {
    BlockFingerprints.Builder answer = new BlockFingerprints.Builder(request);
    ReplicaView replica = find(request);
    if (replica == null) {
      return answer.end(Outcome.ABSENT, "this DataNode has no replica of it");
    }
    answer.replica(replica.generationStamp(), replica.length());
    if (!replica.isFinalized()) {
      return answer.end(Outcome.UNFINISHED, "the replica is " + replica);
    }
    if (replica.fileLength() >= 0) {
      answer.replica(replica.generationStamp(), replica.fileLength());
    }
    answer.modified(replica.modified());
    if (isOther(replica, request)) {
      return answer.end(
          Outcome.DIFFERENT, "requested is " + request.block + ", the replica is " + replica);
    }
    if (!storages.add(replica.storageId())) {
      throw new AgentException(
          AgentException.Kind.BUSY,
          "another call reads from storage " + replica.storageId() + "; try again later");
    }
    try {
      return read(request, replica, answer);
    } finally {
      storages.remove(replica.storageId());
    }
  }

  private ReplicaView find(FingerprintRequest request) throws AgentException {
    return ReplicaView.of(dataNode, request.pool, request.block.id);
  }

  private static boolean isOther(ReplicaView replica, FingerprintRequest request) {
    long length = request.block.length;
    return replica.generationStamp() != request.block.generationStamp
        || replica.length() != length
        || replica.fileLength() >= 0 && replica.fileLength() != length;
  }

  private BlockFingerprints read(
      FingerprintRequest request, ReplicaView replica, BlockFingerprints.Builder answer)
      throws IOException {
    metrics.add(AgentCount.FINGERPRINT_CALLS, 1);
    ByteBuffer buffer = takeBuffer();
    IOException failure = null;
    try (FsVolumeReference volume = replica.holdVolume()) {
      readWindows(request, replica, buffer, answer);
    } catch (AgentException e) {
      throw e;
    } catch (InterruptedIOException | ClosedByInterruptException e) {
      throw stopped(e);
    } catch (IOException e) {
      failure = e;
    } finally {
      giveBuffer(buffer);
    }
    // Only now is it certain that what was read is what was requested.
    ReplicaView now = find(request);
    if (!replica.equals(now)) {
      return answer.end(
          Outcome.CHANGED,
          "when opened, the replica was "
              + replica
              + "; now "
              + (now == null ? "it does not exist" : "it is " + now));
    }
    metrics.add(AgentCount.CHUNKS_BAD, answer.badChunkCount());
    if (answer.badChunkCount() > 0) {
      LOG.warn("{}: chunks with wrong checksums: {}", replica.data(), answer.badChunkCount());
    }
    if (failure == null) {
      return answer.end(Outcome.READ, "");
    }
    if (failure instanceof WindowReader.UnfittingWindowException) {
      return answer.end(Outcome.UNFITTING, failure.getMessage());
    }
    metrics.add(AgentCount.REPLICAS_UNREADABLE, 1);
    LOG.warn("Cannot read {} for fingerprints", replica.data(), failure);
    return answer.end(Outcome.UNREADABLE, AgentException.reason(failure));
  }

  private void readWindows(
      FingerprintRequest request,
      ReplicaView replica,
      ByteBuffer buffer,
      BlockFingerprints.Builder answer)
      throws IOException {
    ByteSchedule own = new ByteSchedule(request.bytesPerSecond);
    long start = ticker.nanos();
    try (BlockFile file = files.open(replica.data(), buffer);
        WindowReader reader = new WindowReader(request, function(request), replica, file, answer)) {
      do {
        long position = (request.firstWindow + answer.windows()) * request.windowBytes;
        long rest = Math.max(0, request.block.length - position);
        int bytes = (int) Math.min(rest, request.windowBytes);
        if (bytes > 0 && !awaitTurn(own, bytes)) {
          if (answer.windows() > 0) {
            return;
          }
          throw new AgentException(
              AgentException.Kind.BUSY,
              "the calls that read already use the whole rate ("
                  + AgentKeys.SCRUB_BANDWIDTH
                  + "); try again later");
        }
        reader.read(bytes, answer);
        metrics.add(AgentCount.FINGERPRINTED, bytes);
        if (file.isCached()) {
          metrics.add(AgentCount.FINGERPRINTED_CACHED, bytes);
          answer.cached();
        }
      } while (answer.windows() < request.windows && ticker.nanos() - start < CALL_NANOS);
    }
  }

  /**
   * Waits until a window may be read. Returns false at once if that takes too long because of other
   * calls, so that no client gives up a call that waits.
   */
  private boolean awaitTurn(ByteSchedule own, int bytes) throws AgentException {
    synchronized (lock) {
      long now = ticker.nanos();
      if (shared.next(now) - now > WAIT_NANOS) {
        return false;
      }
      long ownStart = own.enter(now, bytes);
      long sharedStart = shared.enter(now, bytes);
      long start = ownStart - sharedStart > 0 ? ownStart : sharedStart;
      try {
        for (long left = start - now; !closed && left > 0; left = start - ticker.nanos()) {
          ticker.timedWait(lock, left);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw stopped(e);
      }
      if (closed) {
        throw stopped(null);
      }
    }
    return true;
  }

  private static AgentException stopped(Exception why) {
    return new AgentException(AgentException.Kind.NO_AGENT, "the agent is being stopped", why);
  }

  /** Returns the function of a request; successive requests usually have the same. */
  private FingerprintFunction function(FingerprintRequest request) {
    synchronized (lock) {
      recent = FingerprintFunction.of(recent, request.seed, request.sums, request.windowBytes);
      return recent;
    }
  }

  private ByteBuffer takeBuffer() {
    synchronized (lock) {
      if (free.isEmpty()) {
        free.push(ByteBuffer.allocateDirect(DirectFile.BUFFER_BYTES));
        buffers++;
      }
      return free.pop();
    }
  }

  private void giveBuffer(ByteBuffer buffer) {
    synchronized (lock) {
      free.push(buffer);
    }
  }

  /** Returns the bytes of all buffers; as many are kept as were needed at the same time. */
  public long bufferBytes() {
    synchronized (lock) {
      return (long) buffers * DirectFile.BUFFER_BYTES;
    }
  }

  /** Ends all calls, now and later, with an exception of kind NO_AGENT. */
  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      lock.notifyAll();
    }
  }
}
