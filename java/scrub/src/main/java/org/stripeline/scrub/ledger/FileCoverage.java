// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import java.util.ArrayList;
import java.util.List;

/**
 * What a ledger has about the groups of one file. Records from before the file's last modification,
 * or with a time in the future, do not count as checks.
 */
public final class FileCoverage {
  private final List<GroupRecord> records = new ArrayList<>();
  private final long length;
  private final long modified;
  private final long now;

  /**
   * Looks up a file.
   *
   * @param length its bytes
   * @param modifiedMs when it was last modified, in milliseconds
   * @param nowMs the time of day, in milliseconds
   */
  public FileCoverage(LedgerTable table, long fileId, long length, long modifiedMs, long nowMs) {
    table.forFile(fileId, records::add);
    this.length = length;
    modified = modifiedMs / 1000;
    now = nowMs / 1000;
  }

  private boolean counts(long seconds) {
    return seconds > 0 && seconds >= modified && seconds <= now;
  }

  /** Returns all records of the file, also those that do not count. */
  public List<GroupRecord> records() {
    return records;
  }

  /**
   * Returns when the group was tried that was tried longest ago, in seconds since 1970; 0 if a
   * group was never tried.
   */
  public long tried() {
    long bytes = 0;
    long oldest = Long.MAX_VALUE;
    for (GroupRecord record : records) {
      if (counts(record.tried)) {
        bytes += record.bytes;
        oldest = Math.min(oldest, record.tried);
      }
    }
    return bytes < length || oldest == Long.MAX_VALUE ? 0 : oldest;
  }

  /**
   * Returns the same for the groups that were tried, whether the file was modified since or not.
   */
  public long triedEver() {
    return records.stream().mapToLong(record -> record.tried).min().orElse(0);
  }

  /** Returns the bytes that were checked completely at a time or later, at most the length. */
  public long bytesChecked(long seconds) {
    long bytes = 0;
    for (GroupRecord record : records) {
      bytes += isChecked(record, seconds) ? record.bytes : 0;
    }
    return Math.min(bytes, length);
  }

  /** Returns whether a group was checked completely at a time or later. */
  public boolean isChecked(GroupRecord record, long seconds) {
    return counts(record.checked) && record.checked >= seconds;
  }

  /**
   * Returns whether a group was found healthy at a time or later, and nothing else was found since.
   */
  public boolean isHealthy(GroupRecord record, long seconds) {
    return isChecked(record, seconds) && record.gap == Gap.NONE && !record.isDamaged;
  }

  /** Returns whether that is so for all groups of a file that is not empty. */
  public boolean isHealthy(long seconds) {
    long bytes = 0;
    for (GroupRecord record : records) {
      bytes += isHealthy(record, seconds) ? record.bytes : 0;
    }
    return length > 0 && bytes >= length;
  }
}
