// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.zip.Checksum;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FinalizedReplicas;
import org.apache.hadoop.util.DataChecksum;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.BadReplica;
import org.stripeline.agent.BlockChecksum;
import org.stripeline.agent.BlockClaim;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.server.datanode.AgentCount;
import org.stripeline.server.datanode.replica.LocalReplicaStream;
import org.stripeline.server.datanode.replica.ReplicaStream;

/**
 * Reads one data block of a group from the first readable replica. If a read fails, it continues at
 * the same position in the next replica. One thread reads; another may stop it.
 */
final class SourceReader implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(SourceReader.class);

  private final TaskContext context;
  private final EncodeRequest request;
  private final EncodeRequest.Source source;
  private final ExtendedBlock block;
  private final TransferCounters counters;
  private final RateLimiter limiter;
  private final EncodeRequest.Kept kept;
  private final int unit;
  private final Checksum crc32c = checksum(DataChecksum.Type.CRC32C);
  private final StringBuilder failures = new StringBuilder();

  private long position;
  private int node;
  private ReplicaStream stream;
  private boolean changed;
  private boolean closed;

  /** Null before the first read: most tasks of an agent wait for others. */
  private byte[] copy;

  /** Checksum of the replicas' type; null before the first replica is opened. */
  private Checksum own;

  private DataChecksum.Type ownType;

  /** Creates a reader. {@code kept} is null if no replica of the unit is kept. */
  SourceReader(
      TaskContext context,
      EncodeRequest request,
      int unit,
      EncodeRequest.Kept kept,
      TransferCounters counters,
      RateLimiter limiter) {
    this.context = context;
    this.request = request;
    this.unit = unit;
    this.kept = kept;
    this.source = request.data.get(unit);
    this.block = source.block.in(request.pool);
    this.counters = counters;
    this.limiter = limiter;
  }

  /** Returns the checksum type of the replica, and opens one if none is open. */
  DataChecksum checksum() throws IOException {
    DataChecksum kind = stream().checksum();
    if (own == null) {
      ownType = kind.getChecksumType();
      own = ownType == DataChecksum.Type.CRC32C ? crc32c : checksum(ownType);
    }
    return kind;
  }

  private static Checksum checksum(DataChecksum.Type type) {
    return DataChecksum.newDataChecksum(type, RateLimiter.STEP);
  }

  /** Returns the checksum of the bytes read, when all have been read. */
  BlockChecksum read() {
    return new BlockChecksum(position, (int) crc32c.getValue());
  }

  /** Returns the same checksum in the replicas' type. */
  BlockClaim readAsClaim() {
    return new BlockClaim(ownType.name(), (int) own.getValue());
  }

  /** Fills the buffer from the block, and with zeros beyond the block's end. */
  void fill(ByteBuffer into) throws IOException {
    int end = into.limit();
    while (into.hasRemaining() && position < source.block.length) {
      long left = source.block.length - position;
      long step = Math.min(Math.min(left, RateLimiter.STEP), into.remaining());
      into.limit(into.position() + (int) step);
      readStep(into);
      into.limit(end);
    }
    while (into.hasRemaining()) {
      into.put((byte) 0);
    }
  }

  private void readStep(ByteBuffer into) throws IOException {
    int begin = into.position();
    int bytes = into.remaining();
    while (into.hasRemaining()) {
      ReplicaStream from = stream();
      try {
        from.readFully(into);
      } catch (IOException e) {
        into.position(begin);
        giveUp(e);
      }
    }
    sum(into, begin, bytes);
    position += bytes;
    counters.read(context.distance(request.rack, source.nodes.get(node)), bytes);
    limiter.moved(bytes);
  }

  private void sum(ByteBuffer from, int begin, int bytes) {
    if (copy == null) {
      copy = new byte[RateLimiter.STEP];
    }
    ByteBuffer view = from.duplicate();
    view.position(begin);
    view.get(copy, 0, bytes);
    crc32c.update(copy, 0, bytes);
    if (own != null && own != crc32c) {
      own.update(copy, 0, bytes);
    }
  }

  private ReplicaStream stream() throws IOException {
    while (true) {
      AgentNode from;
      synchronized (this) {
        if (closed) {
          throw new IOException("Cannot read " + block + ": the task has ended");
        }
        if (stream != null) {
          return stream;
        }
        if (node == source.nodes.size()) {
          throw new AgentException(
              changed ? AgentException.Kind.CHANGED : AgentException.Kind.FAILED,
              "Cannot read " + source.block + " from any replica: " + failures);
        }
        from = source.nodes.get(node);
      }
      try {
        install(open(from));
      } catch (IOException e) {
        giveUp(e);
      }
    }
  }

  /** Hadoop's calls modify the block that they are given, so each gets a copy. */
  private ReplicaStream open(AgentNode from) throws IOException {
    ExtendedBlock copy = new ExtendedBlock(block);
    return context.isHere(from)
        ? new LocalReplicaStream(context.dataNode, copy, position)
        : new RemoteReplicaStream(
            context.dataNode,
            from.toDatanodeInfo(),
            copy,
            position,
            context.settings.timeoutMillis);
  }

  private synchronized void install(ReplicaStream opened) {
    if (closed) {
      opened.close();
    } else {
      stream = opened;
    }
  }

  /** Switches to the next replica, unless the reader has been closed. */
  private void giveUp(IOException why) throws IOException {
    synchronized (this) {
      if (closed || Thread.currentThread().isInterrupted()) {
        throw why;
      }
      closeStream();
    }
    AgentNode from = source.nodes.get(node);
    LOG.warn("Cannot read {} from {} at {}", source.block, from, position, why);
    failures.append(failures.length() == 0 ? "" : "; ").append(from).append(" at ");
    failures.append(position).append(": ").append(AgentException.reason(why));
    changed |= AgentException.isChange(why);
    context.metrics.add(AgentCount.READ_FAILOVERS, 1);
    node++;
    if (why instanceof ChecksumException) {
      context.reportCorrupt(request.pool, source.block, from);
      if (kept != null && kept.node.uuid.equals(from.uuid)) {
        // Stop the task: the group would keep the replica that was just found to be wrong.
        throw new AgentException(
            "Cannot keep the replica of "
                + source.block
                + " at "
                + from
                + ": "
                + AgentException.reason(why),
            Collections.singletonList(new BadReplica(unit, from.uuid)));
      }
    }
  }

  /**
   * Checks that the replica has not changed, if it was read from this DataNode.
   *
   * @throws AgentException of kind CHANGED if it has
   */
  void checkUnchanged() throws IOException {
    if (context.isHere(source.nodes.get(node))) {
      FinalizedReplicas.of(context.dataNode, block.getBlockPoolId()).check(block);
    }
  }

  private void closeStream() {
    if (stream != null) {
      stream.close();
      stream = null;
    }
  }

  /**
   * Makes the reading thread end soon. Local files are not closed while it uses them, since the
   * DataNode would consider the failure a disk error.
   */
  synchronized void stop() {
    closed = true;
    if (stream instanceof RemoteReplicaStream) {
      closeStream();
    }
  }

  /** Closes the open replica. No thread may be reading. */
  @Override
  public synchronized void close() {
    closed = true;
    closeStream();
  }
}
