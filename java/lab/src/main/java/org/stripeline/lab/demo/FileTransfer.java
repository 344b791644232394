// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.function.Supplier;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Moves files of the demo into and out of HDFS and compares what comes out. */
final class FileTransfer {

  private static final int BUFFER_BYTES = 1 << 20;

  private final byte[] buffer = new byte[BUFFER_BYTES];

  /** Writes one file. */
  void write(SourceFile source, FileSystem fs, Path target, Progress.Step step)
      throws IOException {
    try (InputStream in = Files.newInputStream(source.local());
        OutputStream out = fs.create(target, true)) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
        step.advance(n);
      }
    }
  }

  /**
   * Reads one file to its end and compares it with its source.
   *
   * @param strength what to compare
   * @return bytes read and found equal
   * @throws DemoException naming the file and the first difference
   */
  long readAndCompare(
      SourceFile source,
      FileSystem fs,
      Path target,
      Supplier<Fingerprint.ContentDigest> strength,
      Progress.Step step)
      throws IOException {
    Fingerprint.ContentDigest digest = strength.get();
    try (FSDataInputStream in = fs.open(target)) {
      for (int n = in.read(buffer, 0, buffer.length);
          n >= 0;
          n = in.read(buffer, 0, buffer.length)) {
        digest.update(buffer, 0, n);
        step.advance(n);
      }
    }
    Fingerprint read = digest.finish();
    String difference = source.fingerprint().difference(read);
    if (difference != null) {
      throw new DemoException("Wrong bytes in " + target + ": " + difference);
    }
    return read.length();
  }
}
