// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.util.List;
import java.util.Locale;
import org.stripeline.terminal.Quantity;
import org.stripeline.terminal.Sheet;
import org.stripeline.terminal.TextTable;

/** Shows a report. */
final class PlanTable {
  private final PlanReport report;
  private final Sheet sheet;

  PlanTable(PlanReport report, Sheet sheet) {
    this.report = report;
    this.sheet = sheet;
  }

  void show() {
    head();
    directories();
    groups("size of file", report.sizeClasses);
    groups("now", report.replication);
    groups("what to do", report.treatments);
    groups("skipped because", report.left);
    small();
    moves();
    room();
    policies();
    time();
    cost();
    for (String warning : report.warnings) {
      line("%nWARNING: %s", warning);
    }
    for (String note : report.notes) {
      line("%nnote: %s", note);
    }
  }

  private void head() {
    PlanReport.Cluster cluster = report.cluster;
    line("%s of %s, to %s", report.path, report.source, report.policy);
    line(
        "needs %s over %s%s; %s %s over %s%s",
        Quantity.counted(cluster.nodesNeeded, "DataNode"),
        Quantity.counted(cluster.racksNeeded, "rack"),
        cluster.racksNeeded > 1 ? " to survive the failure of a rack" : "",
        cluster.isAssumed
            ? "assumed:"
            : cluster.isPartial
                ? "could not ask for the DataNodes (only superusers may), this tree has blocks on"
                : "there are",
        Quantity.counted(cluster.nodes, "DataNode"),
        Quantity.counted(cluster.racks, "rack"),
        cluster.suffices == null ? "" : cluster.suffices ? ": enough" : ": NOT ENOUGH");
    line(
        "layout: contiguous where files are adopted, because it moves least; striped, with cells of"
            + " %s, where they are copied",
        Quantity.bytes(report.stripedCellBytes));
    line("at most %s of a group per rack", Quantity.counted(cluster.blocksPerRackMax, "block"));
    if (report.carriedOutBy != null) {
      line("carried out by: %s", report.carriedOutBy);
    }
  }

  private void directories() {
    TextTable table =
        new TextTable(
            "directory",
            "files",
            "blocks",
            "bytes",
            "now",
            "after",
            "saved",
            "after/bytes",
            "converted",
            "coded",
            "few blocks",
            "adoptable");
    for (PlanReport.Directory row : report.directories) {
      table.row(
          row.path,
          Quantity.count(row.files),
          Quantity.count(row.blocks),
          Quantity.bytes(row.bytes),
          Quantity.bytes(row.bytesNow),
          Quantity.bytes(row.bytesAfter),
          Quantity.percent((double) row.bytesNow - row.bytesAfter, row.bytesNow),
          Quantity.factor(row.bytesAfter, row.bytes),
          Quantity.count(row.filesConverted),
          Quantity.count(row.filesCoded),
          Quantity.count(row.filesOfFewBlocks),
          row.adoptableShare == 0 ? "-" : Quantity.percent(row.adoptableShare, 1));
    }
    sheet.table(table);
  }

  private void groups(String heading, List<PlanReport.Group> groups) {
    TextTable table = new TextTable(heading, "files", "blocks", "bytes", "now", "after", "saved");
    for (PlanReport.Group group : groups) {
      if (group.files > 0) {
        table.row(
            group.name,
            Quantity.count(group.files),
            Quantity.count(group.blocks),
            Quantity.bytes(group.bytes),
            Quantity.bytes(group.bytesNow),
            Quantity.bytes(group.bytesAfter),
            Quantity.percent((double) group.bytesNow - group.bytesAfter, group.bytesNow));
      }
    }
    sheet.table(table);
  }

  private void small() {
    TextTable table =
        new TextTable(
            "files of few blocks, if all were adopted with " + report.policy,
            "files",
            "bytes",
            "now",
            "after",
            "after/bytes",
            "verdict");
    for (PlanReport.SmallFiles row : report.smallFiles) {
      if (row.files > 0) {
        table.row(
            Quantity.counted(row.blocks, "block"),
            Quantity.count(row.files),
            Quantity.bytes(row.bytes),
            Quantity.bytes(row.bytesNow),
            Quantity.bytes(row.bytesIfAdopted),
            Quantity.factor(row.bytesIfAdopted, row.bytes),
            row.bytesIfAdopted > row.bytesNow
                ? "loses " + Quantity.bytes((double) row.bytesIfAdopted - row.bytesNow)
                : "saves " + Quantity.bytes((double) row.bytesNow - row.bytesIfAdopted));
      }
    }
    sheet.table(table);
  }

  private void moves() {
    PlanReport.Moves moves = report.moves;
    if (moves.groups == 0 && moves.networkStriped == 0) {
      return;
    }
    String about = moves.isExpected ? "expected " : "";
    if (moves.groups > 0) {
      line(
          "%n%s to adopt, %d of them short, which costs %s more parity than full ones",
          Quantity.counted(moves.groups, "group"),
          moves.shortGroups,
          Quantity.bytes(moves.shortGroupsExtraBytes));
      line(
          "%sreplicas adopted in place: %s, %s (%s); to be sent: %s, %s; parity: %s",
          about,
          Quantity.counted(moves.blocksAdopted, "block"),
          Quantity.bytes(moves.bytesAdopted),
          Quantity.percent(moves.blocksAdopted, (double) moves.blocksAdopted + moves.blocksSent),
          Quantity.counted(moves.blocksSent, "block"),
          Quantity.bytes(moves.bytesSent),
          Quantity.bytes(moves.parityBytes));
      TextTable table = new TextTable(about + "bytes moved", "across racks", "over the network");
      table.row(
          "copy into an erasure-coded directory",
          Quantity.bytes(moves.crossRackCopy),
          Quantity.bytes(moves.networkCopy));
      table.row("HDFS-RAID, without its relocations", Quantity.bytes(moves.crossRackHdfsRaid));
      table.row("EAR placement", Quantity.bytes(moves.crossRackEar));
      table.row(
          "adoption of existing replicas",
          Quantity.bytes(moves.crossRackAdoption),
          Quantity.bytes(moves.networkAdoption));
      sheet.table(table);
    }
    if (moves.networkStriped > 0) {
      line(
          "%ncopying files to a striped layout moves %s across racks, %s over the network",
          Quantity.bytes(moves.crossRackStriped), Quantity.bytes(moves.networkStriped));
    }
  }

  private void room() {
    for (PlanReport.RoomOnType row : report.room.types) {
      line(
          "%nwhile it runs, with %s at once, the conversion needs up to %s more%s%s%s;"
              + " undoing it would need up to %s",
          Quantity.counted(report.room.filesAtOnce, "file"),
          Quantity.bytes(row.bytes),
          row.storageType == null ? "" : " on " + row.storageType,
          row.bytesKeptBySnapshots == 0
              ? ""
              : ", of which "
                  + Quantity.bytes(row.bytesKeptBySnapshots)
                  + " stay until snapshots are deleted",
          row.bytesFree == null ? "" : " (" + Quantity.bytes(row.bytesFree) + " are free)",
          Quantity.bytes(report.room.undoBytes));
    }
  }

  private void policies() {
    TextTable table = new TextTable("policy for adoption", "block size", "files", "bytes");
    for (PlanReport.BlockSize row : report.blockSizes) {
      table.row(
          row.policy,
          Quantity.bytes(row.blockBytes),
          Quantity.count(row.files),
          Quantity.bytes(row.bytes));
    }
    sheet.table(table);
  }

  private void time() {
    if (report.time != null) {
      line(
          "%nat %s/s per node on %s: adoption %s, copies into striped files %s; copying"
              + " what is adopted would take %s",
          Quantity.bytes(report.time.bytesPerSecondPerNode),
          Quantity.counted(report.time.nodes, "node"),
          Quantity.duration(report.time.adoptionSeconds),
          Quantity.duration(report.time.stripedSeconds),
          Quantity.duration(report.time.copySeconds));
    }
  }

  private void cost() {
    if (report.cost != null) {
      line(
          "%nwith storage policy %s, a byte of archive storage costing %s of one on disk: %s of"
              + " today's cost (%s on disk)",
          report.cost.storagePolicy,
          number(report.cost.archiveCost),
          Quantity.percent(report.cost.share, 1),
          Quantity.percent(report.cost.afterOnDisk, report.cost.now));
    }
  }

  private static String number(double value) {
    return value == Math.rint(value) ? Quantity.count(value) : String.valueOf(value);
  }

  private void line(String format, Object... values) {
    sheet.line(String.format(Locale.ROOT, format, values));
  }
}
