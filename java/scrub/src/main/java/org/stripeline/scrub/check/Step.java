// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** The same windows of all replicas of a group, read at the same time. */
final class Step {
  private final GroupAccess access;
  private final GroupLocations group;
  private final ExecutorService threads;
  private final List<CopyRead> reads = new ArrayList<>();

  Step(
      GroupAccess access,
      CheckSettings settings,
      ExecutorService threads,
      GroupLocations group,
      Collection<Copy> copies,
      long firstWindow,
      int windows) {
    this.access = access;
    this.group = group;
    this.threads = threads;
    for (Copy copy : copies) {
      reads.add(new CopyRead(access, settings, group.pool(), copy, firstWindow, windows));
    }
  }

  /**
   * Asks all replicas, and those that cannot be read several times, each time after comparing the
   * locations with the NameNode's.
   *
   * @return false if the group or its locations have changed, so that nothing can be concluded
   */
  boolean run() throws IOException {
    List<CopyRead> open = reads;
    for (int repeat = 0; ; repeat++) {
      runAll(open);
      List<CopyRead> again = new ArrayList<>();
      for (CopyRead read : open) {
        if (read.isChanged()) {
          return false;
        }
        if (read.isRepeatable()) {
          again.add(read);
        }
      }
      if (again.isEmpty()) {
        return true;
      }
      GroupLocations now = access.locate();
      if (now == null || !now.isSame(group)) {
        return false;
      }
      if (repeat == CheckSettings.REPEATS) {
        return true;
      }
      access.pause(repeat + 1);
      open = again;
    }
  }

  private void runAll(List<CopyRead> open) throws IOException {
    List<Callable<Void>> calls = new ArrayList<>();
    for (CopyRead read : open) {
      calls.add(
          () -> {
            read.run();
            return null;
          });
    }
    try {
      for (Future<Void> call : threads.invokeAll(calls)) {
        call.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot check group " + group + ": interrupted");
    } catch (ExecutionException e) {
      throw new IOException("Cannot check group " + group + ": " + e.getCause(), e.getCause());
    }
  }

  List<CopyRead> reads() {
    return reads;
  }

  /** Returns the fingerprints of a window, of all replicas that were read. */
  Map<Copy, byte[]> values(long window) {
    Map<Copy, byte[]> values = new LinkedHashMap<>();
    for (CopyRead read : reads) {
      byte[] fingerprint = read.fingerprint(window);
      if (fingerprint != null) {
        values.put(read.copy(), fingerprint);
      }
    }
    return values;
  }

  /** Returns the replicas that have wrong checksums in a window. */
  Set<Copy> suspects(long window) {
    Set<Copy> suspects = new LinkedHashSet<>();
    for (CopyRead read : reads) {
      if (read.isBad(window)) {
        suspects.add(read.copy());
      }
    }
    return suspects;
  }
}
