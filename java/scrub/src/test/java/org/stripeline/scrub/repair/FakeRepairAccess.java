// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.stripeline.agent.QuarantinedReplica;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.FakeGroup;
import org.stripeline.scrub.check.GroupLocations;
import org.stripeline.scrub.check.GroupResult;

/**
 * Notes the steps of a repair; rebuilds blocks that were reported or removed, in the next pause.
 */
abstract class FakeRepairAccess implements RepairAccess {
  private final List<String> steps;
  long millis;
  int free = 2;
  boolean rebuilds = true;
  int newNode = 50;
  final List<Copy> lost = new ArrayList<>();

  FakeRepairAccess(List<String> steps) {
    this.steps = steps;
  }

  abstract FakeGroup group();

  /** Returns the bytes that HDFS rebuilds. */
  abstract Map<Copy, byte[]> right();

  abstract GroupResult checkGroup() throws IOException;

  @Override
  public GroupLocations locate() {
    return group().locate();
  }

  @Override
  public boolean isConverted() {
    return false;
  }

  @Override
  public QuarantinedReplica quarantine(Copy copy, boolean remove) throws IOException {
    steps.add((remove ? "remove " : "keep ") + copy.unit);
    if (remove) {
      lose(copy);
    }
    return new QuarantinedReplica("/kept/" + copy.unit, 0, remove);
  }

  @Override
  public void report(Collection<Copy> copies) throws IOException {
    copies.forEach(copy -> steps.add("report " + copy.unit));
    copies.forEach(this::lose);
  }

  private void lose(Copy copy) {
    if (group().bytes.remove(copy) != null) {
      lost.add(copy);
    }
  }

  @Override
  public int freeNodes(Collection<Copy> copies) {
    return free;
  }

  @Override
  public GroupResult check() throws IOException {
    steps.add("check");
    return checkGroup();
  }

  @Override
  public void audit(RepairRecord record) throws IOException {
    steps.add("audit " + record.state());
  }

  @Override
  public void pause() throws IOException {
    millis += 1000;
    if (rebuilds) {
      lost.forEach(copy -> group().put(copy.unit, newNode++, rebuilt(copy)));
      lost.clear();
    }
  }

  byte[] rebuilt(Copy copy) {
    return right().get(copy);
  }

  @Override
  public long millis() {
    return millis;
  }
}
