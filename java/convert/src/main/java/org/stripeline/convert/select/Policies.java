// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.AddErasureCodingPolicyResponse;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.stripeline.convert.namenode.NameNodeLimits;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.placement.CodeName;

/** The policies of one code on the NameNode, one for each cell size. */
public final class Policies {
  private final DistributedFileSystem fs;
  private final CodeName code;
  private final boolean skipNameNodeCheck;
  private final Map<Integer, ErasureCodingPolicyInfo> known = new TreeMap<>();

  public Policies(DistributedFileSystem fs, JobSettings settings) throws IOException {
    this.fs = fs;
    code = settings.code();
    skipNameNodeCheck = settings.skipNameNodeCheck;
    for (ErasureCodingPolicyInfo info : fs.getAllErasureCodingPolicies()) {
      ErasureCodingPolicy policy = info.getPolicy();
      if (policy.getSchema().equals(schema())) {
        known.put(policy.getCellSize(), info);
      }
    }
  }

  /** Returns Hadoop's schema of the code. */
  private ECSchema schema() {
    return new ECSchema(code.codec().toLowerCase(Locale.ROOT), code.data(), code.parity());
  }

  /**
   * Returns the name of the policy with a cell size, whether it exists or would have to be added.
   */
  public String name(int cellBytes) {
    ErasureCodingPolicyInfo info = known.get(cellBytes);
    return info == null
        ? ErasureCodingPolicy.composePolicyName(schema(), cellBytes)
        : info.getPolicy().getName();
  }

  /**
   * Returns the action that each policy needs before it can be used: its name to "add" or "enable".
   */
  public SortedMap<String, String> toDo(SortedSet<Integer> cells) {
    SortedMap<String, String> steps = new TreeMap<>();
    for (int cell : cells) {
      ErasureCodingPolicyInfo info = known.get(cell);
      if (info == null) {
        steps.put(name(cell), "add");
      } else if (!info.isEnabled()) {
        steps.put(name(cell), "enable");
      }
    }
    return Collections.unmodifiableSortedMap(steps);
  }

  /**
   * Asks every NameNode whether it accepts those policies that Hadoop does not define itself.
   *
   * <p>A NameNode that does not accept a policy stops when it replays the edit that adds the
   * policy, and does not start again. A policy that already exists may still be in the edits that a
   * NameNode has to replay.
   *
   * @param observer receives warnings about checks that failed but need not stop the job
   * @throws RefusedException if a NameNode does not accept them, or could not be asked
   */
  public void check(SortedSet<Integer> cells, JobObserver observer) throws RefusedException {
    int most = 0;
    for (int cell : cells) {
      ErasureCodingPolicyInfo info = known.get(cell);
      if (info == null || NameNodeLimits.concerns(info.getPolicy())) {
        most = Math.max(most, cell);
      }
    }
    if (most == 0 || skipNameNodeCheck) {
      return;
    }
    NameNodeLimits limits = NameNodeLimits.ask(fs.getUri(), fs.getConf());
    limits.warnings(most).forEach(observer::warned);
    List<String> obstacles = limits.obstacles(most);
    if (!obstacles.isEmpty()) {
      throw new RefusedException(
          "Cannot use policy "
              + name(most)
              + ": a NameNode that does not accept it stops when it"
              + " replays the edit that adds it, and does not start again.\n  "
              + String.join("\n  ", obstacles)
              + "\nOn each of these, set "
              + NameNodeLimits.CELL_KEY
              + " to at least "
              + most
              + " in hdfs-site.xml and restart it; or use --layout=striped with a smaller"
              + " --cell-size. If a NameNode could not be queried, check that this client's"
              + " configuration has its HTTP address, or check its settings yourself and use"
              + " --skip-namenode-check");
    }
  }

  /**
   * Adds and enables the policies that are not usable yet.
   *
   * @throws RefusedException if a NameNode does not accept a policy; no file has been changed then
   */
  public void prepare(SortedSet<Integer> cells, JobObserver observer) throws IOException {
    check(cells, observer);
    for (int cell : cells) {
      ErasureCodingPolicyInfo info = known.get(cell);
      String name = info == null ? add(cell) : info.getPolicy().getName();
      if (info == null || !info.isEnabled()) {
        fs.enableErasureCodingPolicy(name);
      }
    }
  }

  private String add(int cell) throws IOException {
    AddErasureCodingPolicyResponse response =
        fs.addErasureCodingPolicies(
                new ErasureCodingPolicy[] {new ErasureCodingPolicy(schema(), cell)})[0];
    if (!response.isSucceed()) {
      throw new RefusedException(
          "Cannot add policy "
              + name(cell)
              + ": the NameNode says '"
              + response.getErrorMsg()
              + "'; set "
              + NameNodeLimits.CELL_KEY
              + " to at least "
              + cell
              + " in its hdfs-site.xml and restart it, or use"
              + " --layout=striped with a smaller --cell-size");
    }
    return response.getPolicy().getName();
  }

  /** Returns the policy of a name from the NameNode. */
  public ErasureCodingPolicy get(String name) throws IOException {
    for (ErasureCodingPolicyInfo info : fs.getAllErasureCodingPolicies()) {
      if (info.getPolicy().getName().equals(name)) {
        return info.getPolicy();
      }
    }
    throw new IOException("Cannot use policy " + name + ": the NameNode no longer has it");
  }
}
