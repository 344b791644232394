// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.apache.hadoop.util.DataChecksum;

/**
 * What the content of a file must be: its length, the CRC32C of each piece of 1 MiB and the SHA-256
 * of the whole.
 *
 * <p>Two strengths, because a checked read is also a timed read: CRC32C costs next to nothing and
 * says where the first difference is; SHA-256 takes as long as the read itself, so it is kept for
 * the passes that are not timed.
 */
final class Fingerprint {

  static final int PIECE_BYTES = 1 << 20;

  private final long length;
  private final int[] pieceSums;
  private final byte[] sha256;

  private Fingerprint(long length, int[] pieceSums, byte[] sha256) {
    this.length = length;
    this.pieceSums = pieceSums;
    this.sha256 = sha256;
  }

  /** Reads a local file to its end. */
  static Fingerprint of(Path file) throws IOException {
    ContentDigest digest = ContentDigest.full();
    byte[] buffer = new byte[PIECE_BYTES];
    try (InputStream in = Files.newInputStream(file)) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        digest.update(buffer, 0, n);
      }
    }
    return digest.finish();
  }

  /** Bytes in the file. */
  long length() {
    return length;
  }

  /** Lower-case hexadecimal SHA-256. */
  String sha256() {
    if (sha256 == null) {
      throw new IllegalStateException("Cannot show SHA-256: only checksums of pieces were taken");
    }
    StringBuilder text = new StringBuilder(2 * sha256.length);
    for (byte b : sha256) {
      text.append(String.format("%02x", b));
    }
    return text.toString();
  }

  /**
   * Compares with what was read. A strength that one side lacks is left out.
   *
   * @return what differs, or null when nothing does
   */
  String difference(Fingerprint read) {
    int pieces = Math.min(pieceSums.length, read.pieceSums.length);
    long common = Math.min(length, read.length);
    for (int i = 0; i < pieces; i++) {
      long start = (long) i * PIECE_BYTES;
      long end = Math.min(start + PIECE_BYTES, length);
      boolean cutShort = Math.min(start + PIECE_BYTES, read.length) != end;
      if (!cutShort && pieceSums[i] != read.pieceSums[i]) {
        return String.format(
            "bytes %d to %d differ: CRC32C is %08x, should be %08x",
            start, end - 1, read.pieceSums[i], pieceSums[i]);
      }
    }
    if (length != read.length) {
      return String.format(
          "length is %d bytes, should be %d (the first %d bytes agree where compared)",
          read.length, length, common / PIECE_BYTES * PIECE_BYTES);
    }
    if (sha256 != null && read.sha256 != null && !Arrays.equals(sha256, read.sha256)) {
      return "SHA-256 is " + read.sha256() + ", should be " + sha256();
    }
    return null;
  }

  /** Takes the fingerprint of bytes that arrive in parts. */
  static final class ContentDigest {

    private final DataChecksum crc =
        DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, PIECE_BYTES);
    private final MessageDigest sha;
    private int[] sums = new int[16];
    private int pieces;
    private int inPiece;
    private long length;

    private ContentDigest(MessageDigest sha) {
      this.sha = sha;
    }

    /** Checksums of pieces only. */
    static ContentDigest quick() {
      return new ContentDigest(null);
    }

    /** Checksums of pieces and SHA-256. */
    static ContentDigest full() {
      try {
        return new ContentDigest(MessageDigest.getInstance("SHA-256"));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java platform has SHA-256", e);
      }
    }

    void update(byte[] bytes, int offset, int count) {
      if (sha != null) {
        sha.update(bytes, offset, count);
      }
      int at = offset;
      int left = count;
      while (left > 0) {
        int part = Math.min(left, PIECE_BYTES - inPiece);
        crc.update(bytes, at, part);
        at += part;
        left -= part;
        inPiece += part;
        if (inPiece == PIECE_BYTES) {
          endPiece();
        }
      }
      length += count;
    }

    Fingerprint finish() {
      if (inPiece > 0) {
        endPiece();
      }
      return new Fingerprint(
          length, Arrays.copyOf(sums, pieces), sha == null ? null : sha.digest());
    }

    private void endPiece() {
      if (pieces == sums.length) {
        sums = Arrays.copyOf(sums, 2 * pieces);
      }
      sums[pieces++] = (int) crc.getValue();
      crc.reset();
      inPiece = 0;
    }
  }
}
