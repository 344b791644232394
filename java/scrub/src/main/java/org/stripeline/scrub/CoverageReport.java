// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.util.ArrayList;
import java.util.List;

/** What a ledger has about some trees. The names of the fields are those of the JSON output. */
final class CoverageReport {
  /** The paths. */
  List<String> paths = new ArrayList<>();

  /** Directory of the ledger. */
  String ledger;

  /** Files below the paths. */
  long files;

  /** Their bytes, without parity and replicas. */
  long bytes;

  /** Bytes whose last complete check was within a day. */
  long bytesWithin1Day;

  /** Bytes whose last complete check was within 7 days. */
  long bytesWithin7Days;

  /** Bytes whose last complete check was within 30 days. */
  long bytesWithin30Days;

  /** Bytes that were never checked completely, or not since the last modification of their file. */
  long bytesNeverChecked;

  /** When the group was checked that was checked longest ago, in milliseconds; null if none. */
  Long oldestCheckMs;

  /** Groups that were checked completely since the last modification of their file. */
  long groupsChecked;

  /** Groups whose last check read replicas through the client. */
  long groupsByClient;

  /** Groups whose last check was incomplete, because a replica was not read. */
  long groupsReplicaNotRead;

  /** Groups whose last check was incomplete, because windows could not be compared. */
  long groupsNotCompared;

  /** Groups of which the last check read nothing. */
  long groupsNotRead;

  /** Groups that were damaged when they were last checked. */
  long groupsDamaged;

  /** The first of these. */
  List<Damaged> damaged = new ArrayList<>();

  /** Files and directories that could not be listed. */
  long pathsUnread;

  /** A damaged group. */
  static final class Damaged {
    final String path;
    final long block;
    final long triedMs;

    Damaged(String path, long block, long triedMs) {
      this.path = path;
      this.block = block;
      this.triedMs = triedMs;
    }
  }
}
