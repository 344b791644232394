// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.stripeline.convert.namenode.RackRules;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.StripeAudit;
import org.stripeline.plan.source.ClusterView;
import org.stripeline.plan.source.NameNodeSource;
import org.stripeline.plan.source.SnapshotTimes;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Quantity;
import org.stripeline.terminal.Sheet;
import org.stripeline.terminal.TextTable;

/** Checks the layout of erasure-coded files from the block locations that the NameNode reports. */
public final class Audit implements Sheet.Content {
  /** Maximum number of violations that are listed; all are counted. */
  static final int VIOLATIONS_NAMED_MAX = 50;

  private static final int ABSENT = -1;

  private final PlanSettings settings;
  private final ClusterView cluster;
  private final RackRules rules;
  private final AuditReport report = new AuditReport();
  private final Map<String, AuditReport.Policy> policies = new TreeMap<>();

  private Audit(PlanSettings settings, ClusterView cluster, RackRules rules) {
    this.settings = settings;
    this.cluster = cluster;
    this.rules = rules;
  }

  /**
   * Audits all erasure-coded files of a tree. Those that are open for writing are only counted,
   * because the blocks of their last groups do not exist yet; the audit is incomplete then.
   *
   * @throws IOException if the NameNode does not answer or the path does not exist
   */
  public static Audit of(PlanSettings settings, DistributedFileSystem fs, Progress progress)
      throws IOException {
    Path root = new Path(settings.path);
    fs.getFileStatus(root);
    ClusterView cluster = ClusterView.of(fs);
    RackRules rules =
        settings.blocksPerRackMax > 0
            ? RackRules.OF_HDFS
            : RackRules.ask(fs.getUri(), fs.getConf(), false);
    Audit audit = new Audit(settings, cluster, rules);
    NameNodeSource source = new NameNodeSource(fs, root, cluster, new SnapshotTimes(), null);
    try (Progress.Step step = progress.passing("audit", 0, Progress.Unit.FILES)) {
      source.walk(
          (status, path) -> {
            audit.add(status, path);
            step.advance(1);
          });
    }
    AuditReport report = audit.report;
    report.path = settings.path;
    report.source = fs.getUri().toString();
    report.isComplete = source.isComplete() && !source.isAnyGone() && report.filesOpen == 0;
    report.racks = cluster.topology().liveRacks();
    report.nodes = cluster.topology().nodes();
    report.notes.addAll(source.notes());
    if (report.filesOpen > 0) {
      report.notes.add(
          Quantity.counted(report.filesOpen, "erasure-coded file is", "erasure-coded files are")
              + " open for writing: not checked");
    }
    if (!cluster.isFromReport()) {
      report.notes.add(
          "only superusers can list the DataNodes: racks that hold no block of this tree are not"
              + " counted");
    }
    report.policies.addAll(audit.policies.values());
    return audit;
  }

  private void add(HdfsLocatedFileStatus status, String path) {
    ErasureCodingPolicy policy = status.getErasureCodingPolicy();
    if (policy == null) {
      report.filesReplicated++;
      return;
    }
    if (status.getLocatedBlocks().isUnderConstruction()) {
      report.filesOpen++;
      return;
    }
    report.files++;
    AuditReport.Policy sums =
        policies.computeIfAbsent(policy.getName(), name -> new AuditReport.Policy());
    sums.policy = policy.getName();
    sums.files++;
    int number = 0;
    for (LocatedBlock block : status.getLocatedBlocks().getLocatedBlocks()) {
      add(path, number++, (LocatedStripedBlock) block, policy, sums);
    }
  }

  private void add(
      String path,
      int number,
      LocatedStripedBlock block,
      ErasureCodingPolicy policy,
      AuditReport.Policy sums) {
    int[] nodes = nodes(block, policy);
    RackRule rule = rule(path, nodes.length - policy.getNumParityUnits(), policy);
    StripeAudit found = StripeAudit.of(nodes, policy.getNumParityUnits(), cluster.topology(), rule);
    sums.blocksPerRackMax = rule.blocksPerRackMax();
    sums.groups++;
    report.groups++;
    report.groupsSurvivingNoRack += found.rackFailuresTolerated() == 0 ? 1 : 0;
    if (found.isSound()) {
      sums.groupsSound++;
      report.groupsSound++;
      return;
    }
    report.groupsMissingBlocks += found.blocksMissing() > 0 ? 1 : 0;
    report.groupsWithTwoOnANode += found.nodesDoubled() > 0 ? 1 : 0;
    report.groupsInTooFewRacks += found.relaxation().racksMissing() > 0 ? 1 : 0;
    report.groupsCrowdingARack += found.relaxation().blocksAboveMax() > 0 ? 1 : 0;
    report.groupsLost += found.rackFailuresTolerated() < 0 ? 1 : 0;
    if (report.violations.size() < VIOLATIONS_NAMED_MAX) {
      AuditReport.Violation violation = new AuditReport.Violation();
      violation.path = path;
      violation.group = number;
      violation.what = what(found);
      for (int node : nodes) {
        violation.nodes.add(node == ABSENT ? null : cluster.name(node));
      }
      report.violations.add(violation);
    }
  }

  /** Returns the node of each block of a group, without the blocks that have no bytes. */
  private int[] nodes(LocatedStripedBlock block, ErasureCodingPolicy policy) {
    long cells = (block.getBlockSize() + policy.getCellSize() - 1) / policy.getCellSize();
    int data = (int) Math.min(policy.getNumDataUnits(), cells);
    int[] nodes = new int[data + policy.getNumParityUnits()];
    Arrays.fill(nodes, ABSENT);
    DatanodeInfo[] locations = block.getLocations();
    int[] numbers = cluster.numbers(locations);
    for (int i = 0; i < locations.length; i++) {
      int index = block.getBlockIndices()[i];
      int place =
          index < policy.getNumDataUnits() ? index : index - policy.getNumDataUnits() + data;
      // A block may temporarily have two replicas; any live one of them is used.
      if (place < nodes.length && (nodes[place] == ABSENT || isLive(numbers[i]))) {
        nodes[place] = numbers[i];
      }
    }
    return nodes;
  }

  private boolean isLive(int node) {
    return cluster.topology().state(node).isReadable();
  }

  private RackRule rule(String path, int dataBlocks, ErasureCodingPolicy policy) {
    if (settings.blocksPerRackMax > 0) {
      return RackRule.atMost(settings.blocksPerRackMax).spread();
    }
    CodeShape shape =
        CodeShape.ofDataAndParity(policy.getNumDataUnits(), policy.getNumParityUnits());
    return rules.rule(path, shape, dataBlocks, cluster.topology().liveRacks());
  }

  private static String what(StripeAudit found) {
    StringBuilder text = new StringBuilder();
    if (found.blocksMissing() > 0) {
      text.append(Quantity.counted(found.blocksMissing(), "block")).append(" missing");
    }
    if (found.nodesDoubled() > 0) {
      text.append(text.length() == 0 ? "" : ", ")
          .append(Quantity.counted(found.nodesDoubled(), "block"))
          .append(" on a node that has another");
    }
    if (!found.relaxation().isNone()) {
      text.append(text.length() == 0 ? "" : ", ").append(found.relaxation());
    }
    return text.toString();
  }

  /** Returns whether every group that was read has a sound layout. */
  public boolean isSound() {
    return report.groupsSound == report.groups;
  }

  /** Returns whether all files of the tree were checked; if not, a note gives the reason. */
  public boolean isComplete() {
    return report.isComplete;
  }

  /** Returns an object whose fields are the result. */
  public Object forJson() {
    return report;
  }

  /** Shows the result. */
  @Override
  public void show(Sheet sheet) {
    line(
        sheet,
        "%s of %s: %s, %d replicated, %s in %s",
        report.path,
        report.source,
        Quantity.counted(report.files, "erasure-coded file"),
        report.filesReplicated,
        Quantity.counted(report.nodes, "node"),
        Quantity.counted(report.racks, "live rack"));
    TextTable table =
        new TextTable("policy", "most per rack", "files", "groups", "sound", "not sound");
    for (AuditReport.Policy row : report.policies) {
      table.row(
          row.policy,
          Quantity.count(row.blocksPerRackMax),
          Quantity.count(row.files),
          Quantity.count(row.groups),
          Quantity.count(row.groupsSound),
          Quantity.count(row.groups - row.groupsSound));
    }
    sheet.table(table);
    if (report.groups > report.groupsSound) {
      line(
          sheet,
          "%ngroups that miss blocks: %d, with two on a node: %d, in too few racks: %d, with"
              + " too many in a rack: %d, lost: %d",
          report.groupsMissingBlocks,
          report.groupsWithTwoOnANode,
          report.groupsInTooFewRacks,
          report.groupsCrowdingARack,
          report.groupsLost);
    }
    line(
        sheet,
        "%ngroups that do not survive the failure of any one rack: %d",
        report.groupsSurvivingNoRack);
    named(sheet, report.violations);
    report.notes.forEach(note -> line(sheet, "%nnote: %s", note));
  }

  private static void named(Sheet sheet, List<AuditReport.Violation> violations) {
    for (AuditReport.Violation violation : violations) {
      line(sheet, "%s group %d: %s", violation.path, violation.group, violation.what);
    }
    if (violations.size() == VIOLATIONS_NAMED_MAX) {
      line(sheet, "(at most %d are listed)", VIOLATIONS_NAMED_MAX);
    }
  }

  private static void line(Sheet sheet, String format, Object... values) {
    sheet.line(String.format(Locale.ROOT, format, values));
  }
}
