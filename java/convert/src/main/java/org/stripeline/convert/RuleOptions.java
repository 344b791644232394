// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import org.stripeline.convert.settings.FileFilter;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.TimeSpan;
import picocli.CommandLine.Option;

/** Options that choose files, of {@code convert} and {@code plan}. */
public final class RuleOptions {
  @Option(
      names = "--min-age",
      paramLabel = "TIME",
      description = "Minimum time since the last modification, such as 12h or 30d (default: 0)")
  private String minAge;

  @Option(
      names = "--min-size",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Minimum size of a file (default: 0)")
  private ByteSize minSize;

  @Option(
      names = "--glob",
      paramLabel = "PATTERN",
      description = "Pattern of names, or of whole paths if it has a slash, such as '*.parquet'")
  private String glob;

  @Option(names = "--owner", paramLabel = "USER", description = "Owner of the files")
  private String owner;

  @Option(
      names = "--include-snapshotted",
      description =
          "Also convert files in snapshots: their replicas stay until the snapshots are deleted")
  private boolean includeSnapshotted;

  @Option(
      names = "--include-synced",
      description =
          "Also convert files whose writers rely on hsync, such as logs of HBase; use it only for"
              + " files that are no longer written")
  private boolean includeSynced;

  /**
   * Returns the filter.
   *
   * @throws IllegalArgumentException if an option cannot be read
   */
  public FileFilter filter() {
    FileFilter filter = new FileFilter();
    filter.ageMsMin = minAge == null ? 0 : TimeSpan.millis("--min-age", minAge);
    filter.bytesMin = minSize == null ? 0 : minSize.bytes();
    filter.glob = glob;
    try {
      filter.matches("/");
    } catch (RuntimeException e) {
      // The class depends on the library that Hadoop's GlobPattern uses.
      throw new IllegalArgumentException("Cannot read --glob=" + glob + ": " + e.getMessage(), e);
    }
    filter.owner = owner;
    filter.includeSnapshotted = includeSnapshotted;
    filter.includeSynced = includeSynced;
    return filter;
  }
}
