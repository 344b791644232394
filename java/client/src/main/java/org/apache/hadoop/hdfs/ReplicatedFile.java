// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.OutputStream;
import java.util.EnumSet;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;

/** Hadoop's stream of a replicated file, with the ciphers in front of it in encryption zones. */
final class ReplicatedFile {
  private final DFSOutputStream file;
  private final OutputStream bytes;

  /**
   * Creates the pair.
   *
   * @param bytes takes the bytes that the striped file would take; the same as {@code file} unless
   *     the files are encrypted
   */
  ReplicatedFile(DFSOutputStream file, OutputStream bytes) {
    this.file = file;
    this.bytes = bytes;
  }

  DFSOutputStream file() {
    return file;
  }

  OutputStream bytes() {
    return bytes;
  }

  void hflush() throws IOException {
    flushCiphers();
    file.hflush();
  }

  void hsync(EnumSet<SyncFlag> flags) throws IOException {
    flushCiphers();
    file.hsync(flags);
  }

  private void flushCiphers() throws IOException {
    if (bytes != file) {
      bytes.flush();
    }
  }

  void close() throws IOException {
    bytes.close();
  }
}
