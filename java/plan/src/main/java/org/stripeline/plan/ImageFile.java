// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** An image that {@code hdfs oiv} wrote: detects its form and decompresses it. */
final class ImageFile {
  private static final int BUFFER_BYTES = 1 << 18;
  private static final int HEAD_BYTES = 64;

  /** The format of an image. */
  enum Form {
    XML,
    DELIMITED
  }

  private final Path path;
  private final Form form;

  private ImageFile(Path path, Form form) {
    this.path = path;
    this.form = form;
  }

  /**
   * Detects the form of a file from its beginning.
   *
   * @throws IOException if it has none of the forms, or cannot be read
   */
  static ImageFile of(Path path) throws IOException {
    if (!Files.isRegularFile(path)) {
      throw new IOException("Cannot read image " + path + ": it is not a file");
    }
    byte[] head = new byte[HEAD_BYTES];
    int length = 0;
    try (InputStream in = open(path)) {
      for (int n = in.read(head); n > 0; n = in.read(head, length, HEAD_BYTES - length)) {
        length += n;
      }
    }
    String text = new String(head, 0, length, StandardCharsets.UTF_8);
    if (text.startsWith("<?xml") || text.startsWith("<fsimage")) {
      return new ImageFile(path, Form.XML);
    }
    if (DelimitedImageSource.isHeader(text)) {
      return new ImageFile(path, Form.DELIMITED);
    }
    String what = text.startsWith("HDFSIMG") ? "it is an fsimage itself" : "its form is unknown";
    throw new IOException(
        "Cannot read image "
            + path
            + ": "
            + what
            + "; write it with 'hdfs oiv -p XML -i FSIMAGE -o FILE' or with -p Delimited");
  }

  Form form() {
    return form;
  }

  Path path() {
    return path;
  }

  /** Opens the file from its beginning. */
  InputStream open() throws IOException {
    return open(path);
  }

  private static InputStream open(Path path) throws IOException {
    InputStream in = new BufferedInputStream(Files.newInputStream(path), BUFFER_BYTES);
    try {
      in.mark(2);
      boolean isGzip = in.read() == 0x1f && in.read() == 0x8b;
      in.reset();
      return isGzip ? new GZIPInputStream(in, BUFFER_BYTES) : in;
    } catch (EOFException e) {
      in.close();
      throw new IOException("Cannot read image " + path + ": it ends too early", e);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }
}
