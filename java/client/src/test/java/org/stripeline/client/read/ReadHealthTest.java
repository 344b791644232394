// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.client.read.MemoryGroup.readThrough;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.testkit.Conditions;

/**
 * Tests which DataNodes, disks and blocks reads avoid, and when they are asked again, with block
 * groups in memory.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ReadHealthTest extends ReadPipelineCase {
  @Test
  void aHungDataNodeDelaysOnlyOneRead() throws IOException {
    // Long enough that on a busy machine no healthy unit is treated as hung.
    context = context("1h", 500);
    MemoryGroup group = new MemoryGroup(6, 3, 4096, 6 * 4096 * 20, true, 5);
    group.hung[2] = true;
    assertThat(readRange(group, 0, group.data.length)).isEqualTo(group.data);
    assertThat(group.opensOfUnit.get(2)).isPositive();
    int before = group.opensOfUnit.get(2);
    assertThat(readRange(group, 0, group.data.length)).isEqualTo(group.data);
    assertThat(group.opensOfUnit.get(2)).isEqualTo(before);
    group.released.countDown();
    Conditions.await("all readers to be closed", () -> group.openReaders.get() == 0);
    assertThatNothingWasPutAfterwards("what hangs");
  }

  /** Concurrent streams, each with its own group on the same nine DataNodes, one of which hangs. */
  @Test
  void oneHungDataNodeCostsEachStreamOneWaitAtMost() throws Exception {
    context = context("1h", 200);
    int streams = 100;
    List<MemoryGroup> groups = new ArrayList<>();
    List<FutureTask<byte[]>> reads = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      MemoryGroup group = new MemoryGroup(6, 3, 1024, 6 * 1024 * 40, true, i);
      group.hung[4] = true;
      groups.add(group);
      reads.add(
          new FutureTask<>(
              () -> {
                try (SequentialWindow window =
                    new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
                  window.enter(reader(group));
                  return readThrough(window, 0, group.data.length);
                }
              }));
    }

    for (FutureTask<byte[]> read : reads) {
      new Thread(read, "stream").start();
    }

    for (int i = 0; i < streams; i++) {
      assertThat(reads.get(i).get()).isEqualTo(groups.get(i).data);
    }
    // The first stream to detect the hang marks the DataNode for all; no stream asks it again.
    for (MemoryGroup group : groups) {
      assertThat(group.opensOfUnit.get(4)).isLessThanOrEqualTo(1);
    }
    // One read waits for the DataNode, to find out whether it hangs; the others have ended.
    Conditions.await("hung reads to end", () -> hanging(groups) <= 1);
    for (MemoryGroup group : groups) {
      group.released.countDown();
    }
    Conditions.await(
        "all readers to be closed",
        () -> groups.stream().allMatch(group -> group.openReaders.get() == 0));
  }

  /** Reads of other disks succeed all the time, which keeps the DataNode healthy. */
  @Test
  void aHungDiskOfAHealthyDataNodeCostsOneWait() throws Exception {
    context = context("1h", 500);
    int stripe = 6 * 4096;
    MemoryGroup hung = new MemoryGroup(6, 3, 4096, stripe * 20, true, 5);
    MemoryGroup sameDisk = new MemoryGroup(6, 3, 4096, stripe, true, 6);
    MemoryGroup otherDisk = new MemoryGroup(6, 3, 4096, stripe, true, 7);
    hung.hung[2] = true;
    sameDisk.hung[2] = true;
    otherDisk.disk = "disk 1";
    sameDisk.name = "/memory, block group 2";
    otherDisk.name = "/memory, block group 3";
    for (int at = 0; at < hung.data.length; at += stripe) {
      assertThat(readRange(hung, at, at + stripe))
          .isEqualTo(Arrays.copyOfRange(hung.data, at, at + stripe));
      // A pending read of another disk ends.
      context.health().markHealthy("node2");
      assertThat(readRange(otherDisk, 0, stripe)).isEqualTo(otherDisk.data);
      assertThat(readRange(sameDisk, 0, stripe)).isEqualTo(sameDisk.data);
    }
    assertThat(hung.opensOfUnit.get(2)).isEqualTo(1);
    assertThat(sameDisk.opensOfUnit.get(2)).isZero();
    assertThat(otherDisk.opensOfUnit.get(2)).isEqualTo(20);
    hung.released.countDown();
    Conditions.await("all readers to be closed", () -> hung.openReaders.get() == 0);
    assertThat(context.health().isSuspect("node2, storage disk 0 of node2")).isFalse();
    assertThatNothingWasPutAfterwards("a hung disk");
  }

  /** A disk may serve all blocks except one that it cannot read. */
  @Test
  void aBlockThatHangsCostsOneWaitThoughItsDiskServesOthers() throws Exception {
    context = context("1h", 500);
    int stripe = 6 * 4096;
    MemoryGroup hung = new MemoryGroup(6, 3, 4096, stripe * 20, true, 5);
    hung.hung[2] = true;
    Replica other = new Replica("node2", hung.storage(2), "2 of another group");
    for (int at = 0; at < hung.data.length; at += stripe) {
      assertThat(readRange(hung, at, at + stripe))
          .isEqualTo(Arrays.copyOfRange(hung.data, at, at + stripe));
      other.markHealthy(context.health());
    }
    assertThat(hung.opensOfUnit.get(2)).isEqualTo(1);
    hung.released.countDown();
    Conditions.await("all readers to be closed", () -> hung.openReaders.get() == 0);
    assertThatNothingWasPutAfterwards("a hung block");
  }

  private static long hanging(List<MemoryGroup> groups) {
    return groups.stream().filter(group -> group.openReaders.get() > 0).count();
  }

  /** A late read may end just before it is cancelled. */
  @Test
  void aFinishedReadReleasesItsResources() throws Exception {
    MemoryGroup group = new MemoryGroup(2, 1, 1024, 4096, true, 7);
    try (GroupReader reader = reader(group);
        Segment segment = reader.fetchAgain(0, 1024, null)) {
      segment.await();
      SpanRead ended = new SpanRead(segment, 0, new Span(0, 1024), 1024, null, null);
      ended.late = true;
      ended.lane = new Lane(group, 0, context);
      reader.cancel(ended);
      SpanRead other = new SpanRead(segment, 0, new Span(0, 1024), 1024, null, null);
      assertThat(context.health().mayLinger("node0", other)).isTrue();
    }
  }

  @Test
  void aCorruptUnitIsReadAgainFromAnotherDataNode() throws Exception {
    context = context("1h", 100);
    MemoryGroup group = new MemoryGroup(6, 3, 4096, 6 * 4096 * 4, true, 5);
    group.flips[1].add(77L);
    try (GroupReader reader = reader(group)) {
      new RangeRead(reader, MemoryGroup.UNCOUNTED)
          .read(4096, 8192, 8192, ByteBuffer.allocate(4096));
      assertThat(reader.standing(1)).isEqualTo(GroupKnowledge.Standing.FAULTY);
      group.flips[1].clear();
      group.place = ":2";
      int before = group.opensOfUnit.get(1);
      new RangeRead(reader, MemoryGroup.UNCOUNTED)
          .read(4096, 8192, 8192, ByteBuffer.allocate(4096));
      assertThat(group.opensOfUnit.get(1)).isEqualTo(before + 1);
    }
  }

  @Test
  void aLateReadCountsForTheDataNodeThatItWasSentTo() throws Exception {
    context = context("1h", 100);
    MemoryGroup group = new MemoryGroup(6, 3, 4096, 6 * 4096 * 4, true, 5);
    group.hung[2] = true;
    assertThat(readRange(group, 0, group.data.length)).isEqualTo(group.data);
    group.place = ":2";
    context.health().markSuspect("node2:2", "test");
    group.released.countDown();
    Conditions.await("the DataNode to be trusted", () -> !context.health().isSuspect("node2"));
    assertThat(context.health().isSuspect("node2:2")).isTrue();
  }
}
