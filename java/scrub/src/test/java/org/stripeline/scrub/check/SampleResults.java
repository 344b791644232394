// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.util.List;
import java.util.Map;

/** Results of checks, for tests of their output. */
public final class SampleResults {
  private SampleResults() {}

  /** Returns a healthy result. */
  public static GroupResult healthy() {
    return new GroupResult(null, List.of(), Map.of(), 3, 4096);
  }

  /** Returns damage of one replica, a remark about the group, and a gap. */
  public static GroupResult damaged() {
    Copy copy = FakeGroup.replicated(1, 10).copy(0);
    return new GroupResult(
        null,
        List.of(
            Finding.ofCopy(Finding.Kind.WRONG_BYTES, copy, "its bytes are wrong").in(5, 2),
            Finding.ofUnit(Finding.Kind.MISSING, 3, "none is left"),
            Finding.ofGroup(Finding.Kind.TOO_FEW_RACKS, "1 racks instead of 2"),
            Finding.ofGroup(Finding.Kind.NOT_CHECKED, "no answer")),
        Map.of(),
        3,
        4096);
  }

  /** Returns the result for a group whose file was deleted. */
  public static GroupResult gone() {
    return GroupResult.gone();
  }
}
