// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Counts of an engine since it was opened. */
public final class EngineStatistics {
  /** The count of numbers before those of the rails: issued, outstanding, rails. */
  private static final int HEAD_LONGS = 3;

  /** Enough for four rails; the library returns the required number if it is larger. */
  private static final int LONGS = HEAD_LONGS + 4 * RailStatistics.LONGS;

  private final long issued;
  private final long outstanding;
  private final List<RailStatistics> rails;

  private EngineStatistics(long issued, long outstanding, List<RailStatistics> rails) {
    this.issued = issued;
    this.outstanding = outstanding;
    this.rails = rails;
  }

  static EngineStatistics of(long engine) {
    long[] numbers = new long[LONGS];
    int count = EngineBridge.statistics(engine, numbers);
    if (count > numbers.length) {
      // Rails are added only when an engine is opened, so the second call fits.
      numbers = new long[count];
      EngineBridge.statistics(engine, numbers);
    }
    // A rail may go out of service between the two calls; its name does not change.
    String[] lines = EngineBridge.rails(engine).split("\n");
    List<RailStatistics> rails = new ArrayList<>();
    for (int i = 0; i < numbers[2]; i++) {
      String[] line = lines[i].split("\t", 2);
      rails.add(
          new RailStatistics(line[0], line[1], numbers, HEAD_LONGS + i * RailStatistics.LONGS));
    }
    return new EngineStatistics(numbers[0], numbers[1], Collections.unmodifiableList(rails));
  }

  /** Returns the number of tasks issued, including calls that waited. */
  public long issued() {
    return issued;
  }

  /** Returns the number of tasks that have not ended. */
  public long outstanding() {
    return outstanding;
  }

  /** Returns the statistics of each rail. */
  public List<RailStatistics> rails() {
    return rails;
  }

  /** Returns the names of the rails, separated by commas. */
  public String names() {
    StringBuilder names = new StringBuilder();
    for (RailStatistics rail : rails) {
      names.append(names.length() == 0 ? "" : ", ").append(rail.name());
    }
    return names.toString();
  }
}
