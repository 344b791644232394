// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.stripeline.client.ClientKeys;

/**
 * A file, its faults and the calls that read it; all of it is derived from the seed.
 *
 * @param seed the seed
 * @param fuzzPolicy erasure coding policy of the file
 * @param blockBytes bytes of an internal block
 * @param lengths bytes of each write; all but the first are appended, each in new block groups
 * @param writer the client that writes it
 * @param settings settings of the client that reads
 * @param faults the faults
 * @param steps the calls
 */
record FuzzCase(
    long seed,
    FuzzPolicy fuzzPolicy,
    int blockBytes,
    List<Integer> lengths,
    Writer writer,
    Map<String, String> settings,
    List<Fault> faults,
    List<StreamCall> steps) {
  /** The pipeline that writes a file. */
  enum Writer {
    /** Hadoop's client. */
    STOCK,
    /** Stripeline's client, by mode. */
    BLOCKING,
    NON_BLOCKING,
    FUNCTIONAL_PARTITIONED;

    /** Returns Hadoop's client as often as Stripeline's. */
    static Writer any(Random random) {
      return random.nextBoolean() ? STOCK : values()[1 + random.nextInt(3)];
    }
  }

  private static final int STEPS_MAX = 12;

  /** The kinds that are drawn; the others replace some of them. */
  private static final Fault.Kind[] KINDS =
      EnumSet.complementOf(EnumSet.of(Fault.Kind.TRUNCATE_BOTH, Fault.Kind.OTHER_CHECKSUMS))
          .toArray(new Fault.Kind[0]);

  private static final StreamCall.Kind[] CALLS =
      EnumSet.complementOf(EnumSet.of(StreamCall.Kind.SEEKS, StreamCall.Kind.CLOSE))
          .toArray(new StreamCall.Kind[0]);

  /** Stopping a DataNode takes seconds, so only one case in this many may do so. */
  private static final int STOPPING_CASES = 20;

  static FuzzCase of(long seed) {
    Random random = new Random(seed * 0x9e3779b97f4a7c15L + 0x1234567);
    FuzzPolicy fuzzPolicy = FuzzPolicy.ALL.get(random.nextInt(FuzzPolicy.ALL.size()));
    int cells = 1 + random.nextInt(fuzzPolicy.cellBytes() > 1 << 18 ? 3 : 8);
    int blockBytes = cells * fuzzPolicy.cellBytes();
    long groupBytes = (long) blockBytes * fuzzPolicy.dataUnits();
    List<Integer> lengths = new ArrayList<>();
    lengths.add(length(random, fuzzPolicy, groupBytes));
    while (random.nextInt(6) == 0 && lengths.size() < 3) {
      lengths.add(length(random, fuzzPolicy, groupBytes));
    }
    long total = lengths.stream().mapToLong(Integer::longValue).sum();
    int stepCount = 3 + random.nextInt(STEPS_MAX - 2);
    List<Fault> faults = faults(random, fuzzPolicy, groupBytes, lengths, stepCount);
    List<StreamCall> steps = new ArrayList<>();
    for (int i = 0; i < stepCount; i++) {
      steps.add(step(random, fuzzPolicy, groupBytes, total));
    }
    addRaces(new Random(seed * 0x9e3779b97f4a7c15L + 0x7654321), steps, total);
    exchangeKinds(new Random(seed * 0x9e3779b97f4a7c15L + 0x2468ace), faults);
    return new FuzzCase(
        seed, fuzzPolicy, blockBytes, lengths, Writer.any(random), settings(random), faults, steps);
  }

  /** Adds calls that race with faults or with each other, without changing the rest of the case. */
  private static void addRaces(Random random, List<StreamCall> steps, long total) {
    for (int i = random.nextInt(3); i > 0; i--) {
      StreamCall.Kind kind = random.nextInt(3) == 0 ? StreamCall.Kind.CLOSE : StreamCall.Kind.SEEKS;
      long position = (long) (random.nextDouble() * total);
      int length = (int) (1 + random.nextDouble() * (total - position));
      steps.add(
          random.nextInt(steps.size() + 1),
          new StreamCall(kind, position, length, random.nextLong()));
    }
  }

  /** Makes some faults ones that leave valid checksums, without changing the rest of the case. */
  private static void exchangeKinds(Random random, List<Fault> faults) {
    faults.replaceAll(
        fault -> {
          boolean isExchanged = random.nextBoolean();
          if (isExchanged && fault.kind() == Fault.Kind.TRUNCATE_DATA) {
            return fault.as(Fault.Kind.TRUNCATE_BOTH);
          }
          return isExchanged && fault.kind() == Fault.Kind.FLIP_CHECKSUM
              ? fault.as(Fault.Kind.OTHER_CHECKSUMS)
              : fault;
        });
  }

  /**
   * Returns small windows, so that small files need many of them, and short hedge times, so that
   * most hedges are needless.
   */
  private static Map<String, String> settings(Random random) {
    Map<String, String> settings = new TreeMap<>();
    String[] windows = {"0", "50000", "1000000", "" + ClientKeys.READ_WINDOW_DEFAULT};
    settings.put(ClientKeys.READ_WINDOW, windows[random.nextInt(windows.length)]);
    if (random.nextInt(3) == 0) {
      settings.put(ClientKeys.HEDGE_MIN, "1");
      settings.put(ClientKeys.HEDGE_MAX, "" + (1 + random.nextInt(20)));
    }
    return settings;
  }

  /** Returns bytes of the file. */
  int length() {
    return lengths.stream().mapToInt(Integer::intValue).sum();
  }

  private static int length(Random random, FuzzPolicy fuzzPolicy, long groupBytes) {
    long cell = fuzzPolicy.cellBytes();
    long stripe = cell * fuzzPolicy.dataUnits();
    long limit = random.nextInt(12) == 0 ? 24 << 20 : 6 << 20;
    long length;
    switch (random.nextInt(6)) {
      case 0:
        length = 1 + random.nextInt((int) cell);
        break;
      case 1:
        length = cell + random.nextInt((int) Math.min(stripe, Integer.MAX_VALUE));
        break;
      case 2:
        length = stripe * (1 + random.nextInt(4)) + random.nextInt(3) - 1;
        break;
      case 3:
        length = groupBytes * (1 + random.nextInt(3)) + random.nextInt(3) - 1;
        break;
      default:
        length = 1 + (long) (random.nextDouble() * Math.min(limit, 4 * groupBytes));
    }
    return (int) Math.max(1, Math.min(length, Math.max(limit, 2 * stripe)));
  }

  private static List<Fault> faults(
      Random random, FuzzPolicy fuzzPolicy, long groupBytes, List<Integer> lengths, int steps) {
    int groups = 0;
    for (int length : lengths) {
      groups += (int) ((length + groupBytes - 1) / groupBytes);
    }
    boolean mayStop = random.nextInt(STOPPING_CASES) == 0;
    int broken = random.nextInt(6) == 0 ? random.nextInt(groups) : -1;
    boolean mayHang = random.nextInt(10) == 0;
    boolean utmost = random.nextInt(3) == 0;
    List<Fault> faults = new ArrayList<>();
    for (int group = 0; group < groups; group++) {
      int parity = fuzzPolicy.parityUnits();
      int count = utmost ? parity : random.nextInt(parity + 1);
      if (group == broken) {
        count = parity + 1 + random.nextInt(fuzzPolicy.dataUnits());
      }
      Set<Integer> struck = new HashSet<>();
      while (struck.size() < count) {
        int unit = random.nextInt(fuzzPolicy.dataUnits() + parity);
        if (struck.add(unit)) {
          Fault fault = fault(random, group, unit, steps, mayStop);
          // With too few blocks left, each read waits for timeouts, so only some of these cases
          // hang.
          faults.add(group == broken && !mayHang ? fault.insteadOfHanging() : fault);
        }
      }
    }
    return faults;
  }

  private static Fault fault(Random random, int group, int unit, int steps, boolean mayStop) {
    Fault.Kind kind = KINDS[random.nextInt(KINDS.length)];
    if (kind == Fault.Kind.STOP_NODE && !mayStop) {
      kind = Fault.Kind.FLIP_DATA;
    }
    Fault.Moment when = Fault.Moment.values()[random.nextInt(3)];
    // Each of several hangs costs a wait, so their number is reduced.
    if (kind == Fault.Kind.HANG_NODE && random.nextBoolean()) {
      kind = Fault.Kind.HANG;
    }
    double where = random.nextInt(4) == 0 ? 0 : random.nextDouble();
    return new Fault(kind, group, unit, where, when, random.nextInt(steps));
  }

  private static StreamCall step(
      Random random, FuzzPolicy fuzzPolicy, long groupBytes, long total) {
    StreamCall.Kind kind = CALLS[random.nextInt(CALLS.length)];
    long cell = fuzzPolicy.cellBytes();
    long[] units = {1, 512, cell, cell * fuzzPolicy.dataUnits(), groupBytes};
    long unit = units[random.nextInt(units.length)];
    long position = (long) (random.nextDouble() * (total + 1)) / unit * unit;
    if (unit > 1) {
      position += random.nextInt(3) - 1;
    }
    position = Math.max(0, Math.min(position, total));
    long length;
    switch (random.nextInt(4)) {
      case 0:
        length = random.nextInt(600);
        break;
      case 1:
        length = units[random.nextInt(units.length)] + random.nextInt(3) - 1;
        break;
      case 2:
        length = total - position;
        break;
      default:
        length = 1 + (long) (random.nextDouble() * total);
    }
    return new StreamCall(kind, position, (int) Math.min(length, total + 10), random.nextLong());
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append("seed ").append(seed).append(": ").append(fuzzPolicy.name());
    text.append(", internal blocks of ").append(blockBytes).append(" bytes, file of ");
    text.append(lengths).append(" bytes written by ").append(writer);
    text.append(", read with ").append(settings);
    faults.forEach(fault -> text.append("\n  fault ").append(fault));
    for (int i = 0; i < steps.size(); i++) {
      text.append("\n  step ").append(i).append(' ').append(steps.get(i));
    }
    return text.toString();
  }
}
