// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.stripeline.convert.settings.RefusedException;

/**
 * Reads files with records. All numbers are big-endian. Each part is followed by the CRC-32 of its
 * bytes:
 *
 * <ul>
 *   <li>the header: 8 bytes that name the kind of file, and the version (4);
 *   <li>chunks: the number of records (4, at least 1), and the records (32 each, see {@link
 *       GroupRecord});
 *   <li>only at the end of a {@link Kind#LEDGER}: -1 (4), and the number of all records (8).
 * </ul>
 */
final class RecordReader {
  static final int VERSION = 1;
  static final int CHUNK_RECORDS = 1024;
  static final int RECORD_BYTES = GroupRecord.LONGS * Long.BYTES;
  static final int END = -1;

  private static final int BUFFER_BYTES = 256 << 10;

  private final DataInputStream in;
  private final Kind kind;
  private final String path;
  private final CRC32 crc = new CRC32();

  /** The kinds of files. */
  enum Kind {
    /** It was renamed when it was complete. */
    LEDGER("SLSCRUBL"),
    /** It is appended to, so its last part may be incomplete. */
    LOG("SLSCRUBA");

    private final byte[] magic;

    Kind(String magic) {
      this.magic = magic.getBytes(StandardCharsets.US_ASCII);
    }

    byte[] magic() {
      return magic.clone();
    }
  }

  private RecordReader(InputStream in, Kind kind, String path) {
    this.in = new DataInputStream(new BufferedInputStream(in, BUFFER_BYTES));
    this.kind = kind;
    this.path = path;
  }

  /**
   * Reads all records of a file in order.
   *
   * @param path the file, for messages
   * @throws RefusedException if it cannot be used; the message says what to do
   */
  static void read(InputStream in, Kind kind, String path, Consumer<GroupRecord> consumer)
      throws IOException {
    new RecordReader(in, kind, path).read(consumer);
  }

  private void read(Consumer<GroupRecord> consumer) throws IOException {
    try {
      readHeader();
      long total = 0;
      for (int count = in.readInt(); count != END; count = in.readInt()) {
        if (count < 1 || count > CHUNK_RECORDS) {
          throw unreadable("it has a chunk of " + count + " records");
        }
        ByteBuffer chunk = take(count, count * RECORD_BYTES);
        long[] longs = new long[count * GroupRecord.LONGS];
        chunk.asLongBuffer().get(longs);
        for (int i = 0; i < count; i++) {
          consumer.accept(GroupRecord.at(longs, i * GroupRecord.LONGS));
        }
        total += count;
      }
      long recorded = take(END, Long.BYTES).getLong();
      if (recorded != total) {
        throw unreadable("it has " + total + " records instead of " + recorded);
      }
    } catch (EOFException e) {
      // A log ends where its writer was killed.
      if (kind == Kind.LEDGER) {
        throw unreadable("it ends early");
      }
    }
  }

  private void readHeader() throws IOException {
    byte[] magic = new byte[kind.magic.length];
    in.readFully(magic);
    if (!Arrays.equals(magic, kind.magic)) {
      throw unreadable("it does not begin as such a file");
    }
    int version = in.readInt();
    if (version > VERSION) {
      throw new RefusedException(
          "Cannot use "
              + path
              + ": its version is "
              + version
              + ", and this command knows "
              + VERSION
              + "; use the command that wrote it, or name another directory with --ledger");
    }
    crc.update(magic);
    update(version);
    requireChecksum("its header");
    if (version < 1) {
      throw unreadable("its version is " + version);
    }
  }

  private void update(int number) {
    crc.update(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
  }

  /** Reads the rest of a part that begins with a number, and compares its checksum. */
  private ByteBuffer take(int number, int bytes) throws IOException {
    byte[] part = new byte[bytes];
    in.readFully(part);
    update(number);
    crc.update(part);
    requireChecksum("a chunk");
    return ByteBuffer.wrap(part);
  }

  private void requireChecksum(String what) throws IOException {
    int recorded = in.readInt();
    if (recorded != (int) crc.getValue()) {
      throw unreadable("the checksum of " + what + " does not match");
    }
    crc.reset();
  }

  private RefusedException unreadable(String why) {
    String lost = kind == Kind.LEDGER ? "what it has" : "what was checked by the last scrub";
    return new RefusedException(
        "Cannot read "
            + path
            + ": "
            + why
            + "; restore it, or move it to another directory: "
            + lost
            + " then counts as not checked");
  }
}
