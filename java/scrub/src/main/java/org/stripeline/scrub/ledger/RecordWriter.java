// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.apache.hadoop.fs.FSDataOutputStream;

/**
 * Writes records to a file: a header, chunks of up to 1,024 records, and at the end of a complete
 * file their number. {@link RecordReader} describes the format.
 */
final class RecordWriter implements Closeable {
  private final FSDataOutputStream out;
  private final long[] longs = new long[GroupRecord.LONGS];
  private final ByteBuffer chunk =
      ByteBuffer.allocate(
          2 * Integer.BYTES + RecordReader.CHUNK_RECORDS * RecordReader.RECORD_BYTES);
  private int count;
  private long total;

  RecordWriter(FSDataOutputStream out, RecordReader.Kind kind) throws IOException {
    this.out = out;
    chunk.put(kind.magic()).putInt(RecordReader.VERSION);
    end();
  }

  void add(GroupRecord record) throws IOException {
    if (count == 0) {
      chunk.putInt(0);
    }
    record.store(longs, 0);
    for (long one : longs) {
      chunk.putLong(one);
    }
    count++;
    total++;
    if (count == RecordReader.CHUNK_RECORDS) {
      endChunk();
    }
  }

  private void endChunk() throws IOException {
    if (count > 0) {
      chunk.putInt(0, count);
      count = 0;
      end();
    }
  }

  /** Writes what is in the buffer, and its checksum. */
  private void end() throws IOException {
    CRC32 crc = new CRC32();
    crc.update(chunk.array(), 0, chunk.position());
    chunk.putInt((int) crc.getValue());
    out.write(chunk.array(), 0, chunk.position());
    chunk.clear();
  }

  /** Writes all records to the disks of DataNodes. */
  void sync() throws IOException {
    endChunk();
    out.hsync();
  }

  /** Writes the number of records, with which the file is complete. */
  void complete() throws IOException {
    endChunk();
    chunk.putInt(RecordReader.END).putLong(total);
    end();
    out.hsync();
  }

  @Override
  public void close() throws IOException {
    try {
      out.close();
    } catch (IOException e) {
      // HDFS throws the exception of an earlier failure again, which cannot suppress itself.
      throw new IOException(e);
    }
  }
}
