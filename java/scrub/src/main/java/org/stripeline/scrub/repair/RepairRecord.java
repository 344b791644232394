// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.scrub.check.Copy;

/** What a repair is about to do, or has done, with one group. The field names are JSON output. */
public final class RepairRecord {
  /** How far a repair has come. The names are part of the JSON output and never change. */
  public enum State {
    /** A dry run: the repair would be carried out. */
    PLANNED,
    /** The group cannot be repaired; nothing was changed. */
    REFUSED,
    /** The group changed since it was checked; nothing was reported. */
    CHANGED,
    /** Wrong replicas are in quarantine, and are reported next. */
    BEGUN,
    /** All wrong replicas were replaced, and the group was checked again: nothing is damaged. */
    REPAIRED,
    /** All wrong replicas were replaced, but a check finds damage again, or could not be made. */
    STILL_DAMAGED,
    /** HDFS has not replaced all wrong replicas in time; it may still do so. */
    PENDING,
    /** A step failed; the text says which. */
    FAILED
  }

  final String state;
  final List<String> replaced = new ArrayList<>();
  final Map<String, String> quarantine;
  final String text;

  RepairRecord(State state, Iterable<Copy> wrong, Map<String, String> quarantine, String text) {
    this.state = state.name();
    for (Copy copy : wrong) {
      replaced.add(copy.toString());
    }
    this.quarantine = new LinkedHashMap<>(quarantine);
    this.text = text;
  }

  /** Returns how far the repair has come. */
  public State state() {
    return State.valueOf(state);
  }

  /** Returns the replicas that are or were to be replaced. */
  public List<String> replaced() {
    return replaced;
  }

  /** Returns the directories of replicas in quarantine. */
  public Map<String, String> quarantine() {
    return quarantine;
  }

  /** Returns why, for people. */
  public String text() {
    return text;
  }

  @Override
  public String toString() {
    return state
        + (replaced.isEmpty() ? "" : " " + String.join(", ", replaced))
        + (text.isEmpty() ? "" : ": " + text);
  }
}
