// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.stripeline.scrub.ledger.FileCoverage;
import org.stripeline.scrub.ledger.GroupRecord;
import org.stripeline.scrub.ledger.Ledger;
import org.stripeline.scrub.ledger.LedgerTable;

/** Adds up what a ledger has about the files of trees. */
final class Coverage implements TreeListing.Visitor {
  /** Damaged groups that are named. */
  static final int NAMED_MAX = 1000;

  private final LedgerTable table;
  private final long nowMs;
  private final BiConsumer<String, String> unread;
  private final CoverageReport report = new CoverageReport();

  Coverage(LedgerTable table, long nowMs, BiConsumer<String, String> unread) {
    this.table = table;
    this.nowMs = nowMs;
    this.unread = unread;
  }

  /**
   * Reads a ledger, and lists trees.
   *
   * @param nowMs the time of day, in milliseconds
   * @param unread is told which paths could not be listed, and why
   */
  static CoverageReport of(
      DistributedFileSystem fs,
      Path ledger,
      List<Path> roots,
      long nowMs,
      BiConsumer<String, String> unread)
      throws IOException {
    Coverage coverage = new Coverage(Ledger.read(fs, ledger), nowMs, unread);
    coverage.report.ledger = ledger.toUri().getPath();
    roots.forEach(root -> coverage.report.paths.add(root.toUri().getPath()));
    new TreeListing(fs, Ledger.files(ledger), coverage).list(TreeListing.find(fs, roots));
    return coverage.report();
  }

  CoverageReport report() {
    return report;
  }

  @Override
  public void file(HdfsFileStatus file, String path) {
    FileCoverage found =
        new FileCoverage(table, file.getFileId(), file.getLen(), file.getModificationTime(), nowMs);
    report.files++;
    report.bytes += file.getLen();
    report.bytesWithin1Day += found.bytesChecked(secondsBefore(1));
    report.bytesWithin7Days += found.bytesChecked(secondsBefore(7));
    report.bytesWithin30Days += found.bytesChecked(secondsBefore(30));
    report.bytesNeverChecked += file.getLen() - found.bytesChecked(0);
    for (GroupRecord record : found.records()) {
      add(record, path, found.isChecked(record, 0));
    }
  }

  private long secondsBefore(long days) {
    return (nowMs - TimeUnit.DAYS.toMillis(days)) / 1000;
  }

  private void add(GroupRecord record, String path, boolean isChecked) {
    long checkedMs = TimeUnit.SECONDS.toMillis(record.checked);
    if (isChecked && (report.oldestCheckMs == null || checkedMs < report.oldestCheckMs)) {
      report.oldestCheckMs = checkedMs;
    }
    report.groupsChecked += isChecked ? 1 : 0;
    report.groupsByClient += record.isByClient ? 1 : 0;
    switch (record.gap) {
      case NONE:
        break;
      case REPLICA:
        report.groupsReplicaNotRead++;
        break;
      case COMPARISON:
        report.groupsNotCompared++;
        break;
      case GROUP:
        report.groupsNotRead++;
        break;
    }
    if (record.isDamaged) {
      report.groupsDamaged++;
      if (report.damaged.size() < NAMED_MAX) {
        long triedMs = TimeUnit.SECONDS.toMillis(record.tried);
        report.damaged.add(new CoverageReport.Damaged(path, record.blockId, triedMs));
      }
    }
  }

  @Override
  public void unread(String path, String reason) {
    report.pathsUnread++;
    unread.accept(path, reason);
  }
}
