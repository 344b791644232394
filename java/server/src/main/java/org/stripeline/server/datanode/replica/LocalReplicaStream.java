// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.replica;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FinalizedReplicas;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.util.DataChecksum;
import org.stripeline.natives.codec.ChecksumKind;
import org.stripeline.natives.codec.ChunkVerifier;

/** Reads a replica of the agent's own DataNode from its files. */
public final class LocalReplicaStream implements ReplicaStream {
  /** Bytes verified at a time, approximately; small enough to stay in the CPU cache. */
  private static final int PIECE_BYTES = 128 << 10;

  private final ExtendedBlock block;
  private final FinalizedReplicas.Open files;
  private final DataChecksum checksum;
  private final ChunkVerifier verifier;
  private final byte[] data;
  private final byte[] sums;

  /** Verified bytes that have not been read yet. */
  private ByteBuffer ready = ByteBuffer.allocate(0);

  /** Offset of the next piece in the replica. */
  private long next;

  /** Opens a replica of a DataNode at a position. */
  public LocalReplicaStream(DataNode node, ExtendedBlock block, long position) throws IOException {
    this.block = block;
    files = FinalizedReplicas.of(node, block.getBlockPoolId()).open(block);
    try {
      checksum = BlockMetadataHeader.readDataChecksum(files.meta(), block);
      ReplicaStream.check(checksum, block);
      ChecksumKind kind = ChecksumKind.valueOf(checksum.getChecksumType().name());
      verifier = new ChunkVerifier(kind, checksum.getBytesPerChecksum());
      int chunks = Math.max(1, PIECE_BYTES / checksum.getBytesPerChecksum());
      data = new byte[chunks * checksum.getBytesPerChecksum()];
      sums = new byte[chunks * checksum.getChecksumSize()];
      skipTo(position);
    } catch (IOException | RuntimeException e) {
      files.close();
      throw e;
    }
  }

  /** Skips to the chunk that contains {@code position}, and over its bytes before that position. */
  private void skipTo(long position) throws IOException {
    long chunk = position / checksum.getBytesPerChecksum();
    next = chunk * checksum.getBytesPerChecksum();
    IOUtils.skipFully(files.data(), next);
    IOUtils.skipFully(files.meta(), chunk * checksum.getChecksumSize());
    int before = (int) (position - next);
    if (before > 0) {
      readPiece();
      ready.position(before);
    }
  }

  @Override
  public void readFully(ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (!ready.hasRemaining()) {
        readPiece();
      }
      int end = ready.limit();
      ready.limit(Math.min(end, ready.position() + into.remaining()));
      into.put(ready);
      ready.limit(end);
    }
  }

  private void readPiece() throws IOException {
    int length = (int) Math.min(data.length, block.getNumBytes() - next);
    if (length <= 0) {
      throw new IOException("Cannot read " + block + " beyond its end at " + next);
    }
    int chunks = (length - 1) / checksum.getBytesPerChecksum() + 1;
    files.meta().readFully(sums, 0, chunks * checksum.getChecksumSize());
    IOUtils.readFully(files.data(), data, 0, length);
    int wrong = verifier.firstMismatch(ByteBuffer.wrap(data, 0, length), ByteBuffer.wrap(sums));
    if (wrong >= 0) {
      long at = next + (long) wrong * checksum.getBytesPerChecksum();
      throw new ChecksumException("Cannot read " + block + ": wrong checksum at " + at, at);
    }
    next += length;
    ready = ByteBuffer.wrap(data, 0, length);
  }

  @Override
  public DataChecksum checksum() {
    return checksum;
  }

  @Override
  public void close() {
    files.close();
  }
}
