// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.stripeline.lab.bench.io.client.ClientRequest.Action;

/** A measured operation: an action, and the faults of the cluster during it. */
final class Operation {
  private static final Pattern FORM =
      Pattern.compile(
          "(?:(write|sync|first-sync)|(read|pread|random)(?:-(?:dead([1-9])|(hung)))?)(-busy)?");

  private final String name;
  private final Action action;
  private final int dead;
  private final boolean hung;
  private final boolean busy;

  private Operation(String name, Action action, int dead, boolean hung, boolean busy) {
    this.name = name;
    this.action = action;
    this.dead = dead;
    this.hung = hung;
    this.busy = busy;
  }

  /** Parses a name such as {@code write}, {@code read-dead2} or {@code random-hung}. */
  static Operation parse(String name) {
    Matcher form = FORM.matcher(name);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "Cannot measure '"
              + name
              + "': an operation is write, sync, first-sync, read, pread or random, the last"
              + " three also with -dead1, -dead2 ... or -hung, and each with -busy at the end");
    }
    String action = form.group(1) == null ? form.group(2) : form.group(1);
    return new Operation(
        name,
        Action.valueOf(action.toUpperCase(java.util.Locale.ROOT).replace('-', '_')),
        form.group(3) == null ? 0 : Integer.parseInt(form.group(3)),
        form.group(4) != null,
        form.group(5) != null);
  }

  String name() {
    return name;
  }

  Action action() {
    return action;
  }

  boolean isSync() {
    return action == Action.SYNC || action == Action.FIRST_SYNC;
  }

  /** Returns the number of dead DataNodes during the operation. */
  int dead() {
    return dead;
  }

  /**
   * Returns whether a DataNode hangs during the operation: it accepts connections and does not
   * respond.
   */
  boolean isHung() {
    return hung;
  }

  /** Returns whether others keep all processors of the machine busy during the operation. */
  boolean isBusy() {
    return busy;
  }

  boolean isHealthy() {
    return dead == 0 && !hung;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Operation && ((Operation) other).name.equals(name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return name;
  }
}
