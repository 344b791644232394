// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

import java.util.Locale;

/** Converts enum constants to their names in scenarios and results, such as {@code post-hoc}. */
public final class Labels {
  private Labels() {}

  /** Returns the label of a constant. */
  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the constant with a label. */
  static <E extends Enum<E>> E parse(Class<E> kind, String label) throws ScenarioException {
    for (E constant : kind.getEnumConstants()) {
      if (of(constant).equals(label)) {
        return constant;
      }
    }
    throw new ScenarioException("Cannot use " + label + ": must be one of " + all(kind));
  }

  /** Returns the labels of all constants, separated by commas. */
  private static <E extends Enum<E>> String all(Class<E> kind) {
    StringBuilder text = new StringBuilder();
    for (E constant : kind.getEnumConstants()) {
      text.append(text.length() == 0 ? "" : ", ").append(of(constant));
    }
    return text.toString();
  }
}
