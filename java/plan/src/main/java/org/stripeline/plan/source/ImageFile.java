// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import java.util.zip.GZIPInputStream;
import org.stripeline.placement.CodeName;

/** An image that {@code hdfs oiv} wrote: detects its form and decompresses it. */
public final class ImageFile {
  private static final int BUFFER_BYTES = 1 << 18;
  private static final int HEAD_BYTES = 64;

  /** An XML image is read for its directories first, and then for its files. */
  private static final int PASSES_OF_XML = 2;

  /** The format of an image. */
  private enum Form {
    XML,
    DELIMITED
  }

  private final Path path;
  private final Form form;
  private LongConsumer read = bytes -> {};

  private ImageFile(Path path, Form form) {
    this.path = path;
    this.form = form;
  }

  /**
   * Detects the form of a file from its beginning.
   *
   * @throws IOException if it has none of the forms, or cannot be read
   */
  public static ImageFile of(Path path) throws IOException {
    if (!Files.isRegularFile(path)) {
      throw new IOException("Cannot read image " + path + ": it is not a file");
    }
    byte[] head = new byte[HEAD_BYTES];
    int length = 0;
    try (InputStream in = open(Files.newInputStream(path), path)) {
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

  /**
   * Returns a source of the files of a tree of this image.
   *
   * @param codeAssumed the code that is assumed for erasure-coded files whose policy the image does
   *     not contain
   */
  public FileSource source(String root, CodeName codeAssumed) {
    return form == Form.XML
        ? new XmlImageSource(this, root, codeAssumed)
        : new DelimitedImageSource(this, root, codeAssumed);
  }

  /** Returns the path that was given. */
  public Path path() {
    return path;
  }

  /** Returns the bytes that a source of this image reads from the file. */
  public long bytesToRead() throws IOException {
    return Files.size(path) * (form == Form.XML ? PASSES_OF_XML : 1);
  }

  /** Sets what receives the number of bytes of each read from the file. */
  public void watch(LongConsumer consumer) {
    read = consumer;
  }

  /** Opens the file from its beginning. */
  InputStream open() throws IOException {
    InputStream watched =
        new FilterInputStream(Files.newInputStream(path)) {
          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = super.read(bytes, offset, length);
            read.accept(Math.max(0, count));
            return count;
          }
        };
    return open(watched, path);
  }

  private static InputStream open(InputStream file, Path path) throws IOException {
    InputStream in = new BufferedInputStream(file, BUFFER_BYTES);
    try {
      in.mark(2);
      boolean isGzip = in.read() == 0x1f && in.read() == 0x8b;
      in.reset();
      return isGzip ? new GZIPInputStream(in, BUFFER_BYTES) : in;
    } catch (EOFException e) {
      in.close();
      throw new IOException("Cannot read image " + path + ": it is truncated", e);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }
}
