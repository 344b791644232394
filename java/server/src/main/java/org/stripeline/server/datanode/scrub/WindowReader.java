// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Arrays;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaView;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.util.DataChecksum;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.natives.codec.ChecksumKind;
import org.stripeline.natives.fingerprint.Fingerprint;
import org.stripeline.natives.fingerprint.FingerprintFunction;

/** Reads the windows of one replica in order, and adds to an answer what it finds in each. */
final class WindowReader implements Closeable {
  /** Thrown if a replica's checksums cannot be verified window by window. */
  static final class UnfittingWindowException extends IOException {
    private static final long serialVersionUID = 1;

    UnfittingWindowException(String message) {
      super(message);
    }
  }

  /** With fewer bytes per checksum, which is not usual, the checksums would take much memory. */
  private static final int CHUNK_MIN = 64;

  private final FingerprintRequest request;
  private final BlockFile file;
  private final Fingerprint fingerprint;
  private final DataInputStream meta;
  private final ChecksumKind kind;
  private final int bytesPerChecksum;

  /** The checksums of a window, as stored and as computed. */
  private final byte[] stored;

  private final int[] computed;

  /** The window at which {@link #meta} is. */
  private long nextWindow;

  /**
   * Opens the checksum file of a replica.
   *
   * @param file the block file, which the caller closes
   * @throws IOException if the checksum file cannot be used
   */
  WindowReader(
      FingerprintRequest request,
      FingerprintFunction function,
      ReplicaView replica,
      BlockFile file,
      BlockFingerprints.Builder answer)
      throws IOException {
    this.request = request;
    this.file = file;
    fingerprint = new Fingerprint(function);
    meta = new DataInputStream(Files.newInputStream(replica.meta()));
    try {
      DataChecksum checksum = BlockMetadataHeader.readDataChecksum(meta, replica.meta());
      kind = kind(checksum.getChecksumType());
      bytesPerChecksum = checksum.getBytesPerChecksum();
      answer.checksums(checksum.getChecksumType().name(), bytesPerChecksum);
      if (kind != null) {
        checkChunks();
      }
      int chunks = kind == null ? 0 : request.windowBytes / bytesPerChecksum;
      stored = new byte[chunks * Integer.BYTES];
      computed = new int[chunks];
      nextWindow = request.firstWindow;
      if (kind != null && request.firstWindow * request.windowBytes < replica.length()) {
        IOUtils.skipFully(meta, request.firstWindow * stored.length);
      }
    } catch (IOException | RuntimeException e) {
      meta.close();
      throw e;
    }
  }

  private void checkChunks() throws IOException {
    if (bytesPerChecksum < CHUNK_MIN || request.windowBytes % bytesPerChecksum != 0) {
      throw new UnfittingWindowException(
          "its checksums cover "
              + bytesPerChecksum
              + " bytes each; supported are "
              + CHUNK_MIN
              + " and more, of which a window of "
              + request.windowBytes
              + " bytes is a multiple");
    }
  }

  /** Returns the kind of checksum, or null if the replica has none. */
  private static ChecksumKind kind(DataChecksum.Type type) throws IOException {
    switch (type) {
      case CRC32:
        return ChecksumKind.CRC32;
      case CRC32C:
        return ChecksumKind.CRC32C;
      case NULL:
        return null;
      default:
        throw new IOException("its checksums are of type " + type);
    }
  }

  /**
   * Reads the next window.
   *
   * @param bytes its bytes; 0 past the end of the replica
   */
  void read(int bytes, BlockFingerprints.Builder answer) throws IOException {
    if (bytes > 0) {
      ByteBuffer data = file.read(nextWindow * request.windowBytes, bytes);
      if (kind == null) {
        fingerprint.update(data);
      } else {
        verify(data, answer);
      }
    }
    answer.fingerprint(fingerprint.take());
    nextWindow++;
  }

  private void verify(ByteBuffer data, BlockFingerprints.Builder answer) throws IOException {
    int chunks = (data.remaining() - 1) / bytesPerChecksum + 1;
    meta.readFully(stored, 0, chunks * Integer.BYTES);
    int[] sums = chunks == computed.length ? computed : Arrays.copyOf(computed, chunks);
    fingerprint.updateWithChecksums(data, kind, bytesPerChecksum, sums);
    ByteBuffer expected = ByteBuffer.wrap(stored);
    for (int chunk = 0; chunk < chunks; chunk++) {
      if (expected.getInt() != sums[chunk]) {
        long offset = nextWindow * request.windowBytes + (long) chunk * bytesPerChecksum;
        answer.badChunk(nextWindow, offset);
      }
    }
  }

  @Override
  public void close() throws IOException {
    meta.close();
  }
}
