// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCounters;
import org.stripeline.testkit.Conditions;

/** What tests of the pipeline with block groups in memory share. */
abstract class ReadPipelineCase {
  /** The content of a buffer that the caller has taken back, used to detect later writes. */
  private static final byte OWNERS_BYTE = 0x5a;

  private final List<byte[]> handedBack = new ArrayList<>();

  ReadContext context;
  long buffersBefore;

  @BeforeEach
  void remember() {
    context = context("0", 5);
    buffersBefore = ReadContext.usedBufferBytes();
  }

  @AfterEach
  void allBuffersAreBack() {
    Conditions.await("buffers to be back", () -> ReadContext.usedBufferBytes() == buffersBefore);
  }

  static ReadContext context(String suspectPeriod, int hedgeMin) {
    Configuration conf = new Configuration(false);
    conf.set(ClientKeys.HEDGE_MIN, hedgeMin + "ms");
    conf.set(ClientKeys.HEDGE_MAX, 4 * hedgeMin + "ms");
    conf.set(ClientKeys.SUSPECT_PERIOD, suspectPeriod);
    conf.set(ClientKeys.READ_WINDOW, "200000");
    return new ReadContext(conf);
  }

  GroupReader reader(MemoryGroup group) {
    return reader(group, group.geometry.groupBytes(), false);
  }

  /** Returns a reader that knows the first {@code known} bytes of a group. */
  GroupReader reader(MemoryGroup group, long known, boolean isOpen) {
    GroupGeometry geometry = group.geometry;
    return new GroupReader(
        context,
        new GroupKnowledge(
            group,
            geometry.dataUnits(),
            geometry.units() - geometry.dataUnits(),
            geometry.cellBytes(),
            known,
            isOpen,
            context.ticker()),
        new ReadCounters(ReadContext.counters()));
  }

  byte[] readRange(MemoryGroup group, int from, int to) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(to - from);
    try (GroupReader reader = reader(group)) {
      new RangeRead(reader, MemoryGroup.UNCOUNTED).read(from, to, to, target);
      assertThat(target.hasRemaining()).isFalse();
      return target.array().clone();
    } finally {
      Arrays.fill(target.array(), OWNERS_BYTE);
      handedBack.add(target.array());
    }
  }

  /** Reads a range through a window, {@code step} bytes at a time, and checks the bytes. */
  static void scan(SequentialWindow window, MemoryGroup group, int from, int to, int step)
      throws IOException {
    for (int at = from; at < to; at += step) {
      int next = Math.min(to, at + step);
      assertThat(MemoryGroup.readThrough(window, at, next))
          .isEqualTo(Arrays.copyOfRange(group.data, at, next));
    }
  }

  void assertThatNothingWasPutAfterwards(String of) {
    for (byte[] buffer : handedBack) {
      for (byte at : buffer) {
        if (at != OWNERS_BYTE) {
          throw new AssertionError(of + ": a read that was over has put bytes");
        }
      }
    }
    handedBack.clear();
  }
}
