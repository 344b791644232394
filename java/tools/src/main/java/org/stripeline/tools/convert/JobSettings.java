// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

/** What a job is to do; kept as JSON in the job's directory, so that it can be resumed. */
public final class JobSettings {
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

  /** Files at one time. */
  public int filesAtOnce = 4;

  /** Groups of one file at one time. */
  public int groupsAtOnce = 4;

  /** Most bytes per second that a node may have to read or send; 0 for no limit. */
  public long bytesPerSecond;

  /** The code that is asked for. */
  PolicyRequest request() {
    return PolicyRequest.parse(policy);
  }
}
