// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.service;

import org.stripeline.convert.job.FileOutcome;

/** Files that have ended, since the service began to lead or the rule is in force. */
public class FileCounts {
  /** Files converted. */
  public long filesConverted;

  /** Bytes of those files, without replicas. */
  public long bytesConverted;

  /** Files that could not be converted. */
  public long filesFailed;

  /** Counts a file that has ended. */
  final void count(long bytes, FileOutcome outcome) {
    if (outcome.kind() == FileOutcome.Kind.CONVERTED) {
      filesConverted++;
      bytesConverted += bytes;
    } else if (outcome.kind() != FileOutcome.Kind.ROLLED_BACK) {
      filesFailed++;
    }
  }
}
