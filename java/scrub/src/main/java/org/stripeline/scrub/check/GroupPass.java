// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.stripeline.agent.AgentException;

/** One pass over all windows of a group whose locations do not change during the pass. */
final class GroupPass {
  /**
   * Windows of a group whose bytes are read to confirm damage, each once for every verdict that
   * fingerprints give, so that one broken agent does not make the coordinator read whole groups.
   */
  private static final int CONFIRMATIONS_MAX = 16;

  private final GroupAccess access;
  private final CheckSettings settings;
  private final ExecutorService threads;
  private final GroupLocations group;
  private final WindowJudge judge;
  private final Set<Copy> readable;
  private final Findings findings = new Findings();
  private final Map<WindowVerdict, WindowVerdict> confirmed = new HashMap<>();
  private final Map<Copy, Long> modified = new HashMap<>();
  private int confirmations;
  private long comparedWindows;
  private long bytes;

  GroupPass(
      GroupAccess access,
      CheckSettings settings,
      ExecutorService threads,
      GroupLocations group,
      WindowJudge judge) {
    this.access = access;
    this.settings = settings;
    this.threads = threads;
    this.group = group;
    this.judge = judge;
    readable = new LinkedHashSet<>(group.copies());
  }

  /** Returns the result, or null if the group or its locations have changed. */
  GroupResult run() throws IOException {
    countReplicas();
    long windows = windows(group.longestBytes());
    for (long first = 0; first < windows; first += CheckSettings.STEP_WINDOWS) {
      int count = (int) Math.min(CheckSettings.STEP_WINDOWS, windows - first);
      Step step = new Step(access, settings, threads, group, readable, first, count);
      if (!step.run()) {
        return null;
      }
      for (CopyRead read : step.reads()) {
        note(read);
      }
      for (long window = first; window < first + count; window++) {
        if (!judge(window, step)) {
          return null;
        }
      }
    }
    return new GroupResult(group, findings.all(), modified, comparedWindows, bytes);
  }

  private long windows(long length) {
    return (length + settings.windowBytes() - 1) / settings.windowBytes();
  }

  private void countReplicas() throws IOException {
    for (int unit = 0; unit < group.layout().units(); unit++) {
      int count = group.copies(unit).size();
      if (group.isShort(unit)) {
        String text = "the NameNode knows " + count + " of " + group.replicas() + " replicas";
        String others = whereOthersMayBe();
        findings.add(
            others.isEmpty()
                ? Finding.ofUnit(Finding.Kind.MISSING, unit, text)
                : Finding.ofUnit(Finding.Kind.NOT_CHECKED, unit, text + others));
      } else if (!group.layout().isReplicated() && count > 1) {
        String text = "the NameNode knows " + count + " replicas of this internal block";
        findings.add(Finding.ofUnit(Finding.Kind.DUPLICATE, unit, text));
      }
    }
    String racks = group.isShort() ? null : access.rackProblem(group);
    if (racks != null) {
      findings.add(Finding.ofGroup(Finding.Kind.TOO_FEW_RACKS, racks));
    }
  }

  /** Returns where replicas may be that the NameNode does not name; empty if they are missing. */
  private String whereOthersMayBe() {
    switch (group.unnamed()) {
      case IN_MAINTENANCE:
        return "; others may be on DataNodes in maintenance, which it does not name";
      case NOT_REPORTED:
        return "; others may be on DataNodes that have not reported their replicas since it"
            + " started";
      default:
        return "";
    }
  }

  private void note(CopyRead read) {
    bytes += read.bytes();
    // A step whose windows are all past the end of a shorter block does not ask for its time.
    modified.merge(read.copy(), read.modified(), Math::max);
    for (long window : read.badWindows()) {
      String text = "chunks of it do not match their checksums";
      findings.add(Finding.ofCopy(Finding.Kind.BAD_CHECKSUM, read.copy(), text), window);
    }
    Finding obstacle = read.obstacle();
    if (obstacle == null) {
      return;
    }
    readable.remove(read.copy());
    long left = windows(read.copy().block.length) - read.nextWindow();
    if (obstacle.kind() == Finding.Kind.UNREADABLE) {
      findings.add(obstacle.in(read.nextWindow(), 1));
      if (left > 1) {
        String text = "an earlier window cannot be read";
        Finding rest = Finding.ofCopy(Finding.Kind.NOT_CHECKED, read.copy(), text);
        findings.add(rest.in(read.nextWindow() + 1, left - 1));
      }
    } else {
      findings.add(obstacle.in(read.nextWindow(), left));
    }
  }

  /** Judges a window; returns false if the group has changed. */
  private boolean judge(long window, Step step) throws IOException {
    Map<Copy, byte[]> values = step.values(window);
    Set<Copy> suspects = step.suspects(window);
    WindowVerdict verdict = judge.judge(values, suspects, settings.fingerprintBytes());
    if (!verdict.isDamage()) {
      note(window, verdict);
      return true;
    }
    WindowVerdict known = confirmed.get(verdict);
    if (known != null) {
      note(window, known);
      return true;
    }
    if (confirmations == CONFIRMATIONS_MAX) {
      String text = "fingerprints differ, and too many windows had to be read to confirm it";
      findings.add(Finding.ofGroup(Finding.Kind.NOT_CHECKED, text), window);
      return true;
    }
    confirmations++;
    synchronized (settings.comparison()) {
      return confirm(window, verdict, values.keySet(), suspects);
    }
  }

  /** Compares the bytes of a window; returns false if the group has changed. */
  private boolean confirm(long window, WindowVerdict verdict, Set<Copy> copies, Set<Copy> suspects)
      throws IOException {
    long start = window * settings.windowBytes();
    int length = (int) Math.min(settings.windowBytes(), group.longestBytes() - start);
    Map<Copy, byte[]> values = new LinkedHashMap<>();
    String failure = "";
    for (Copy copy : copies) {
      int own = (int) Math.max(0, Math.min(length, copy.block.length - start));
      try {
        byte[] read = own == 0 ? new byte[0] : access.read(copy, start, own);
        values.put(copy, Arrays.copyOf(read, length));
      } catch (IOException e) {
        if (e instanceof InterruptedIOException && Thread.currentThread().isInterrupted()) {
          throw e;
        }
        failure = "; " + AgentException.reason(e);
      }
    }
    GroupLocations now = access.locate();
    if (now == null || !now.isSame(group)) {
      return false;
    }
    WindowVerdict real = judge.judge(values, suspects, length);
    if (real.isDamage()) {
      confirmed.put(verdict, real);
      note(window, real);
    } else {
      String text =
          real.kind() == WindowVerdict.Kind.CONSISTENT
              ? "fingerprints differ, but the bytes that were read to confirm it match"
              : "fingerprints differ, but the bytes cannot be read to confirm it";
      findings.add(Finding.ofGroup(Finding.Kind.NOT_CHECKED, text + failure), window);
    }
    return true;
  }

  private void note(long window, WindowVerdict verdict) {
    switch (verdict.kind()) {
      case CONSISTENT:
        comparedWindows++;
        break;
      case UNCHECKED:
        String none = "too few replicas were read to compare them";
        findings.add(Finding.ofGroup(Finding.Kind.NOT_CHECKED, none), window);
        break;
      case LOCATED:
        comparedWindows++;
        for (Copy copy : verdict.copies()) {
          String text = "its bytes do not match those of the others, which match each other";
          findings.add(Finding.ofCopy(Finding.Kind.WRONG_BYTES, copy, text), window);
        }
        break;
      case UNLOCATED:
        comparedWindows++;
        unlocated(window, verdict.copies());
        break;
    }
  }

  private void unlocated(long window, Set<Copy> candidates) {
    if (candidates.isEmpty()) {
      String text = "blocks do not match, and any of them may be wrong";
      findings.add(Finding.ofGroup(Finding.Kind.UNLOCATED, text), window);
    }
    for (Copy copy : candidates) {
      String text = "blocks do not match, and this may be a wrong one";
      findings.add(Finding.ofCopy(Finding.Kind.UNLOCATED, copy, text), window);
    }
  }
}
