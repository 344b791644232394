// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongConsumer;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.namenode.RackRules;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.rules.SpaceNeed;
import org.stripeline.convert.select.ConversionRoom;
import org.stripeline.convert.select.FileChecks;
import org.stripeline.convert.select.Policies;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.plan.source.ClusterView;
import org.stripeline.plan.source.FileSource;
import org.stripeline.plan.source.ImageFile;
import org.stripeline.plan.source.NameNodeSource;
import org.stripeline.plan.source.PlannedFile;
import org.stripeline.plan.source.SnapshotTimes;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.Plot;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Sheet;

/** A finished plan. */
public final class Plan implements Sheet.Content {
  private static final int FILES_PER_NOTE = 1 << 10;

  private final PlanReport report;

  private Plan(PlanReport report) {
    this.report = report;
  }

  /**
   * Plans a tree of a live cluster.
   *
   * @throws IOException if the NameNode does not answer or the path does not exist
   */
  public static Plan ofNameNode(PlanSettings settings, DistributedFileSystem fs, Progress progress)
      throws IOException {
    // Requested first, so that a path that does not exist causes an error instead of an empty plan.
    fs.getFileStatus(new org.apache.hadoop.fs.Path(settings.path));
    ClusterView cluster = ClusterView.of(fs);
    NameNodeSource source = source(settings, fs, cluster);
    RackRules rules =
        settings.blocksPerRackMax > 0
            ? RackRules.OF_HDFS
            : RackRules.ask(fs.getUri(), fs.getConf(), false);
    Policies policies = new Policies(fs, false);
    PlanCalculator calculator;
    try (Progress.Step step = progress.passing("plan", 0, Progress.Unit.FILES)) {
      TrafficModel traffic =
          new LocatedTraffic(
              cluster::topology, rules, settings.blocksPerRackMax, cluster.isFromReport());
      calculator = calculate(settings, policies, traffic, source, step::advanceTo);
      if (policies.admit(calculator.bytesByPolicy(), JobObserver.NONE)) {
        // Which policies are used depends on all files, so those of the others are only found now.
        source = source(settings, fs, cluster);
        calculator = calculate(settings, policies, traffic, source, step::advanceTo);
      }
    }
    int racks = cluster.topology().liveRacks();
    String placed = rules.describe(settings.path, settings.code.shape(), racks);
    if (placed != null) {
      source.notes().add(placed);
    }
    PlanReporter reporter = new PlanReporter(settings, calculator);
    int nodes = cluster.topology().openNodes();
    PlanReporter.Nodes known =
        cluster.isFromReport() ? PlanReporter.Nodes.REPORTED : PlanReporter.Nodes.OF_BLOCKS;
    PlanReport report = reporter.report(source, fs.getUri().toString(), nodes, known);
    ConversionRoom room = new ConversionRoom(fs);
    Map<StorageType, Long> free = cluster.isFromReport() ? room.free() : null;
    Map<StorageType, SpaceNeed> needs = room.byType(calculator.needs());
    needs.forEach(
        (type, need) -> {
          Long left = free == null ? null : room.left(type, free);
          boolean isLeftOut =
              free != null && left == null && !ConversionRoom.isRefused(null, needs, free);
          reporter.room(
              type.name(),
              need,
              free == null ? null : (Long) (left == null ? 0L : left),
              isLeftOut ? ConversionRoom.withoutStorage(type) : null);
        });
    if (free != null) {
      try {
        policies.requireAdmitted();
      } catch (RefusedException e) {
        reporter.refused(e.getMessage());
      }
      try {
        room.requireQuotas(
            settings.path,
            JobDirectory.ROOT_DEFAULT,
            calculator.quotaNeed(),
            JobSettings.FILES_OF_CLIENT);
      } catch (RefusedException e) {
        reporter.refused(e.getMessage());
      }
    }
    return new Plan(report);
  }

  private static NameNodeSource source(
      PlanSettings settings, DistributedFileSystem fs, ClusterView cluster) throws IOException {
    NameNodeSource source =
        new NameNodeSource(
            fs,
            new org.apache.hadoop.fs.Path(settings.path),
            cluster,
            SnapshotTimes.of(fs),
            cluster.isFromReport()
                ? FileChecks.of(fs, settings.rules.includeSnapshotted, false)
                : null);
    if (!cluster.isFromReport()) {
      source
          .notes()
          .add(
              "could not ask the NameNode for its DataNodes and for other users' snapshots, which"
                  + " only superusers can list: nodes that hold no block of this tree, and such"
                  + " snapshots, are not counted, nor are extended attributes that keep files from"
                  + " being converted; run as a superuser of HDFS, as 'convert' must be, to count"
                  + " them");
    }
    return source;
  }

  /**
   * Plans a tree of an image.
   *
   * @param file the output of {@code hdfs oiv -p XML} or {@code -p Delimited}, optionally
   *     compressed with gzip
   * @throws IOException if the file is not such an image, or the path does not exist in it
   */
  public static Plan ofImage(PlanSettings settings, Path file, Progress progress)
      throws IOException {
    ImageFile image = ImageFile.of(file);
    FileSource source = image.source(settings.path, settings.code);
    int racks = settings.racks > 0 ? settings.racks : PlanSettings.RACKS_ASSUMED;
    int nodes = settings.nodes > 0 ? settings.nodes : racks * PlanSettings.NODES_PER_RACK_ASSUMED;
    racks = Math.min(racks, nodes);
    ExpectedTraffic.Writers writers =
        settings.areWritersOnDataNodes
            ? ExpectedTraffic.Writers.DATANODES
            : ExpectedTraffic.Writers.ELSEWHERE;
    ExpectedTraffic traffic = new ExpectedTraffic(racks, nodes, writers, settings.blocksPerRackMax);
    PlanCalculator calculator;
    try (Progress.Step step = progress.passing("plan", image.bytesToRead(), Progress.Unit.BYTES)) {
      image.watch(step::advance);
      calculator = calculate(settings, null, traffic, source, count -> step.note(count + " files"));
    }
    PlanReporter.Nodes known =
        settings.racks == 0 || settings.nodes == 0
            ? PlanReporter.Nodes.ASSUMED
            : PlanReporter.Nodes.REPORTED;
    PlanReporter reporter = new PlanReporter(settings, calculator);
    PlanReport report = reporter.report(source, image.path().toString(), nodes, known);
    SpaceNeed all = new SpaceNeed();
    calculator.needs().values().forEach(all::add);
    reporter.room(null, all, null, null);
    return new Plan(report);
  }

  private static PlanCalculator calculate(
      PlanSettings settings,
      Policies policies,
      TrafficModel model,
      FileSource source,
      LongConsumer progress)
      throws IOException {
    DirectoryRows rows =
        new DirectoryRows(
            settings.path, settings.depth, PlanSettings.ROWS_MAX, settings.code.data());
    PlanCalculator calculator = new PlanCalculator(settings, policies, model, rows);
    long[] count = {0};
    source.stream(
        new FileSource.Sink() {
          @Override
          public void accept(PlannedFile file) {
            calculator.accept(file);
            if (++count[0] % FILES_PER_NOTE == 0) {
              progress.accept(count[0]);
            }
          }

          @Override
          public boolean needsChecks(PlannedFile file) {
            return calculator.needsChecks(file);
          }
        });
    return calculator;
  }

  /** Returns whether all files of the tree were read; if not, a note gives the reason. */
  public boolean isComplete() {
    return report.isComplete;
  }

  /** Shows the plan. */
  @Override
  public void show(Sheet sheet) {
    new PlanTable(report, sheet).show();
  }

  /** Returns a plot of the space that directories use, now and afterwards. */
  public Plot plot() {
    Plot plot = new Plot("now", "after");
    Plot.Panel panel = plot.panel("space used, GiB", "GiB", "");
    for (PlanReport.Directory row : report.directories) {
      double now = (double) row.bytesNow / ByteSize.GIB;
      double after = (double) row.bytesAfter / ByteSize.GIB;
      panel.bar(row.path, "now", now, now, now, null);
      panel.bar(row.path, "after", after, after, after, null);
    }
    return plot;
  }

  /** Returns an object whose fields are the plan. */
  public Object forJson() {
    return report;
  }
}
