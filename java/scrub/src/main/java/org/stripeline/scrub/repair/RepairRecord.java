// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.scrub.check.Copy;

/** What a repair is about to do, or has done, with one group. */
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

  private final State state;
  private final List<String> replaced = new ArrayList<>();
  private final Map<String, String> quarantine;
  private final String text;

  RepairRecord(State state, Iterable<Copy> wrong, Map<String, String> quarantine, String text) {
    this.state = state;
    for (Copy copy : wrong) {
      replaced.add(copy.toString());
    }
    this.quarantine = new LinkedHashMap<>(quarantine);
    this.text = text;
  }

  /** Returns how far the repair has come. */
  public State state() {
    return state;
  }

  /** Returns the directories of replicas in quarantine. */
  Map<String, String> quarantine() {
    return quarantine;
  }

  /** Returns why, for people. */
  String text() {
    return text;
  }

  /** Returns the keys and values of the JSON output. */
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("state", state.name());
    json.put("replaced", replaced);
    json.put("quarantine", quarantine);
    json.put("text", text);
    return json;
  }

  @Override
  public String toString() {
    return state
        + (replaced.isEmpty() ? "" : " " + String.join(", ", replaced))
        + (text.isEmpty() ? "" : ": " + text);
  }
}
