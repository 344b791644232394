// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import com.google.gson.Gson;
import java.util.Map;
import java.util.TreeMap;
import org.stripeline.placement.CodeName;

/**
 * The settings of a job. They are stored as JSON in the job's directory, so that it can be resumed.
 */
public final class JobSettings {
  /**
   * Version of the JSON. It is raised when a version of this command that does not know a new field
   * would convert other files, or in another way, than the settings say.
   */
  public static final int FORMAT = 1;

  public static final int FILES_OF_CLIENT = 4;
  public static final int FILES_OF_MAPS = 32;
  public static final int GROUPS = 4;

  /** Version of the JSON of these settings; settings without one are of the first. */
  public int format = FORMAT;

  /** Directory or file to convert, absolute, without scheme. */
  public String path;

  /** Name of the code, such as RS-6-3; null when undoing. */
  public String policy;

  /** Layout of the result, or {@link Layout#AUTO}; null when undoing. */
  public Layout layout;

  /** Bytes of a cell of files that are copied into stripes. */
  public int cellBytes;

  /** Whether erasure-coded files are converted back to replication. */
  public boolean undo;

  /** Maximum replication of a file after undoing; 0 for the replication that it had. */
  public int replicationMax;

  /** Filter for the files to convert. */
  public FileFilter rules = new FileFilter();

  /** Name of the rule for which a service began the job; null for other jobs. */
  public String rule;

  /**
   * Files that are sorted at a time so that the oldest are converted first, and of those of a day
   * the largest; 0 for the order of the tree.
   */
  public int sortedFiles;

  /** Storage policy to set on the files as well; null to keep theirs. */
  public String storagePolicy;

  /** Whether a code may be used that loses data if one rack fails. */
  public boolean allowRackLoss;

  /**
   * Whether files may be copied although readers of Hadoop's own client that have them open can
   * then get wrong bytes; see {@code Preflight.refuseStaleReaders}.
   */
  public boolean allowStaleReaders;

  /** Whether policies are added without asking every NameNode whether it accepts them. */
  public boolean skipNameNodeCheck;

  /** The processes that move the bytes. */
  public DriverKind driver = DriverKind.CLIENT;

  /** Files converted concurrently; 0 for the default of the driver. */
  public int filesAtOnce;

  /** Block groups of one file converted concurrently. */
  public int groupsAtOnce = GROUPS;

  /**
   * Maximum bytes per second: of each DataNode that encodes, and of all copies of the job together;
   * 0 for no limit.
   */
  public long bytesPerSecond;

  /** Hadoop properties that the command line sets for the job. */
  public Map<String, String> properties = new TreeMap<>();

  /** Returns a copy that shares nothing with this one. */
  public JobSettings copy() {
    Gson gson = new Gson();
    return gson.fromJson(gson.toJson(this), JobSettings.class);
  }

  /**
   * Returns the number of files converted concurrently. The default is higher for MapReduce, since
   * a MapReduce job should cover the block groups of many files.
   */
  public int filesAtOnce() {
    if (filesAtOnce > 0) {
      return filesAtOnce;
    }
    return isMapped() ? FILES_OF_MAPS : FILES_OF_CLIENT;
  }

  /**
   * Returns the replication that an erasure-coded file gets when undone, or 0 if it was not
   * converted by this command.
   *
   * @param attributes extended attributes of the file
   */
  public int replication(Map<String, byte[]> attributes) {
    int had = Origin.replication(attributes);
    return replicationMax == 0 ? had : Math.min(had, replicationMax);
  }

  /** Returns whether files become erasure-coded by adopting their replicas, without a copy. */
  public boolean adopts() {
    return !undo && (layout == Layout.CONTIGUOUS || layout == Layout.AUTO);
  }

  /** Returns whether files may be copied into stripes. */
  public boolean stripes() {
    return !undo && (layout == Layout.STRIPED || layout == Layout.AUTO);
  }

  public boolean isMapped() {
    return driver == DriverKind.MAPREDUCE;
  }

  /** Returns the requested code. */
  public CodeName code() {
    return CodeName.parse(policy);
  }
}
