// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.natives.fingerprint.Location;

/**
 * Concludes from the values of all replicas in one window which of them are wrong. Values are
 * fingerprints or the bytes themselves: the conclusions are the same, because both are linear.
 */
final class WindowJudge implements Closeable {
  private final GroupLocations group;
  private final ErasureCodec codec;

  WindowJudge(GroupLocations group) {
    this.group = group;
    codec = group.layout().isReplicated() ? null : group.layout().codec();
  }

  /**
   * Judges a window.
   *
   * @param values the value of each replica that was read, all of one length
   * @param suspects replicas whose checksums are wrong in this window
   * @param valueBytes the length of the values
   */
  WindowVerdict judge(Map<Copy, byte[]> values, Set<Copy> suspects, int valueBytes)
      throws IOException {
    return codec == null
        ? judgeReplicas(values, suspects)
        : judgeUnits(values, suspects, valueBytes);
  }

  private WindowVerdict judgeReplicas(Map<Copy, byte[]> values, Set<Copy> suspects) {
    byte[] right = null;
    boolean isAgreed = true;
    for (Map.Entry<Copy, byte[]> one : values.entrySet()) {
      if (!suspects.contains(one.getKey())) {
        right = right == null ? one.getValue() : right;
        isAgreed &= Arrays.equals(right, one.getValue());
      }
    }
    if (right != null && isAgreed) {
      // Wrong checksums decide here. Without them a majority would prove nothing.
      List<Copy> wrong = differing(values.keySet(), values, right);
      boolean isCompared = values.size() > 1 || group.replicas() == 1;
      return isCompared ? WindowVerdict.located(wrong) : WindowVerdict.unchecked();
    }
    Set<Copy> all = values.keySet();
    boolean areEqual = all.isEmpty() || differing(all, values, first(values)).isEmpty();
    return areEqual ? WindowVerdict.unchecked() : WindowVerdict.unlocated(all);
  }

  private WindowVerdict judgeUnits(Map<Copy, byte[]> values, Set<Copy> suspects, int valueBytes)
      throws IOException {
    Set<Integer> doubtful = new LinkedHashSet<>();
    byte[][] units = new byte[group.layout().units()][];
    for (int unit = 0; unit < units.length; unit++) {
      Map<Copy, byte[]> own = ofUnit(unit, values);
      if (group.unitBytes(unit) == 0) {
        units[unit] = new byte[valueBytes];
      } else if (!own.isEmpty() && differing(own.keySet(), own, first(own)).isEmpty()) {
        units[unit] = first(own);
      } else if (!own.isEmpty()) {
        doubtful.add(unit);
      }
    }
    Set<Integer> disputed = new LinkedHashSet<>(doubtful);
    Location location = Location.of(codec, units);
    if (location.verdict() == Location.Verdict.UNLOCATED && !suspects.isEmpty()) {
      // A wrong checksum shows where damage is, so the code only needs to say what is right.
      byte[][] others = units.clone();
      for (Copy suspect : suspects) {
        if (others[suspect.unit] != null) {
          others[suspect.unit] = null;
          doubtful.add(suspect.unit);
        }
      }
      Location better = Location.of(codec, others);
      if (isDecided(better)) {
        location = better;
        units = others;
      }
    }
    if (isDecided(location)) {
      return decided(location, units, doubtful, values, valueBytes);
    }
    if (location.verdict() == Location.Verdict.UNCHECKED && disputed.isEmpty()) {
      return WindowVerdict.unchecked();
    }
    Set<Copy> candidates = new LinkedHashSet<>();
    for (int unit : location.units()) {
      candidates.addAll(ofUnit(unit, values).keySet());
    }
    for (int unit : disputed) {
      candidates.addAll(ofUnit(unit, values).keySet());
    }
    return WindowVerdict.unlocated(candidates);
  }

  private static boolean isDecided(Location location) {
    return location.verdict() == Location.Verdict.CONSISTENT
        || location.verdict() == Location.Verdict.LOCATED;
  }

  /**
   * Returns the wrong replicas: of the units located, and of the doubtful ones those that differ.
   */
  private WindowVerdict decided(
      Location location,
      byte[][] units,
      Set<Integer> doubtful,
      Map<Copy, byte[]> values,
      int valueBytes)
      throws IOException {
    List<Copy> wrong = new ArrayList<>();
    byte[][] right = units.clone();
    for (int unit : location.units()) {
      right[unit] = null;
      wrong.addAll(ofUnit(unit, values).keySet());
    }
    if (!doubtful.isEmpty()) {
      int[] erased = doubtful.stream().mapToInt(Integer::intValue).toArray();
      byte[][] restored = new byte[erased.length][valueBytes];
      codec.decode(
          right, new int[right.length], erased, restored, new int[erased.length], valueBytes);
      for (int i = 0; i < erased.length; i++) {
        Map<Copy, byte[]> own = ofUnit(erased[i], values);
        wrong.addAll(differing(own.keySet(), own, restored[i]));
      }
    }
    return WindowVerdict.located(wrong);
  }

  private static Map<Copy, byte[]> ofUnit(int unit, Map<Copy, byte[]> values) {
    Map<Copy, byte[]> own = new LinkedHashMap<>();
    values.forEach(
        (copy, value) -> {
          if (copy.unit == unit) {
            own.put(copy, value);
          }
        });
    return own;
  }

  private static byte[] first(Map<Copy, byte[]> values) {
    return values.values().iterator().next();
  }

  private static List<Copy> differing(Set<Copy> copies, Map<Copy, byte[]> values, byte[] right) {
    List<Copy> others = new ArrayList<>();
    for (Copy copy : copies) {
      if (!Arrays.equals(values.get(copy), right)) {
        others.add(copy);
      }
    }
    return others;
  }

  @Override
  public void close() throws IOException {
    if (codec != null) {
      codec.close();
    }
  }
}
