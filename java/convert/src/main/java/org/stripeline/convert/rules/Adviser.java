// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.rules;

import org.stripeline.convert.settings.Layout;
import org.stripeline.placement.CodeName;

/**
 * Decides how to treat a file. Of adoption, adoption with RS-3-2, and copying into a striped file,
 * in this order, it selects the first that saves at least three quarters of the bytes that the best
 * of them saves: adoption moves almost no data, so it may store a little more. {@code plan} prints
 * these decisions, and {@code convert --layout=auto} carries them out.
 */
public final class Adviser {
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
  private final boolean allowsCopies;

  private Treatment treatment;
  private SkipReason reason;
  private long bytesAfter;
  private long bytesIfCopied;

  /**
   * Creates an adviser.
   *
   * @param code the requested code, with the cell size of copies
   * @param allowsCopies whether files may be copied; otherwise they are adopted or left unchanged
   */
  public Adviser(CodeName code, boolean allowsCopies) {
    this.code = code;
    this.allowsCopies = allowsCopies;
    // Reed-Solomon is the only codec that HDFS provides in two sizes. A cluster that has enough
    // nodes and racks for the requested code must have enough for the smaller one.
    this.smaller =
        code.codec().equals(SMALLER.codec())
                && code.data() > SMALLER.data()
                && code.shape().racksForRackFailure() >= SMALLER.shape().racksForRackFailure()
                && code.shape().total() >= SMALLER.shape().total()
            ? SMALLER.withCell(code.cellBytes())
            : null;
  }

  /** Returns the smaller code for adoption, null if there is none. */
  public CodeName smaller() {
    return smaller;
  }

  /**
   * Decides about a file; the methods below return the decision.
   *
   * @param isSynced whether its writers rely on hsync
   */
  public void consider(FileFacts file, boolean isSynced) {
    long now = SpaceUse.now(file);
    bytesIfCopied = now;
    SkipReason general = FileRules.general(file, isSynced);
    if (general != null) {
      leave(general, now);
    } else if (file.coded() != null) {
      leave(SkipReason.CODED, now);
    } else {
      choose(file, now);
    }
  }

  private void choose(FileFacts file, long now) {
    SkipReason[] refusals = new SkipReason[CHOICES];
    long[] after = new long[CHOICES];
    long best = NEVER;
    for (int i = 0; i < CHOICES; i++) {
      refusals[i] = refusal(file, i);
      after[i] = refusals[i] == null ? FileRules.bytesAfter(file, code(i), layout(i)) : NEVER;
    }
    int copy = Treatment.STRIPE.ordinal();
    if (!allowsCopies && after[copy] != NEVER) {
      bytesIfCopied = after[copy];
      after[copy] = NEVER;
      refusals[copy] = SkipReason.STALE_READERS;
    }
    for (long bytes : after) {
      best = Math.min(best, bytes);
    }
    if (best == NEVER) {
      leave(refusals[copy], now);
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

  private SkipReason refusal(FileFacts file, int choice) {
    CodeName with = code(choice);
    return with == null ? SkipReason.BLOCK_SIZE : FileRules.ofLayout(file, with, layout(choice));
  }

  /** Returns the code of a treatment, null if there is none. */
  private CodeName code(int choice) {
    return choice == Treatment.SMALLER_CODE.ordinal() ? smaller : code;
  }

  private static Layout layout(int choice) {
    return Treatment.values()[choice].layout();
  }

  private void leave(SkipReason why, long bytes) {
    treatment = Treatment.LEAVE;
    reason = why;
    bytesAfter = bytes;
  }

  /** Returns the decision. */
  public Treatment treatment() {
    return treatment;
  }

  /** Returns why the file is left unchanged, null if it is converted. */
  public SkipReason reason() {
    return reason;
  }

  /** Returns the bytes that the file occupies after its treatment. */
  public long bytesAfter() {
    return bytesAfter;
  }

  /**
   * Returns the bytes that the file would occupy if it were copied, although copies are not
   * allowed.
   */
  public long bytesIfCopied() {
    return bytesIfCopied;
  }

  /**
   * Returns the code that the file gets, null if it is left unchanged.
   *
   * @param blockBytes the file's block size, which is the cell size of adopted files
   */
  public CodeName codeAfter(long blockBytes) {
    if (treatment == Treatment.LEAVE) {
      return null;
    }
    return treatment == Treatment.STRIPE
        ? code
        : code(treatment.ordinal()).withCell((int) blockBytes);
  }
}
