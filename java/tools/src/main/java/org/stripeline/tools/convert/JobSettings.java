// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

/** What a job is to do; kept as JSON in the job's directory, so that it can be resumed. */
public final class JobSettings {
  static final int FILES_OF_CLIENT = 4;
  static final int FILES_OF_MAPS = 32;

  /** Directory or file to convert, absolute, without scheme. */
  public String path;

  /** Name of the code, such as RS-6-3; null when undoing. */
  public String policy;

  /** Layout of the result; null when undoing. */
  public Layout layout;

  /** Bytes of a cell for {@link Layout#striped}. */
  public int cellBytes;

  /** Whether erasure-coded files return to replication. */
  public boolean undo;

  /** Which files are taken. */
  public Rules rules = new Rules();

  /** Storage policy that the files get in the same pass; null to keep theirs. */
  public String storagePolicy;

  /** Whether a code may be used that loses data with one rack. */
  public boolean allowRackLoss;

  /** Who moves the bytes. */
  public DriverKind driver = DriverKind.client;

  /** Files at one time; 0 for what suits the driver. */
  public int filesAtOnce;

  /** Groups of one file at one time. */
  public int groupsAtOnce = 4;

  /** Most bytes per second that a node may have to read or send; 0 for no limit. */
  public long bytesPerSecond;

  /** Files at one time: a MapReduce job should have the groups of many. */
  int filesAtOnce() {
    if (filesAtOnce > 0) {
      return filesAtOnce;
    }
    return isMapped() ? FILES_OF_MAPS : FILES_OF_CLIENT;
  }

  boolean isMapped() {
    return driver == DriverKind.mapreduce;
  }

  /** The code that is asked for. */
  PolicyRequest request() {
    return PolicyRequest.parse(policy);
  }
}
