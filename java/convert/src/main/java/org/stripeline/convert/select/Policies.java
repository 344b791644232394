// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
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

/** The policies on the NameNode of the codes of a job, one for each code and cell size. */
public final class Policies {
  private final DistributedFileSystem fs;
  private final boolean skipNameNodeCheck;
  private final Collection<ErasureCodingPolicyInfo> known;

  public Policies(DistributedFileSystem fs, JobSettings settings) throws IOException {
    this.fs = fs;
    skipNameNodeCheck = settings.skipNameNodeCheck;
    known = fs.getAllErasureCodingPolicies();
  }

  /** Returns Hadoop's schema of a code. */
  private static ECSchema schema(CodeName code) {
    return new ECSchema(code.codec().toLowerCase(Locale.ROOT), code.data(), code.parity());
  }

  /** Returns the policy with the code and its cell size, null if it would have to be added. */
  private ErasureCodingPolicyInfo find(CodeName code) {
    ECSchema schema = schema(code);
    for (ErasureCodingPolicyInfo info : known) {
      ErasureCodingPolicy policy = info.getPolicy();
      if (policy.getCellSize() == code.cellBytes() && policy.getSchema().equals(schema)) {
        return info;
      }
    }
    return null;
  }

  /**
   * Returns the name of the policy of a code with its cell size, whether it exists or would have to
   * be added.
   */
  public String name(CodeName code) {
    ErasureCodingPolicyInfo info = find(code);
    return info == null
        ? ErasureCodingPolicy.composePolicyName(schema(code), code.cellBytes())
        : info.getPolicy().getName();
  }

  /**
   * Returns the action that each policy needs before it can be used: its name to "add" or "enable".
   */
  public SortedMap<String, String> toDo(Collection<CodeName> codes) {
    SortedMap<String, String> steps = new TreeMap<>();
    for (CodeName code : codes) {
      ErasureCodingPolicyInfo info = find(code);
      if (info == null) {
        steps.put(name(code), "add");
      } else if (!info.isEnabled()) {
        steps.put(name(code), "enable");
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
  public void check(Collection<CodeName> codes, JobObserver observer) throws RefusedException {
    CodeName largest = null;
    for (CodeName code : codes) {
      ErasureCodingPolicyInfo info = find(code);
      if ((info == null || NameNodeLimits.concerns(info.getPolicy()))
          && (largest == null || code.cellBytes() > largest.cellBytes())) {
        largest = code;
      }
    }
    if (largest == null || skipNameNodeCheck) {
      return;
    }
    int most = largest.cellBytes();
    NameNodeLimits limits = NameNodeLimits.ask(fs.getUri(), fs.getConf());
    limits.warnings(most).forEach(observer::warned);
    List<String> obstacles = limits.obstacles(most);
    if (!obstacles.isEmpty()) {
      throw new RefusedException(
          "Cannot use policy "
              + name(largest)
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
  public void prepare(Collection<CodeName> codes, JobObserver observer) throws IOException {
    check(codes, observer);
    for (CodeName code : codes) {
      ErasureCodingPolicyInfo info = find(code);
      String name = info == null ? add(code) : info.getPolicy().getName();
      if (info == null || !info.isEnabled()) {
        fs.enableErasureCodingPolicy(name);
      }
    }
  }

  private String add(CodeName code) throws IOException {
    AddErasureCodingPolicyResponse response =
        fs.addErasureCodingPolicies(
                new ErasureCodingPolicy[] {
                  new ErasureCodingPolicy(schema(code), code.cellBytes())
                })[0];
    if (!response.isSucceed()) {
      throw new RefusedException(
          "Cannot add policy "
              + name(code)
              + ": the NameNode says '"
              + response.getErrorMsg()
              + "'; set "
              + NameNodeLimits.CELL_KEY
              + " to at least "
              + code.cellBytes()
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
