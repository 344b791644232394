// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.client.read.MemoryGroup.readThrough;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;
import org.stripeline.testkit.Conditions;

/** Tests how much reads ask DataNodes for, with block groups in memory. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ReadRequestsTest extends ReadPipelineCase {
  @Test
  void randomReadsFetchOnlyNeededBytes() throws IOException {
    MemoryGroup group = new MemoryGroup(6, 3, 64 << 10, 6 * (64 << 10) * 4, true, 8);
    long before = ReadContext.counters().get(ReadCount.BYTES_FETCHED);
    readRange(group, 70_000, 80_000);
    assertThat(ReadContext.counters().get(ReadCount.BYTES_FETCHED) - before)
        .isBetween(10_000L, 10_000L + 2 * 511);
    assertThat(group.opens.get()).isEqualTo(1);
  }

  @Test
  void idleReadersAreClosed() throws Exception {
    List<GroupReader> idle = new ArrayList<>();
    List<MemoryGroup> groups = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      MemoryGroup group = new MemoryGroup(3, 2, 4096, 3 * 4096 * 50, true, i);
      GroupReader reader = reader(group);
      new RangeRead(reader, MemoryGroup.UNCOUNTED)
          .read(0, 3 * 4096, group.data.length, ByteBuffer.allocate(3 * 4096));
      groups.add(group);
      idle.add(reader);
    }
    Conditions.await(
        "all readers to be closed",
        () -> groups.stream().allMatch(group -> group.openReaders.get() == 0));
    assertThat(context.idleLanes().size()).isZero();
    ByteBuffer target = ByteBuffer.allocate(3 * 4096);
    new RangeRead(idle.get(7), MemoryGroup.UNCOUNTED).read(3 * 4096, 6 * 4096, 6 * 4096, target);
    assertThat(target.array())
        .isEqualTo(Arrays.copyOfRange(groups.get(7).data, 3 * 4096, 6 * 4096));
    // A reader at its end is closed at once, so that another stream can use its connection.
    Conditions.await("all readers to be closed", () -> groups.get(7).openReaders.get() == 0);
    idle.forEach(GroupReader::close);
  }

  /** DataNodes send everything that was requested, needed or not. */
  @Test
  void aSeekAndTwoSmallReadsRequestFewBytes() throws Exception {
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(6, 3, 1 << 20, 6 * (1 << 20) * 4, true, 9);
    try (SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
      window.enter(reader(group));
      readThrough(window, 3_000_000, 3_004_096);
      readThrough(window, 3_004_096, 3_008_192);
    }
    Conditions.await("all readers to be closed", () -> group.openReaders.get() == 0);
    assertThat(group.asked.get()).isLessThanOrEqualTo((64 << 10) + 512);
  }

  /**
   * The access pattern of HBase when it opens a store file: the trailer, then three blocks before
   * it, each header first.
   */
  @Test
  void smallReadsInARowShareARequest() throws Exception {
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(6, 3, 1 << 20, 6 * (1 << 20) * 2 + 500_000, true, 9);
    int length = group.data.length;
    try (SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
      window.enter(reader(group));
      readThrough(window, length - 4096, length);
      int at = length - 4096 - 20_000;
      for (int bytes : new int[] {33, 12_000, 4_000, 3_967}) {
        assertThat(readThrough(window, at, at + bytes))
            .isEqualTo(Arrays.copyOfRange(group.data, at, at + bytes));
        at += bytes;
      }
    }
    assertThat(group.opens.get()).isEqualTo(2);
    assertThat(group.asked.get()).isLessThanOrEqualTo(2 * 4096 + 20_000 + 2 * 512);
  }

  /**
   * Reads the end of a cell and the beginning of the next, both lost: only the needed parts of the
   * cells must be decoded.
   */
  @Test
  void aReadAcrossTwoLostCellsDecodesTheRequestedBytes() throws Exception {
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(6, 3, 1 << 20, 6 * (1 << 20) * 2, true, 9);
    group.dead[2] = true;
    group.dead[3] = true;
    int from = 3 * (1 << 20) - 40_000;
    assertThat(readRange(group, from, from + 65_536))
        .isEqualTo(Arrays.copyOfRange(group.data, from, from + 65_536));
    assertThat(group.asked.get()).isLessThanOrEqualTo(6 * (65_536 + 4 * 512));
  }

  /**
   * Two lost cells at the end of a stripe: the sources of the first are sufficient for the second.
   */
  @Test
  void whatWasReadBeforeSufficesToDecode() throws Exception {
    context = context("1h", 10_000);
    int cell = 64 << 10;
    MemoryGroup group = new MemoryGroup(3, 2, cell, 3 * cell * 10, true, 9);
    group.dead[1] = true;
    group.dead[2] = true;
    try (SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
      window.enter(reader(group));
      for (int at = 4 * cell; at < 6 * cell; at += cell) {
        assertThat(readThrough(window, at, at + cell))
            .isEqualTo(Arrays.copyOfRange(group.data, at, at + cell));
      }
    }
    assertThat(group.asked.get()).isEqualTo(3 * cell);
  }

  /**
   * Lets the client detect the dead DataNodes; otherwise the number of requests would depend on
   * timing.
   */
  private void meetDead(MemoryGroup group) throws IOException {
    for (int unit = 0; unit < group.geometry.dataUnits(); unit++) {
      if (group.dead[unit]) {
        int at = (int) group.geometry.offsetInGroup(unit, 0);
        readRange(group, at, at + 1);
      }
    }
    group.asked.set(0);
  }

  /** Spans that the caller needs are also used as sources, even if they cover only a part. */
  @Test
  void aLongReadPastADeadDataNodeRequestsEachByteOnce() throws Exception {
    context = context("1h", 10_000);
    int cell = 64 << 10;
    for (int dead = 0; dead < 6; dead++) {
      MemoryGroup group = new MemoryGroup(6, 3, cell, 6 * cell * 60, true, 9);
      group.dead[dead] = true;
      meetDead(group);
      int from = 6 * cell + 2 * cell + 10_000;
      int to = 6 * cell * 40 + 4 * cell + 20_000;
      assertThat(readRange(group, from, to)).isEqualTo(Arrays.copyOfRange(group.data, from, to));
      assertThat(group.asked.get()).isLessThanOrEqualTo(40L * 6 * cell);
    }
  }

  /** Reads a range in steps through a window of its own, and compares every byte. */
  private void scan(MemoryGroup group, int from, int to, int step) throws IOException {
    try (SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
      window.enter(reader(group));
      scan(window, group, from, to, step);
    }
  }

  /**
   * Hadoop's client reads the rest of the stripe at once, and therefore every internal block once.
   */
  @Test
  void aScanPastDeadDataNodesRequestsEachByteOnce() throws Exception {
    // Some of the sources that are decoded for the seek are read again with the rest of the stripe.
    long jump = 5 * 66_048;
    for (int at = 70_000; at < 3 << 20; at += 300_000) {
      context = context("1h", 10_000);
      MemoryGroup group = new MemoryGroup(6, 3, 1 << 20, (4 << 20) + 200_000, true, 9);
      group.dead[2] = true;
      group.dead[4] = true;
      meetDead(group);
      scan(group, at, group.data.length, 65_600);
      Conditions.await("all readers to be closed", () -> group.openReaders.get() == 0);
      // Three data units and two parity units; the sixth data unit is zeros.
      boolean isJumpDecoded = group.dead[group.geometry.unitOf(at)];
      assertThat(group.asked.get())
          .as("from %d", at)
          .isLessThanOrEqualTo((5 << 20) + (isJumpDecoded ? jump : 512));
    }
  }

  @Test
  void aSequentialReaderRequestsEachByteOnce() throws Exception {
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(6, 3, 4096, 6 * 4096 * 100, true, 9);
    group.portion = 1000;
    try (SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
      window.enter(reader(group));
      byte[] all = new byte[group.data.length];
      for (int at = 100; at < all.length; at += 700) {
        byte[] part = readThrough(window, at, Math.min(all.length, at + 700));
        System.arraycopy(part, 0, all, at, part.length);
      }
      System.arraycopy(group.data, 0, all, 0, 100);
      assertThat(all).isEqualTo(group.data);
    }
    assertThat(group.asked.get()).isLessThanOrEqualTo(group.data.length + 20 * 512);
  }

  /** Hadoop's client opens one reader for each internal block, up to its end. */
  @Test
  void aSequentialReaderOpensFewReaders() throws Exception {
    for (int dead : new int[] {-1, 2}) {
      // Two segments may already be queued when the first meets the dead DataNode.
      int failed = dead < 0 ? 0 : 2;
      // A group that is hardly longer than the stripes that are fetched at once.
      assertThat(opensOfScan(1 << 20, 3, dead)).isLessThanOrEqualTo(6 + failed);
      assertThat(opensOfScan(1 << 20, 8, dead)).isLessThanOrEqualTo(2 * 6 + failed);
      assertThat(opensOfScan(64 << 10, 3, dead)).isLessThanOrEqualTo(6 + failed);
      assertThat(opensOfScan(64 << 10, 100, dead)).isLessThanOrEqualTo(5 * 6 + failed);
    }
  }

  private int opensOfScan(int cell, int stripes, int dead) throws IOException {
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(6, 3, cell, 6 * cell * stripes, true, 9);
    if (dead >= 0) {
      group.dead[dead] = true;
    }
    scan(group, 0, group.data.length, 64 << 10);
    return group.opens.get();
  }

  /** Readers that are opened for more than what is read make DataNodes read bytes for nothing. */
  @Test
  void aSequentialReaderThatStopsRequestsLittleMore() throws Exception {
    int stripe = 6 << 20;
    // The first stripe, and the one that is fetched ahead.
    assertThat(askedOf(1 << 20, 0, 4096)).isLessThanOrEqualTo(2 * stripe);
    assertThat(askedOf(64 << 10, 0, 4096)).isLessThanOrEqualTo(4 * (stripe / 16));
    // What is read, as much again, and what is fetched ahead.
    assertThat(askedOf(64 << 10, 1_000_000, 3 << 20)).isLessThanOrEqualTo(7L << 20);
    assertThat(askedOf(1 << 20, 12_800_000, 100_000)).isLessThanOrEqualTo(1L << 20);
  }

  private long askedOf(int cell, int from, int bytes) throws Exception {
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(6, 3, cell, 48 << 20, true, 9);
    scan(group, from, from + bytes, 4096);
    Conditions.await("all readers to be closed", () -> group.openReaders.get() == 0);
    return group.asked.get();
  }
}
