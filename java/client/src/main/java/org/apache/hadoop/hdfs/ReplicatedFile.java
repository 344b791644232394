// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.ClosedChannelException;
import java.util.EnumSet;
import org.apache.hadoop.crypto.CryptoOutputStream;
import org.apache.hadoop.fs.FileEncryptionInfo;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;

/** Hadoop's stream of a replicated file, with the ciphers in front of it in encryption zones. */
final class ReplicatedFile {
  private final StripelineDFSClient client;
  private final DFSOutputStream file;
  private final Tail tail;

  /** Null unless the file is encrypted. */
  private final CryptoOutputStream ciphers;

  /**
   * Creates the pair. In an encryption zone the striped stream takes bytes that are encrypted with
   * the key of the striped file; the ciphers are counter modes, so that encrypting once more with
   * the same key gives the plain bytes, which the key of the replicated file encrypts.
   *
   * @param striped the encryption of the bytes that the stream takes, or null
   */
  ReplicatedFile(StripelineDFSClient client, DFSOutputStream file, FileEncryptionInfo striped)
      throws IOException {
    this.client = client;
    this.file = file;
    this.tail = new Tail(file);
    this.ciphers = striped == null ? null : ciphers(striped);
  }

  private CryptoOutputStream ciphers(FileEncryptionInfo striped) throws IOException {
    CryptoOutputStream encrypting = client.cipherOf(file.getFileEncryptionInfo(), tail);
    try {
      return client.cipherOf(striped, encrypting);
    } catch (IOException | RuntimeException | Error e) {
      encrypting.close();
      throw e;
    }
  }

  DFSOutputStream file() {
    return file;
  }

  /** Returns the stream that takes the bytes that the striped file would take. */
  OutputStream bytes() {
    return ciphers == null ? file : ciphers;
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
    if (ciphers != null) {
      ciphers.flush();
      if (!tail.isOpen) {
        // Another thread closes or aborts the file, which the bytes may not have reached.
        file.checkClosed();
        throw new ClosedChannelException();
      }
    }
  }

  /** Completes the file, or aborts it if it would lack its last bytes. */
  void close() throws IOException {
    boolean isWhole = ciphers == null;
    try {
      if (ciphers != null) {
        // No write of another thread comes between both, whose bytes would be lost.
        synchronized (ciphers) {
          try {
            ciphers.flush();
            isWhole = true;
          } finally {
            releaseCiphers();
          }
        }
      }
    } finally {
      // Hadoop's close does not complete a file whose stream has ended, and may recover its lease.
      if (isWhole || file.isClosed()) {
        file.close();
      } else {
        abort(client, file);
      }
    }
  }

  /**
   * Ends the stream without a call to the NameNode; the lease is no longer renewed. The file is
   * aborted first, because a writer holds the ciphers while it waits for the DataNodes.
   */
  void abort() throws IOException {
    tail.isOpen = false;
    try {
      abort(client, file);
    } finally {
      releaseCiphers();
    }
  }

  /** Aborts a stream; Hadoop's own method leaves the renewal of its lease in the client. */
  static void abort(DFSClient client, DFSOutputStream file) throws IOException {
    try {
      file.abort();
    } finally {
      LeaseCompat.end(client, file);
    }
  }

  /** Closing the ciphers is what frees their memory; they write their last bytes to the tail. */
  private void releaseCiphers() throws IOException {
    if (ciphers != null) {
      tail.isOpen = false;
      ciphers.close();
    }
  }

  /** Passes bytes on to the file until the ciphers are released, and never closes it. */
  private static final class Tail extends OutputStream {
    private final DFSOutputStream file;
    private volatile boolean isOpen = true;

    Tail(DFSOutputStream file) {
      this.file = file;
    }

    @Override
    public void write(int value) throws IOException {
      if (isOpen) {
        file.write(value);
      }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (isOpen) {
        file.write(bytes, offset, length);
      }
    }

    @Override
    public void flush() throws IOException {
      if (isOpen) {
        file.flush();
      }
    }
  }
}
