// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.AddErasureCodingPolicyResponse;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.apache.hadoop.io.erasurecode.ErasureCodeConstants;
import org.stripeline.convert.namenode.NameNodeLimits;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.placement.CodeName;

/**
 * The policies on the NameNode of the codes of a job, one for each code and cell size.
 *
 * <p>Each block size needs a policy of its own, and any user can write files with any block size,
 * but HDFS has 64 ids for added policies, and a removed policy keeps its id. A job therefore adds
 * few policies, and the last ids are left to operators; files that need others are left.
 */
public final class Policies {
  /** Maximum number of policies that a job adds. */
  public static final int ADDED_MAX = 8;

  /** Ids that no job takes. */
  public static final int IDS_SPARED = 16;

  private final DistributedFileSystem fs;
  private final boolean skipNameNodeCheck;
  private final Collection<ErasureCodingPolicyInfo> known;

  /** Names of the policies that may be used; null while all may. */
  private volatile Set<String> admitted;

  /** The policies whose files are left, with the reason. */
  private final Map<String, SkipReason> refused = new ConcurrentHashMap<>();

  private RefusedException refusal;
  private NameNodeLimits limits;
  private boolean mayLeaveAll;

  /**
   * Reads the policies of the NameNode.
   *
   * @param skipNameNodeCheck whether policies are used without asking every NameNode
   */
  public Policies(DistributedFileSystem fs, boolean skipNameNodeCheck) throws IOException {
    this.fs = fs;
    this.skipNameNodeCheck = skipNameNodeCheck;
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
   *
   * @param names names of policies as of {@link CodeName#policyName}
   */
  public SortedMap<String, String> toDo(Collection<String> names) {
    SortedMap<String, String> steps = new TreeMap<>();
    for (String name : names) {
      CodeName code = CodeName.parse(name);
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
   * Decides which policies are used: those that exist, and of the others the ones for which there
   * are most bytes; but none with cells that a NameNode does not accept. No other policy is used
   * from then on.
   *
   * @param bytes bytes of the files for each policy, by its name
   * @param observer receives warnings about checks that failed but need not stop the job
   * @return whether the files of some policies are left, see {@link #reason}
   */
  public boolean admit(Map<String, Long> bytes, JobObserver observer) {
    refused.clear();
    refusal = null;
    try {
      check(bytes.keySet(), observer);
    } catch (RefusedException e) {
      // A plan shows what would be done otherwise.
      refused.clear();
      refusal = e;
    }
    List<String> added = new ArrayList<>();
    for (String name : bytes.keySet()) {
      if (!refused.containsKey(name) && find(CodeName.parse(name)) == null) {
        added.add(name);
      }
    }
    added.sort(Comparator.comparing((String name) -> bytes.get(name)).reversed());
    int most = Math.max(0, Math.min(ADDED_MAX, idsLeft() - IDS_SPARED));
    for (String name : added.subList(Math.min(most, added.size()), added.size())) {
      refused.put(name, SkipReason.POLICY_LIMIT);
    }
    Set<String> all = new HashSet<>(bytes.keySet());
    all.removeAll(refused.keySet());
    admitted = all;
    return !refused.isEmpty();
  }

  /**
   * Lets a job that has begun go on even if no policy of its remaining files can be used: the files
   * are left. Otherwise it could neither be resumed nor end, and no other job could begin.
   */
  public void leaveAll() {
    mayLeaveAll = true;
  }

  /** Returns the number of policies that the NameNode could still add. */
  private int idsLeft() {
    // The NameNode gives a new policy the highest id so far, plus one.
    int highest = ErasureCodeConstants.USER_DEFINED_POLICY_START_ID - 1;
    for (ErasureCodingPolicyInfo info : known) {
      highest = Math.max(highest, info.getPolicy().getId());
    }
    return ErasureCodeConstants.MAX_POLICY_ID - highest;
  }

  /** Returns why the files of a policy are left, or null if they are not. */
  public SkipReason reason(String name) {
    SkipReason reason = refused.get(name);
    boolean isNew = admitted != null && !admitted.contains(name);
    return reason == null && isNew ? reasonOfNew(name) : reason;
  }

  /** Decides about a policy of which no file was known when the others were admitted. */
  private SkipReason reasonOfNew(String name) {
    CodeName code = CodeName.parse(name);
    ErasureCodingPolicyInfo info = find(code);
    if (info == null || !info.isEnabled()) {
      return SkipReason.POLICY_LIMIT;
    }
    boolean isAccepted =
        skipNameNodeCheck
            || !NameNodeLimits.concerns(info.getPolicy())
            || limits().obstacles(code.cellBytes()).isEmpty();
    return isAccepted ? null : SkipReason.CELL_LIMIT;
  }

  private NameNodeLimits limits() {
    if (limits == null) {
      limits = NameNodeLimits.ask(fs.getUri(), fs.getConf());
    }
    return limits;
  }

  /**
   * Throws an exception if the policies cannot be used at all.
   *
   * @throws RefusedException if NameNodes could not be asked, or accept none of the policies
   */
  public void requireAdmitted() throws RefusedException {
    if (refusal != null) {
      throw refusal;
    }
  }

  /**
   * Asks every NameNode whether it accepts those policies that Hadoop does not define itself.
   *
   * <p>A NameNode that does not accept a policy stops when it replays the edit that adds the
   * policy, and does not start again. A policy that already exists may still be in the edits that a
   * NameNode has to replay.
   *
   * @throws RefusedException if NameNodes accept none of the policies, or could not be asked
   */
  private void check(Collection<String> names, JobObserver observer) throws RefusedException {
    SortedMap<Integer, List<String>> byCell = new TreeMap<>();
    for (String name : names) {
      CodeName code = CodeName.parse(name);
      ErasureCodingPolicyInfo info = find(code);
      if (info == null || NameNodeLimits.concerns(info.getPolicy())) {
        byCell.computeIfAbsent(code.cellBytes(), any -> new ArrayList<>()).add(name);
      }
    }
    if (byCell.isEmpty() || skipNameNodeCheck) {
      return;
    }
    int most = byCell.lastKey();
    limits().warnings(most).forEach(observer::warned);
    byCell.forEach(
        (cell, ofCell) -> {
          if (!limits.obstacles(cell).isEmpty()) {
            ofCell.forEach(name -> refused.put(name, SkipReason.CELL_LIMIT));
          }
        });
    boolean isNoneLeft = !refused.isEmpty() && refused.size() == names.size();
    // A NameNode that refuses even cells of one byte has another reason, such as no answer.
    if (!limits.obstacles(1).isEmpty() || isNoneLeft && !mayLeaveAll) {
      throw new RefusedException(
          "Cannot use policy "
              + name(CodeName.parse(byCell.get(most).get(0)))
              + ": a NameNode that does not accept it stops when it"
              + " replays the edit that adds it, and does not start again.\n  "
              + String.join("\n  ", limits.obstacles(most))
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
   * Adds and enables the policies that are not usable yet. The files of a policy that the NameNode
   * does not add are left.
   *
   * @param names names of admitted policies
   * @param observer receives a warning about each policy that is not added
   * @throws RefusedException if none can be used; no file has been changed then
   */
  public void prepare(Collection<String> names, JobObserver observer) throws IOException {
    requireAdmitted();
    RefusedException last = null;
    for (String name : names) {
      CodeName code = CodeName.parse(name);
      ErasureCodingPolicyInfo info = find(code);
      try {
        String there = info == null ? add(code) : info.getPolicy().getName();
        if (info == null || !info.isEnabled()) {
          fs.enableErasureCodingPolicy(there);
        }
      } catch (RefusedException e) {
        refused.put(name, SkipReason.POLICY_LIMIT);
        observer.warned(e.getMessage());
        last = e;
      }
    }
    boolean isNoneLeft = last != null && refused.keySet().containsAll(names);
    if (isNoneLeft && !(mayLeaveAll && isOfCells(last))) {
      throw last;
    }
  }

  /** Returns whether the NameNode, in these words, does not accept the cells of a policy. */
  private static boolean isOfCells(RefusedException e) {
    return e.getMessage().contains("says 'Cell size ");
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
              + "'; if that is about the cell size, set "
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
