// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.stripeline.lab.bench.io.client.ClientRequest.Action;

/** A measured operation: an action, and the faults of the cluster during it. */
final class Operation {
  private static final Pattern FORM =
      Pattern.compile(
          "(?:(write|sync|first-sync)"
              + "|(read|pread|random)(?:-(?:dead([1-9])|(hung)))?(-cold)?)(-busy)?");

  private final String name;
  private final Action action;
  private final int dead;
  private final boolean hung;
  private final boolean cold;
  private final boolean busy;

  private Operation(Matcher form) {
    name = form.group();
    String part = form.group(1) == null ? form.group(2) : form.group(1);
    action = Action.valueOf(part.toUpperCase(Locale.ROOT).replace('-', '_'));
    dead = form.group(3) == null ? 0 : Integer.parseInt(form.group(3));
    hung = form.group(4) != null;
    cold = form.group(5) != null;
    busy = form.group(6) != null;
  }

  /** Parses a name such as {@code write}, {@code read-dead2} or {@code random-hung}. */
  static Operation parse(String name) {
    Matcher form = FORM.matcher(name);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "Cannot measure '"
              + name
              + "': an operation is write, sync, first-sync, read, pread or random, the last"
              + " three also with -dead1, -dead2 ... or -hung, and then -cold, and each with -busy"
              + " at the end");
    }
    return new Operation(form);
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

  /** Returns whether DataNodes read from their disks what is read. */
  boolean isCold() {
    return cold;
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
