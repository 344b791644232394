// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.stripeline.placement.CodeName;
import org.stripeline.terminal.Quantity;

/**
 * Reads the files of a tree from an image that {@code hdfs oiv -p Delimited} wrote: one line per
 * file, with the number of blocks but not their lengths.
 */
final class DelimitedImageSource implements FileSource {
  private static final String FIRST = "Path";
  private static final String SECOND = "Replication";

  /** Default limit of older HDFS releases (dfs.namenode.fs-limits.max-blocks-per-file). */
  private static final long BLOCKS_PER_FILE_MAX = 1 << 20;

  private final ImageFile image;
  private final String root;
  private final String rootPrefix;
  private final CodeName codeAssumed;
  private final List<String> notes = new ArrayList<>();
  private String delimiter;
  private List<String> columns;
  private boolean isRootSeen;
  private long unreadableLines;
  private long unevenFiles;
  private long codeUnknown;

  /**
   * Creates a source.
   *
   * @param codeAssumed the code that is assumed for erasure-coded files whose lines have no policy
   */
  DelimitedImageSource(ImageFile image, String root, CodeName codeAssumed) {
    this.image = image;
    this.root = root;
    this.rootPrefix = root.equals("/") ? "/" : root + "/";
    this.codeAssumed = codeAssumed;
  }

  /** Returns whether a text begins with the header of such an image. */
  static boolean isHeader(String text) {
    int second = text.indexOf(SECOND);
    return text.startsWith(FIRST) && second > FIRST.length() && second < 32;
  }

  @Override
  public void stream(Sink sink) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(image.open(), StandardCharsets.UTF_8), 1 << 18)) {
      readHeader(String.valueOf(lines.readLine()));
      PlannedFile file = new PlannedFile();
      String[] fields = new String[columns.size()];
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!split(line, fields) || !read(fields, file, sink)) {
          unreadableLines++;
        }
      }
    }
    if (!isRootSeen) {
      throw new FileNotFoundException(
          "Cannot plan " + root + ": " + image.path() + " does not have this path");
    }
    note();
  }

  private void note() {
    notes.add(
        "the image has no block lengths and no snapshots: all blocks except the last of each file"
            + " are assumed to be full; -p XML has them");
    if (unevenFiles > 0) {
      notes.add(
          "the groups of "
              + Quantity.counted(unevenFiles, "file")
              + " are approximate: the number of blocks does not match the length");
    }
    if (codeUnknown > 0) {
      notes.add(
          "counted as "
              + codeAssumed
              + ": "
              + Quantity.counted(codeUnknown, "erasure-coded file")
              + " without a known policy; 'hdfs oiv -p Delimited -ec' of Hadoop 3.4 or newer writes"
              + " the policy");
    }
    if (unreadableLines > 0) {
      notes.add(
          Quantity.counted(unreadableLines, "line")
              + " could not be read, not counted; names with line feeds cause this,"
              + " except with -p XML");
    }
  }

  private void readHeader(String header) throws IOException {
    if (!isHeader(header)) {
      throw new IOException(
          "Cannot read image " + image.path() + ": it does not begin with a header");
    }
    delimiter = header.substring(FIRST.length(), header.indexOf(SECOND));
    columns = Arrays.asList(header.split(Pattern.quote(delimiter)));
    for (String needed :
        new String[] {SECOND, "PreferredBlockSize", "BlocksCount", "FileSize", "Permission"}) {
      if (!columns.contains(needed)) {
        throw new IOException(
            "Cannot read image " + image.path() + ": its header has no column " + needed);
      }
    }
  }

  /** Splits a line from its end, since a path may contain the delimiter. */
  private boolean split(String line, String[] fields) {
    int end = line.length();
    for (int i = fields.length - 1; i > 0; i--) {
      int start = line.lastIndexOf(delimiter, end - delimiter.length());
      if (start < 0) {
        return false;
      }
      fields[i] = line.substring(start + delimiter.length(), end);
      end = start;
    }
    fields[0] = line.substring(0, end);
    return fields[0].startsWith("/");
  }

  private boolean read(String[] fields, PlannedFile file, Sink sink) {
    String path = fields[0];
    boolean isRoot = path.equals(root);
    isRootSeen |= isRoot;
    if (!isRoot && !path.startsWith(rootPrefix)) {
      return true;
    }
    isRootSeen = true;
    if (field(fields, "Permission").startsWith("d")) {
      return true;
    }
    try {
      file.reset(path);
      file.replication = Integer.parseInt(field(fields, SECOND));
      file.blockSize = Long.parseLong(field(fields, "PreferredBlockSize"));
      long blocks = Long.parseLong(field(fields, "BlocksCount"));
      long length = Long.parseLong(field(fields, "FileSize"));
      if (columns.contains("StoragePolicyId")) {
        file.storagePolicy = Integer.parseInt(field(fields, "StoragePolicyId"));
      }
      if (file.replication == 0 && file.blockSize == 0) {
        // A symbolic link.
        return true;
      }
      if (blocks > BLOCKS_PER_FILE_MAX || !addBlocks(fields, file, blocks, length)) {
        return false;
      }
    } catch (NumberFormatException e) {
      return false;
    }
    sink.accept(file);
    return true;
  }

  private boolean addBlocks(String[] fields, PlannedFile file, long blocks, long length) {
    // HDFS keeps no replication factor for erasure-coded files.
    if (file.replication == 0 && blocks > 0) {
      file.coded = code(columns.contains("ErasureCodingPolicy") ? policy(fields) : "-");
    }
    long unit = file.blockSize * (file.coded == null ? 1 : file.coded.data());
    if (length > 0 && (unit <= 0 || length / unit > BLOCKS_PER_FILE_MAX)) {
      return false;
    }
    for (long left = length; left > 0; left -= unit) {
      file.addBlock(Math.min(left, unit));
    }
    unevenFiles += file.blockCount == blocks ? 0 : 1;
    return length >= 0 && file.isPlausible();
  }

  private String policy(String[] fields) {
    return field(fields, "ErasureCodingPolicy");
  }

  private CodeName code(String policy) {
    try {
      return CodeName.parse(policy, codeAssumed.cellBytes());
    } catch (IllegalArgumentException e) {
      codeUnknown++;
      return codeAssumed;
    }
  }

  private String field(String[] fields, String column) {
    return fields[columns.indexOf(column)];
  }

  @Override
  public List<String> notes() {
    return notes;
  }

  @Override
  public boolean isComplete() {
    return unreadableLines == 0;
  }
}
