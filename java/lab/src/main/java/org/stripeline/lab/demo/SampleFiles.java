// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files that the demo works on: made here, or those of the user.
 *
 * <p>Made files are the same on every machine: texts of uneven lengths, among them the lengths at
 * which striping gets interesting (nothing, one byte, one byte around a cell and a stripe), and a
 * Parquet table.
 */
final class SampleFiles {

  /** Share of the size that the Parquet table takes. */
  private static final double TABLE_SHARE = 0.4;

  /** Name of the Parquet table among the made files. */
  static final String TABLE_NAME = "tpch/lineitem.parquet";

  /** How the rest is divided among the larger texts; odd on purpose. */
  private static final double[] TEXT_SHARES = {0.537, 0.251, 0.127, 0.085};

  private final List<SourceFile> files;
  private final LineitemTable.Summary table;

  private SampleFiles(List<SourceFile> files, LineitemTable.Summary table) {
    this.files = Collections.unmodifiableList(files);
    this.table = table;
  }

  /**
   * Makes files below a directory; without a table where the Parquet library is not there, as on
   * the class path of a plain Hadoop installation.
   *
   * @param bytes about how many bytes in all; the edge cases take about three stripes of it
   */
  static SampleFiles make(Path directory, long bytes, StripeShape shape, Progress.Step step)
      throws IOException {
    List<SourceFile> files = new ArrayList<>();
    long cell = shape.cellBytes();
    long stripe = shape.stripeBytes();
    long[] edges = {0, 1, cell - 1, cell, cell + 1, stripe - 1, stripe, stripe + 1};
    String[] names = {
      "empty", "one-byte", "cell-less-one", "cell", "cell-and-one", "stripe-less-one", "stripe",
      "stripe-and-one"
    };
    long seed = 100;
    long used = 0;
    for (int i = 0; i < edges.length; i++) {
      files.add(text(directory, "edges/" + names[i] + ".txt", edges[i], seed++, step));
      used += edges[i];
    }
    long tableBytes = (long) (bytes * TABLE_SHARE);
    long rest = Math.max(0, bytes - tableBytes - used);
    for (int i = 0; i < TEXT_SHARES.length; i++) {
      long length = (long) (rest * TEXT_SHARES[i]);
      files.add(text(directory, "text/volume-" + (i + 1) + ".txt", length, seed++, step));
    }
    if (!hasParquet()) {
      return new SampleFiles(files, null);
    }
    Path table = prepare(directory, TABLE_NAME);
    LineitemTable.Summary summary = LineitemTable.write(table, tableBytes, step::advance);
    files.add(new SourceFile(table, TABLE_NAME, Fingerprint.of(table)));
    return new SampleFiles(files, summary);
  }

  /** Takes all regular files below a directory of the user, following links. */
  static SampleFiles of(Path directory, Progress.Step step) throws IOException {
    List<Path> found;
    try (Stream<Path> walk = Files.walk(directory, FileVisitOption.FOLLOW_LINKS)) {
      found = walk.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
    }
    if (found.isEmpty()) {
      throw new DemoException("Cannot use " + directory + ": it holds no files");
    }
    List<SourceFile> files = new ArrayList<>();
    for (Path file : found) {
      String name = directory.relativize(file).toString();
      files.add(new SourceFile(file, name, Fingerprint.of(file)));
      step.advance(Files.size(file));
    }
    return new SampleFiles(files, null);
  }

  List<SourceFile> files() {
    return files;
  }

  /** Bytes in all files. */
  long bytes() {
    return files.stream().mapToLong(SourceFile::length).sum();
  }

  /**
   * Files on which to take times: those longer than two stripes, or all where none is. A short file
   * takes HDFS a tenth of a second whatever is in it, which says nothing about coders.
   */
  List<SourceFile> timed(StripeShape shape) {
    List<SourceFile> some = new ArrayList<>(files);
    some.removeIf(file -> file.length() <= 2 * shape.stripeBytes());
    return some.isEmpty() ? files : some;
  }

  /** What the Parquet table holds, or null for files of the user. */
  LineitemTable.Summary table() {
    return table;
  }

  private static boolean hasParquet() {
    try {
      Class.forName("org.apache.parquet.hadoop.ParquetWriter");
      return true;
    } catch (ClassNotFoundException | NoClassDefFoundError e) {
      return false;
    }
  }

  private static SourceFile text(
      Path directory, String name, long length, long seed, Progress.Step step)
      throws IOException {
    Path file = prepare(directory, name);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      new WordText(seed).writeTo(out, length);
    }
    step.advance(length);
    return new SourceFile(file, name, Fingerprint.of(file));
  }

  private static Path prepare(Path directory, String name) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return file;
  }
}
