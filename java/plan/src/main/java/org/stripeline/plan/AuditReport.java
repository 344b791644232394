// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.util.ArrayList;
import java.util.List;

/** The layout of erasure-coded files; the field names are those of the JSON output. */
final class AuditReport {
  String path;
  String source;
  boolean isComplete;
  int racks;
  int nodes;
  long files;
  long filesReplicated;
  long filesOpen;
  long groups;
  long groupsSound;
  long groupsMissingBlocks;
  long groupsWithTwoOnANode;
  long groupsInTooFewRacks;
  long groupsCrowdingARack;
  long groupsSurvivingNoRack;
  long groupsLost;
  List<Policy> policies = new ArrayList<>();
  List<Violation> violations = new ArrayList<>();
  List<String> notes = new ArrayList<>();

  /** Files of one policy. */
  static final class Policy {
    String policy;
    int blocksPerRackMax;
    long files;
    long groups;
    long groupsSound;
  }

  /** A group whose layout violates the rule. */
  static final class Violation {
    String path;
    int group;
    String what;
    List<String> nodes = new ArrayList<>();
  }
}
