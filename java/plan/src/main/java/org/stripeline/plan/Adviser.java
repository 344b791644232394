// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import org.stripeline.convert.rules.FileRules;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.rules.SpaceUse;
import org.stripeline.convert.settings.Layout;
import org.stripeline.placement.CodeName;
import org.stripeline.plan.source.PlannedFile;

/**
 * Decides how to treat a file. Of adoption, adoption with RS-3-2, and copying into a striped file,
 * in this order, it selects the first that saves at least three quarters of the bytes that the best
 * of them saves: adoption moves almost no data, so it may store a little more.
 */
final class Adviser {
  /**
   * With the files' blocks as cells, RS-6-3 saves 1.25 of 1.5 possible replicas for 4 blocks, 1.0
   * for 3 blocks and 0.5 for 2 blocks; the threshold lies between the first two.
   */
  private static final double SHARE_OF_BEST_MIN = 0.75;

  private static final CodeName SMALLER = CodeName.parse("RS-3-2");

  /** The number of treatments other than {@link Treatment#LEAVE}. */
  private static final int CHOICES = Treatment.LEAVE.ordinal();

  private static final long NEVER = Long.MAX_VALUE;

  private final CodeName code;
  private final CodeName smaller;

  private Treatment treatment;
  private SkipReason reason;
  private long bytesAfter;

  Adviser(CodeName code) {
    this.code = code;
    // Reed-Solomon is the only codec that HDFS provides in two sizes.
    this.smaller =
        code.codec().equals(SMALLER.codec()) && code.data() > SMALLER.data()
            ? SMALLER.withCell(code.cellBytes())
            : null;
  }

  /** Returns the smaller code for adoption, null if there is none. */
  CodeName smaller() {
    return smaller;
  }

  /**
   * Decides about a file; the methods below return the decision.
   *
   * @param isSynced whether its writers rely on hsync
   */
  void consider(PlannedFile file, boolean isSynced) {
    long now = SpaceUse.now(file);
    SkipReason general =
        file.coded() != null ? SkipReason.CODED : FileRules.general(file, isSynced);
    if (general != null) {
      leave(general, now);
    } else {
      choose(file, now);
    }
  }

  private void choose(PlannedFile file, long now) {
    SkipReason[] refusals = new SkipReason[CHOICES];
    long[] after = new long[CHOICES];
    long best = NEVER;
    for (int i = 0; i < CHOICES; i++) {
      refusals[i] = refusal(file, i);
      after[i] = refusals[i] == null ? FileRules.bytesAfter(file, code(i), layout(i)) : NEVER;
      best = Math.min(best, after[i]);
    }
    if (best == NEVER) {
      leave(refusals[CHOICES - 1], now);
      return;
    }
    int choice = 0;
    while (after[choice] == NEVER || now - after[choice] < SHARE_OF_BEST_MIN * (now - best)) {
      choice++;
    }
    treatment = Treatment.values()[choice];
    reason = null;
    bytesAfter = after[choice];
  }

  private SkipReason refusal(PlannedFile file, int choice) {
    CodeName with = code(choice);
    return with == null ? SkipReason.BLOCK_SIZE : FileRules.ofLayout(file, with, layout(choice));
  }

  /** Returns the code of a treatment, null if there is none. */
  private CodeName code(int choice) {
    return choice == Treatment.SMALLER_CODE.ordinal() ? smaller : code;
  }

  private static Layout layout(int choice) {
    return choice == Treatment.STRIPE.ordinal() ? Layout.STRIPED : Layout.CONTIGUOUS;
  }

  private void leave(SkipReason why, long bytes) {
    treatment = Treatment.LEAVE;
    reason = why;
    bytesAfter = bytes;
  }

  Treatment treatment() {
    return treatment;
  }

  /** Returns why the file is left unchanged, null if it is converted. */
  SkipReason reason() {
    return reason;
  }

  /** Returns the bytes that the file occupies after its treatment. */
  long bytesAfter() {
    return bytesAfter;
  }

  /** Returns the code with which the file is adopted, null if it is not adopted. */
  CodeName adoptedWith() {
    return treatment == Treatment.ADOPT
        ? code
        : treatment == Treatment.SMALLER_CODE ? smaller : null;
  }
}
