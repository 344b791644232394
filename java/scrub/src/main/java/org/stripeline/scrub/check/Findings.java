// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects the findings about one group; windows with the same finding are counted together. */
final class Findings {
  private final List<Finding> plain = new ArrayList<>();
  private final Map<Key, long[]> windows = new LinkedHashMap<>();
  private final Map<Key, Finding> byKey = new LinkedHashMap<>();

  /** What the windows that are counted together have in common. */
  private static final class Key {
    private final Finding.Kind kind;
    private final Copy copy;

    Key(Finding finding) {
      kind = finding.kind();
      copy = finding.copy();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key
          && ((Key) other).kind == kind
          && (copy == null ? ((Key) other).copy == null : copy.equals(((Key) other).copy));
    }

    @Override
    public int hashCode() {
      return kind.hashCode() * 31 + (copy == null ? 0 : copy.hashCode());
    }
  }

  void add(Finding finding) {
    plain.add(finding);
  }

  /** Adds a window to a finding, whose text is that of its first window. */
  void add(Finding finding, long window) {
    Key key = new Key(finding);
    byKey.putIfAbsent(key, finding);
    windows.computeIfAbsent(key, any -> new long[] {window, 0})[1]++;
  }

  List<Finding> all() {
    List<Finding> all = new ArrayList<>(plain);
    byKey.forEach((key, finding) -> all.add(finding.in(windows.get(key)[0], windows.get(key)[1])));
    return all;
  }
}
