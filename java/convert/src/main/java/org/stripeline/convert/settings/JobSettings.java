// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import java.util.Map;
import java.util.TreeMap;
import org.stripeline.placement.CodeName;

/** What a job is to do; kept as JSON in the job's directory, so that it can be resumed. */
public final class JobSettings {
  public static final int FILES_OF_CLIENT = 4;
  public static final int FILES_OF_MAPS = 32;
  public static final int GROUPS = 4;

  /** Directory or file to convert, absolute, without scheme. */
  public String path;

  /** Name of the code, such as RS-6-3; null when undoing. */
  public String policy;

  /** Layout of the result; null when undoing. */
  public Layout layout;

  /** Bytes of a cell for {@link Layout#STRIPED}. */
  public int cellBytes;

  /** Whether erasure-coded files return to replication. */
  public boolean undo;

  /** Most replicas that a file gets back when undoing; 0 for as many as it had. */
  public int replicationMax;

  /** Which files are taken. */
  public FileFilter rules = new FileFilter();

  /** Storage policy that the files get in the same pass; null to keep theirs. */
  public String storagePolicy;

  /** Whether a code may be used that loses data with one rack. */
  public boolean allowRackLoss;

  /**
   * Whether files may be copied although Hadoop's own readers that have them open can get wrong
   * bytes afterwards; see {@code Preflight.refuseStaleReaders}.
   */
  public boolean allowStaleReaders;

  /** Whether policies are added without asking every NameNode whether it accepts them. */
  public boolean skipNameNodeCheck;

  /** Who moves the bytes. */
  public DriverKind driver = DriverKind.CLIENT;

  /** Files at one time; 0 for what suits the driver. */
  public int filesAtOnce;

  /** Groups of one file at one time. */
  public int groupsAtOnce = GROUPS;

  /** Most bytes per second that a node may have to read or send; 0 for no limit. */
  public long bytesPerSecond;

  /** Properties of Hadoop's that the command line sets for the job. */
  public Map<String, String> properties = new TreeMap<>();

  /** Files at one time: a MapReduce job should have the groups of many. */
  public int filesAtOnce() {
    if (filesAtOnce > 0) {
      return filesAtOnce;
    }
    return isMapped() ? FILES_OF_MAPS : FILES_OF_CLIENT;
  }

  /**
   * Replicas that a coded file gets back, or 0 if it was not converted by us.
   *
   * @param attributes extended attributes of the file
   */
  public int replication(Map<String, byte[]> attributes) {
    int had = Origin.replication(attributes);
    return replicationMax == 0 ? had : Math.min(had, replicationMax);
  }

  /** Whether files become erasure-coded by adopting their replicas, without a copy. */
  public boolean adopts() {
    return !undo && layout == Layout.CONTIGUOUS;
  }

  public boolean isMapped() {
    return driver == DriverKind.MAPREDUCE;
  }

  /** The code that is asked for. */
  public CodeName code() {
    return CodeName.parse(policy);
  }
}
