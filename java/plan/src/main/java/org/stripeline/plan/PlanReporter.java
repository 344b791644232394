// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.rules.SpaceNeed;
import org.stripeline.convert.rules.SyncedPaths;
import org.stripeline.convert.rules.Treatment;
import org.stripeline.convert.select.Preflight;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.placement.CodeName;
import org.stripeline.plan.source.FileSource;
import org.stripeline.terminal.Quantity;

/** Converts the sums of a calculator into a report. */
final class PlanReporter {
  /** The reasons for which an estimate leaves files unchanged, in the order of the report. */
  static final List<SkipReason> LEFT =
      Collections.unmodifiableList(
          Arrays.asList(
              SkipReason.EMPTY,
              SkipReason.CODED,
              SkipReason.OPEN,
              SkipReason.SYNCED,
              SkipReason.LAZY_PERSIST,
              SkipReason.UNREADABLE,
              SkipReason.UNPLACEABLE,
              SkipReason.ONE_REPLICA,
              SkipReason.TOO_SMALL,
              SkipReason.BLOCK_SIZE,
              SkipReason.CELL_SIZE,
              SkipReason.POLICY_LIMIT,
              SkipReason.CELL_LIMIT,
              SkipReason.STALE_READERS,
              SkipReason.RULE,
              SkipReason.SNAPSHOTTED,
              SkipReason.UNREADABLE_BY_SUPERUSER,
              SkipReason.ATTRIBUTES_FULL,
              SkipReason.ATTRIBUTE_TOO_LARGE));

  /** How the number of nodes and racks is known. */
  enum Nodes {
    /** The NameNode or the user named all. */
    REPORTED,
    /** Only those that hold blocks of the tree are known. */
    OF_BLOCKS,
    /** The numbers are assumed. */
    ASSUMED
  }

  private static final String[] SIZE_CLASSES = {
    "empty", "< 1 MiB", "< 16 MiB", "< 128 MiB", "< 1 GiB", "< 16 GiB", ">= 16 GiB"
  };

  /** The default of dfs.namenode.ec.policies.max.cellsize, the limit of the NameNode. */
  private static final long MAX_CELL_DEFAULT = 4L << 20;

  private final PlanSettings settings;
  private final PlanCalculator calculator;
  private final PlanReport report = new PlanReport();

  PlanReporter(PlanSettings settings, PlanCalculator calculator) {
    this.settings = settings;
    this.calculator = calculator;
  }

  /**
   * Creates the report. May be called only once.
   *
   * @param sourceName the name of the source in the text output
   * @param nodes the number of nodes that accept blocks
   * @param known how that number and the number of racks are known
   */
  PlanReport report(FileSource source, String sourceName, int nodes, Nodes known) {
    Map<String, Tally> tallies = calculator.rollUp();
    Tally all = tallies.get(settings.path);
    CodeName code = calculator.code();
    report.path = settings.path;
    report.source = sourceName;
    report.isComplete = source.isComplete();
    report.policy = code.toString();
    CodeName smaller = calculator.smallerCode();
    report.smallerPolicy = smaller == null ? null : smaller.toString();
    report.stripedCellBytes = code.cellBytes();
    report.notes.addAll(source.notes());
    cluster(nodes, known);
    tallies.forEach((path, tally) -> report.directories.add(directory(path, tally)));
    report.total = directory(settings.path, all);
    kinds(all);
    small(all);
    synced(all);
    blockSizes();
    moves(all);
    time(nodes);
    cost(all);
    snapshots(all);
    users();
    copies(all);
    carriedOutBy(code);
    agents();
    if (calculator.isFolded()) {
      report.notes.add(
          "more than "
              + PlanSettings.ROWS_MAX
              + " directories: later ones have no row and are only counted in "
              + settings.path
              + "; choose a smaller --depth");
    }
    return report;
  }

  private void cluster(int nodes, Nodes known) {
    CodeName code = calculator.code();
    PlanReport.Cluster cluster = report.cluster;
    cluster.nodesNeeded = code.shape().total();
    cluster.racksNeeded = code.shape().racksForRackFailure();
    cluster.nodes = nodes;
    cluster.racks = calculator.model().racks();
    cluster.isAssumed = known == Nodes.ASSUMED;
    cluster.isPartial = known == Nodes.OF_BLOCKS;
    cluster.blocksPerRackMax = calculator.model().rule(code.shape()).blocksPerRackMax();
    boolean isEnough = nodes >= cluster.nodesNeeded && cluster.racks >= cluster.racksNeeded;
    cluster.suffices = isEnough ? Boolean.TRUE : cluster.isPartial ? null : Boolean.FALSE;
    if (cluster.isPartial) {
      return;
    }
    if (nodes < cluster.nodesNeeded) {
      report.warnings.add(
          code
              + " needs "
              + cluster.nodesNeeded
              + " DataNodes, there are "
              + nodes
              + ": nothing can be converted");
    } else if (nodes == cluster.nodesNeeded && !cluster.isAssumed) {
      report.warnings.add(
          code
              + " takes all "
              + nodes
              + " DataNodes: if one is lost, its blocks cannot be rebuilt until it returns");
    }
    if (cluster.racks < cluster.racksNeeded) {
      report.warnings.add(
          code
              + " needs "
              + cluster.racksNeeded
              + " racks to survive the failure of one, there"
              + (cluster.racks == 1 ? " is 1" : " are " + cluster.racks));
    }
  }

  /** Names the command, unless another rule than that of HDFS is planned for. */
  private void carriedOutBy(CodeName code) {
    int most = settings.blocksPerRackMax;
    if (most == 0) {
      report.carriedOutBy = settings.carriedOutBy;
      return;
    }
    report.notes.add(
        "no command carries this out: 'convert' follows HDFS's rule for racks; without"
            + " --blocks-per-rack the plan follows it too");
    if (most > code.parity()) {
      report.warnings.add(
          "the failure of a rack can lose data: with "
              + Quantity.counted(most, "block")
              + " of a group in it, more are lost than the "
              + code.parity()
              + " that "
              + code
              + " can rebuild");
    }
  }

  private PlanReport.Directory directory(String path, Tally tally) {
    PlanReport.Directory row = new PlanReport.Directory();
    Bin left = tally.byTreatment[Treatment.LEAVE.ordinal()];
    row.path = path;
    row.files = tally.all.files;
    row.blocks = tally.all.blocks;
    row.bytes = tally.all.bytes;
    row.bytesNow = tally.all.bytesNow;
    row.bytesAfter = tally.all.bytesAfter;
    row.filesConverted = tally.all.files - left.files;
    row.filesCoded = tally.coded.files;
    for (Bin small : tally.small) {
      row.filesOfFewBlocks += small.files;
    }
    row.shortGroups = tally.shortGroups;
    double blocks = tally.traffic.adoptedBlocks + tally.traffic.sentBlocks;
    row.adoptableShare = blocks == 0 ? 0 : tally.traffic.adoptedBlocks / blocks;
    row.bytesBoundBySnapshots = tally.inSnapshot.bytesNow;
    return row;
  }

  private void kinds(Tally all) {
    for (int i = 0; i < all.bySize.length; i++) {
      report.sizeClasses.add(group(SIZE_CLASSES[i], all.bySize[i]));
    }
    for (int i = 0; i < all.byReplication.length; i++) {
      String last = i + 1 == all.byReplication.length ? " or more" : "";
      report.replication.add(group("replication " + (i + 1) + last, all.byReplication[i]));
    }
    report.replication.add(group("erasure-coded", all.coded));
    for (Treatment treatment : Treatment.values()) {
      report.treatments.add(group(treatment.label(), all.byTreatment[treatment.ordinal()]));
    }
    for (SkipReason reason : LEFT) {
      report.left.add(group(reason.text(), all.byReason[reason.ordinal()]));
    }
  }

  private static PlanReport.Group group(String name, Bin bin) {
    PlanReport.Group group = new PlanReport.Group();
    group.name = name;
    group.files = bin.files;
    group.blocks = bin.blocks;
    group.bytes = bin.bytes;
    group.bytesNow = bin.bytesNow;
    group.bytesAfter = bin.bytesAfter;
    return group;
  }

  private void small(Tally all) {
    for (int blocks = 1; blocks < all.small.length; blocks++) {
      PlanReport.SmallFiles row = new PlanReport.SmallFiles();
      row.blocks = blocks;
      row.files = all.small[blocks].files;
      row.bytes = all.small[blocks].bytes;
      row.bytesNow = all.small[blocks].bytesNow;
      row.bytesIfAdopted = all.small[blocks].bytesAfter;
      report.smallFiles.add(row);
    }
  }

  private void synced(Tally all) {
    String[] first = calculator.firstSynced();
    for (int i = 0; i < first.length; i++) {
      if (first[i] != null) {
        PlanReport.Synced row = new PlanReport.Synced();
        row.name = SyncedPaths.KNOWN.get(i).name();
        row.pattern = SyncedPaths.KNOWN.get(i).pattern();
        row.first = first[i];
        row.files = all.bySyncHabit[i].files;
        row.bytes = all.bySyncHabit[i].bytes;
        report.synced.add(row);
        report.warnings.add(
            row.name
                + " ("
                + row.pattern
                + "): "
                + Quantity.counted(row.files, "file")
                + ", "
                + Quantity.bytes(row.bytes)
                + ", such as "
                + row.first
                + ": their writers call hsync, which does nothing on"
                + " erasure-coded files; keep such directories replicated");
      }
    }
  }

  private void blockSizes() {
    long largest = 0;
    for (Map.Entry<Long, Map<String, Bin>> size : calculator.byBlockSize().entrySet()) {
      largest = size.getKey();
      for (Map.Entry<String, Bin> policy : size.getValue().entrySet()) {
        PlanReport.BlockSize row = new PlanReport.BlockSize();
        row.blockBytes = largest;
        row.policy = policy.getKey();
        row.files = policy.getValue().files;
        row.bytes = policy.getValue().bytes;
        report.blockSizes.add(row);
      }
    }
    if (largest > MAX_CELL_DEFAULT) {
      report.notes.add(
          "adoption needs a policy per code and block size, with cells of that size: the NameNode"
              + " needs dfs.namenode.ec.policies.max.cellsize="
              + largest);
    }
    if (calculator.otherBlockSizes().files > 0) {
      report.warnings.add(
          Quantity.counted(calculator.otherBlockSizes().files, "file has", "files have")
              + " other block sizes or codes: HDFS allows at most "
              + PlanCalculator.POLICIES_MAX
              + " user-defined policies");
    }
    if (calculator.blockSizesTooLarge() > 0) {
      report.notes.add(
          Quantity.counted(calculator.blockSizesTooLarge(), "file has", "files have")
              + " blocks that cannot be cells of "
              + calculator.code()
              + " ("
              + calculator.code().data()
              + " of them must be less than 2 GiB together): they are copied");
    }
  }

  private void moves(Tally all) {
    ConversionTraffic traffic = all.traffic;
    PlanReport.Moves moves = report.moves;
    moves.isExpected = calculator.model().isExpected();
    moves.groups = traffic.groups;
    moves.shortGroups = all.shortGroups;
    moves.shortGroupsExtraBytes = Math.round(all.shortGroupsExtra);
    moves.groupsUnplaceable = traffic.unplaceable;
    moves.groupsAgainstRackRule = traffic.ruleBroken;
    moves.blocksAdopted = Math.round(traffic.adoptedBlocks);
    moves.blocksSent = Math.round(traffic.sentBlocks);
    moves.bytesAdopted = Math.round(traffic.adoptedBytes);
    moves.bytesSent = Math.round(traffic.sentBytes);
    moves.parityBytes = Math.round(traffic.parityBytes);
    moves.crossRackCopy = Math.round(traffic.copyAcross);
    moves.crossRackHdfsRaid = Math.round(traffic.raidAcross);
    moves.crossRackEar = Math.round(traffic.earAcross);
    moves.crossRackAdoption = Math.round(traffic.adoptAcross);
    moves.networkCopy = Math.round(traffic.copyNetwork);
    moves.networkAdoption = Math.round(traffic.adoptNetwork);
    moves.crossRackStriped = Math.round(traffic.stripeAcross);
    moves.networkStriped = Math.round(traffic.stripeNetwork);
    if (report.cluster.isPartial) {
      unplaced(traffic);
      return;
    }
    if (traffic.unplaceable > 0) {
      report.warnings.add(
          Quantity.counted(traffic.unplaceable, "group")
              + " cannot be placed, the first of "
              + traffic.unplaceableReason
              + "; such files are left as they are");
    }
    if (traffic.ruleBroken > 0) {
      report.warnings.add(
          Quantity.counted(traffic.ruleBroken, "group")
              + " can only be placed in violation of the rack rule: the NameNode will move"
              + " some of their blocks, or a rack failure may lose them");
    }
  }

  /** Notes the groups that have no place on the nodes of the tree: other nodes may have room. */
  private void unplaced(ConversionTraffic traffic) {
    if (traffic.unplaceable + traffic.ruleBroken > 0) {
      report.notes.add(
          Quantity.counted(traffic.unplaceable, "group has", "groups have")
              + " no place on the DataNodes that hold blocks of this tree, "
              + traffic.ruleBroken
              + " only in violation of the rack rule; other DataNodes, which could not be asked"
              + " for, may have room");
    }
  }

  private void time(int nodes) {
    if (settings.bytesPerSecond > 0 && nodes > 0) {
      double rate = (double) settings.bytesPerSecond * nodes;
      PlanReport.Duration time = new PlanReport.Duration();
      time.bytesPerSecondPerNode = settings.bytesPerSecond;
      time.nodes = nodes;
      time.adoptionSeconds = report.moves.networkAdoption / rate;
      time.stripedSeconds = report.moves.networkStriped / rate;
      time.copySeconds = report.moves.networkCopy / rate;
      report.time = time;
    }
  }

  private void cost(Tally all) {
    if (settings.archiveCost > 0) {
      PlanReport.Cost cost = new PlanReport.Cost();
      cost.storagePolicy = "COLD";
      cost.archiveCost = settings.archiveCost;
      cost.now = all.all.bytesNow;
      cost.afterOnDisk = all.all.bytesAfter;
      double left = all.byTreatment[Treatment.LEAVE.ordinal()].bytesAfter;
      cost.afterInArchive = left + (all.all.bytesAfter - left) * settings.archiveCost;
      cost.share = cost.now == 0 ? 1 : cost.afterInArchive / cost.now;
      report.cost = cost;
    }
  }

  /** Notes what has to be there before files can be adopted. */
  private void agents() {
    if (report.moves.groups > 0 && report.carriedOutBy != null) {
      report.notes.add(
          "'convert' adopts files only if all DataNodes have our agent, which 'stripeline doctor"
              + " --cluster' looks for; docs/user/convert.md tells how to install it");
    }
  }

  /** Warns about operations of replicated files that erasure-coded files do not support. */
  private void users() {
    if (report.total.filesConverted > 0) {
      report.warnings.add(
          "converted files cannot be truncated, are appended to only in a new block group, ignore"
              + " hsync and setrep, and have a different default checksum (distcp -update) and"
              + " inode: 'What changes for users of the files' in docs/user/convert.md");
    }
  }

  /**
   * Adds the space that is needed on one type of storage while files are converted.
   *
   * @param type name of the storage type, null if the types are not known
   * @param free free bytes of the DataNodes, null if they are not known
   * @param warning what {@code convert} says if it begins although these files have no space; null
   *     if it refuses to
   */
  void room(String type, SpaceNeed need, Long free, String warning) {
    PlanReport.RoomOnType row = new PlanReport.RoomOnType();
    row.storageType = type;
    row.bytes = need.peak(JobSettings.FILES_OF_CLIENT);
    row.bytesKeptBySnapshots = need.kept();
    row.bytesFree = free;
    report.room.filesAtOnce = JobSettings.FILES_OF_CLIENT;
    report.room.undoBytes = calculator.undoNeed().peak(JobSettings.FILES_OF_CLIENT);
    if (row.bytes > 0) {
      report.room.types.add(row);
    }
    if (free != null && row.bytes > free) {
      report.warnings.add(
          warning != null
              ? warning
              : "the conversion needs up to "
                  + Quantity.bytes(row.bytes)
                  + " more on "
                  + type
                  + " while it runs, and the DataNodes have "
                  + Quantity.bytes(free)
                  + " left there: 'convert' refuses to start; free space or use a smaller"
                  + " --files-at-once");
    }
  }

  /**
   * Warns that {@code convert} would not start.
   *
   * @param refusal what it would say
   */
  void refused(String refusal) {
    String line = refusal.replaceAll("\\s*\n\\s*", " ");
    report.warnings.add(line + "; 'convert' refuses to start until then");
  }

  /** Notes what copies would save that were not allowed. */
  private void copies(Tally all) {
    Bin left = all.ifCopied;
    if (left.files > 0) {
      report.notes.add(
          "Not planned: "
              + Quantity.counted(left.files, "file")
              + " that only a copy makes smaller, "
              + Quantity.bytes(left.bytesAfter)
              + " instead of "
              + Quantity.bytes(left.bytesNow)
              + ": copies need --allow-stale-readers, here and for 'convert', since "
              + Preflight.STALE_READERS);
    }
  }

  private void snapshots(Tally all) {
    Bin bound = all.inSnapshot;
    if (bound.files > 0) {
      report.warnings.add(
          "snapshots may hold "
              + bound.files
              + " of the files to be converted: until they are"
              + " deleted, up to "
              + Quantity.bytes(bound.bytesNow)
              + " of old replicas stay, in addition to "
              + Quantity.bytes(bound.bytesAfter)
              + " of new blocks");
    }
  }
}
