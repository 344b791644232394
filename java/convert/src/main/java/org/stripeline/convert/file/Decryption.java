// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.security.AccessControlException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.Reasons;

/** Compares the beginnings of two encrypted files after decryption. */
final class Decryption {
  private static final Logger LOG = LoggerFactory.getLogger(Decryption.class);
  private static final int BYTES = 4096;

  private final DFSClient client;
  private volatile boolean isDenied;

  Decryption(DFSClient client) {
    this.client = client;
  }

  /**
   * Compares two files, unless this user gets no keys: by default a KMS denies them to superusers,
   * and the configuration may name no KMS.
   *
   * @throws IOException if the files differ, or cannot be read for another reason
   */
  void compare(String original, String copy) throws IOException {
    if (isDenied || client.getKeyProvider() == null) {
      return;
    }
    byte[] before;
    try {
      before = beginning(original);
    } catch (FileNotFoundException e) {
      // The original was deleted; that says nothing about access to the keys of other files.
      return;
    } catch (IOException e) {
      if (!isDenial(e)) {
        throw e;
      }
      LOG.info("Comparing only the stored bytes of encrypted files: {}", Reasons.of(e));
      isDenied = true;
      return;
    }
    if (!Arrays.equals(before, beginning(copy))) {
      throw new IOException(
          "the new file decrypts to other bytes: its key differs from the file's");
    }
  }

  private static boolean isDenial(Throwable e) {
    return e instanceof AccessControlException || (e.getCause() != null && isDenial(e.getCause()));
  }

  private byte[] beginning(String path) throws IOException {
    try (FSDataInputStream in = client.createWrappedInputStream(client.open(path))) {
      byte[] bytes = new byte[BYTES];
      int read = 0;
      int count;
      while (read < BYTES && (count = in.read(bytes, read, BYTES - read)) > 0) {
        read += count;
      }
      return Arrays.copyOf(bytes, read);
    }
  }
}
