// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hdfs.StripedCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;

/** Causes the faults of a case, and determines which reads may fail. */
final class Saboteur implements AutoCloseable {
  private static final int CHECKSUM_HEADER_BYTES = 7;
  private static final int CHECKSUM_BYTES = 4;
  private static final int CHUNK_BYTES = 512;

  private final FuzzWorld world;
  private final FuzzPolicy fuzzPolicy;
  private final List<LocatedStripedBlock> groups;
  private final List<Set<Integer>> struck = new ArrayList<>();
  private final List<Fault> faults = new ArrayList<>();
  private final List<Thread> stoppers = new ArrayList<>();

  Saboteur(FuzzWorld world, FuzzCase fuzz, List<LocatedStripedBlock> groups) {
    this.world = world;
    this.fuzzPolicy = fuzz.fuzzPolicy();
    this.groups = groups;
    groups.forEach(group -> struck.add(new HashSet<>()));
    for (Fault fault : fuzz.faults()) {
      plan(fault);
    }
  }

  /**
   * Adds a fault. A DataNode holds internal blocks of several groups, so a fault of the DataNode
   * may be too much for a group that must stay readable; then only the one block gets a fault.
   */
  private void plan(Fault fault) {
    if (fault.group() >= groups.size()
        || StripedCluster.location(groups.get(fault.group()), fault.unit()) == null) {
      return;
    }
    Fault taken = fault;
    if (fault.kind().ofNode() && !bearable(fault)) {
      Fault.Kind kind =
          fault.kind() == Fault.Kind.STOP_NODE ? Fault.Kind.DELETE_BOTH : Fault.Kind.HANG;
      taken = fault.as(kind);
    }
    faults.add(taken);
    if (taken.kind().ofNode()) {
      for (int group = 0; group < groups.size(); group++) {
        int unit = unitOn(group, node(taken));
        if (unit >= 0) {
          struck.get(group).add(unit);
        }
      }
    } else if (!taken.kind().isHarmless()) {
      struck.get(taken.group()).add(taken.unit());
    }
  }

  private boolean bearable(Fault fault) {
    for (int group = 0; group < groups.size(); group++) {
      int unit = unitOn(group, node(fault));
      // Faults that are added later may affect the same group, so a side effect must not use up its
      // parity.
      if (group != fault.group() && unit >= 0 && !struck.get(group).contains(unit)) {
        return false;
      }
    }
    return true;
  }

  private DatanodeInfo node(Fault fault) {
    return StripedCluster.location(groups.get(fault.group()), fault.unit());
  }

  private int unitOn(int group, DatanodeInfo node) {
    LocatedStripedBlock block = groups.get(group);
    for (int i = 0; i < block.getLocations().length; i++) {
      if (block.getLocations()[i].getDatanodeUuid().equals(node.getDatanodeUuid())) {
        return block.getBlockIndices()[i];
      }
    }
    return -1;
  }

  /** Returns whether a read of these bytes may fail. */
  boolean mayFail(long from, long to) {
    for (int i = 0; i < groups.size(); i++) {
      long start = groups.get(i).getStartOffset();
      long end = start + groups.get(i).getBlockSize();
      if (from < end && to > start && struck.get(i).size() > fuzzPolicy.parityUnits()) {
        return true;
      }
    }
    return false;
  }

  /** Returns the faults that are caused, which may be fewer than those of the case. */
  List<Fault> faults() {
    return faults;
  }

  /** Causes the faults that are due before the file is opened, and sets taps for the later ones. */
  void beforeOpen() throws IOException {
    for (Fault fault : faults) {
      if (fault.kind().ofStream() || fault.when() == Fault.Moment.WHEN_READ) {
        world.taps().watch();
      }
    }
    for (Fault fault : faults) {
      switch (fault.when()) {
        case BEFORE_OPEN:
          strike(fault);
          break;
        case WHEN_READ:
          setTrap(fault);
          break;
        default:
      }
    }
  }

  /** Causes the faults that are due before a step. */
  void beforeStep(int step) throws IOException {
    for (Fault fault : faults) {
      if (fault.when() == Fault.Moment.BEFORE_STEP && fault.step() == step) {
        strike(fault);
      }
    }
  }

  private void setTrap(Fault fault) throws IOException {
    if (fault.kind().ofStream() && !fault.kind().ofNode()) {
      strike(fault);
      return;
    }
    long trigger = (long) (blockFile(fault).length() * fault.where() / 2);
    AtomicBoolean sprung = new AtomicBoolean();
    world
        .taps()
        .set(
            blockId(fault),
            (position, length) -> {
              if (position + length <= trigger || !sprung.compareAndSet(false, true)) {
                return;
              }
              if (fault.kind() == Fault.Kind.STOP_NODE) {
                stopLater(fault); // A DataNode that is being stopped waits for this thread.
              } else {
                strike(fault);
              }
              if (fault.kind() == Fault.Kind.HANG_NODE) {
                world.taps().hang();
              }
            });
  }

  private void stopLater(Fault fault) {
    Thread thread = new Thread(() -> world.stop(node(fault)), "fuzz-stop-datanode");
    synchronized (stoppers) {
      stoppers.add(thread);
    }
    thread.start();
  }

  private void strike(Fault fault) throws IOException {
    File data = blockFile(fault);
    File checksums = world.cluster().metaFile(groups.get(fault.group()), fault.unit());
    long from = (long) (data.length() * fault.where());
    switch (fault.kind()) {
      case FLIP_DATA:
        flip(data, 0, data.length(), fault);
        break;
      case FLIP_CHECKSUM:
        flip(checksums, CHECKSUM_HEADER_BYTES, checksums.length(), fault);
        break;
      case FLIP_HEADER:
        flip(checksums, 0, CHECKSUM_HEADER_BYTES, fault);
        break;
      case TRUNCATE_DATA:
        truncate(data, fault);
        break;
      case TRUNCATE_CHECKSUMS:
        truncate(checksums, fault);
        break;
      case TRUNCATE_BOTH:
        cutBoth(data, checksums, from / CHUNK_BYTES);
        break;
      case OTHER_CHECKSUMS:
        exchange(checksums, fault);
        break;
      case DELETE_DATA:
        Files.delete(data.toPath());
        break;
      case DELETE_BOTH:
        Files.delete(data.toPath());
        Files.delete(checksums.toPath());
        break;
      case FAIL:
        world
            .taps()
            .set(
                blockId(fault),
                (position, length) -> {
                  if (position + length > from) {
                    throw new IOException("disk of the test fails");
                  }
                });
        break;
      case HANG:
        world
            .taps()
            .set(
                blockId(fault),
                (position, length) -> {
                  if (position + length > from) {
                    world.taps().hang();
                  }
                });
        break;
      case SLOW:
        long millis = 1 + (long) (fault.where() * 20);
        world.taps().set(blockId(fault), (position, length) -> world.taps().delay(millis));
        break;
      case HANG_NODE:
        world.taps().hangNode(node(fault).getDatanodeUuid());
        break;
      case STOP_NODE:
        world.stop(node(fault));
        break;
      default:
        throw new AssertionError(fault.kind());
    }
  }

  private static void flip(File file, long from, long to, Fault fault) throws IOException {
    if (from < to) {
      long position = from + (long) ((to - from) * fault.where());
      StripedCluster.flip(file, position, (int) (fault.where() * 8_000) % 8);
    }
  }

  private static void truncate(File file, Fault fault) throws IOException {
    cut(file, (long) (file.length() * fault.where()));
  }

  private static void cut(File file, long length) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
      open.setLength(length);
    }
  }

  private static void cutBoth(File data, File checksums, long chunks) throws IOException {
    cut(checksums, CHECKSUM_HEADER_BYTES + chunks * CHECKSUM_BYTES);
    cut(data, chunks * CHUNK_BYTES);
  }

  /** Overwrites a checksum file with that of the first other unit that still has one. */
  private void exchange(File checksums, Fault fault) throws IOException {
    LocatedStripedBlock group = groups.get(fault.group());
    for (int unit = 0; unit < fuzzPolicy.dataUnits() + fuzzPolicy.parityUnits(); unit++) {
      if (unit != fault.unit() && StripedCluster.location(group, unit) != null) {
        try {
          Files.copy(
              world.cluster().metaFile(group, unit).toPath(),
              checksums.toPath(),
              StandardCopyOption.REPLACE_EXISTING);
          return;
        } catch (FileNotFoundException isDeleted) {
          // The next one, then.
        }
      }
    }
    truncate(checksums, fault);
  }

  private File blockFile(Fault fault) throws IOException {
    return world.cluster().blockFile(groups.get(fault.group()), fault.unit());
  }

  private long blockId(Fault fault) {
    return groups.get(fault.group()).getBlock().getBlockId() + fault.unit();
  }

  /** Waits until no more faults are being caused. */
  @Override
  public void close() throws Exception {
    world.taps().clear();
    synchronized (stoppers) {
      for (Thread thread : stoppers) {
        thread.join();
      }
    }
  }
}
