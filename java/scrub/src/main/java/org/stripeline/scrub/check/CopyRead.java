// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Set;
import java.util.TreeSet;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.FingerprintRequest;

/** The fingerprints of consecutive windows of one replica, asked for in one or more calls. */
final class CopyRead {
  /** Windows with wrong checksums that are read again: if there are more, the disk is bad. */
  private static final int READ_AGAIN_MAX = 4;

  private final GroupAccess access;
  private final CheckSettings settings;
  private final String pool;
  private final Copy copy;
  private final long firstWindow;
  private final byte[][] fingerprints;
  private final Set<Long> badWindows = new TreeSet<>();
  private final Set<Long> readAgain = new TreeSet<>();
  private int done;
  private long modified;
  private boolean isChanged;
  private boolean isRepeatable;
  private Finding obstacle;

  /**
   * Prepares a read. Windows past the end of the replica have zeros, and are not asked for.
   *
   * @param windows number of windows
   */
  CopyRead(
      GroupAccess access,
      CheckSettings settings,
      String pool,
      Copy copy,
      long firstWindow,
      int windows) {
    this.access = access;
    this.settings = settings;
    this.pool = pool;
    this.copy = copy;
    this.firstWindow = firstWindow;
    fingerprints = new byte[windows][];
    for (int i = 0; i < windows; i++) {
      boolean isPastEnd = (firstWindow + i) * settings.windowBytes() >= copy.block.length;
      fingerprints[i] = isPastEnd ? new byte[settings.fingerprintBytes()] : null;
    }
  }

  /** Asks for the windows that are still missing, until all are there or something prevents it. */
  void run() throws InterruptedIOException {
    obstacle = null;
    try {
      while (obstacle == null && done < fingerprints.length && fingerprints[done] == null) {
        int end = done;
        while (end < fingerprints.length && fingerprints[end] == null) {
          end++;
        }
        take(access.fingerprint(copy.node, request(firstWindow + done, end - done)));
      }
      readBadAgain();
    } catch (InterruptedIOException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw e;
      }
      // A timeout of a socket is of this class too.
      obstacle(Finding.Kind.NOT_CHECKED, AgentException.reason(e), true);
    } catch (IOException e) {
      obstacle(Finding.Kind.NOT_CHECKED, AgentException.reason(e), isPassing(e));
    }
  }

  private FingerprintRequest request(long window, int count) {
    return new FingerprintRequest.Builder(pool, copy.block)
        .function(settings.seed(), settings.sums(), settings.windowBytes())
        .windows(window, count)
        .bytesPerSecond(settings.bytesPerSecond())
        .build();
  }

  /** Asks once more for windows with wrong checksums: memory or a bus may have been wrong. */
  private void readBadAgain() throws IOException {
    for (long window : new ArrayList<>(badWindows)) {
      if (readAgain.size() < READ_AGAIN_MAX && !readAgain.contains(window)) {
        BlockFingerprints again = access.fingerprint(copy.node, request(window, 1));
        readAgain.add(window);
        if (again.outcome == BlockFingerprints.Outcome.CHANGED) {
          isChanged = true;
        } else if (again.outcome == BlockFingerprints.Outcome.READ && again.badWindows.isEmpty()) {
          badWindows.remove(window);
          fingerprints[(int) (window - firstWindow)] = again.fingerprints()[0];
        }
      }
    }
  }

  /** Returns whether an exception may be gone when the replica is asked for again. */
  private static boolean isPassing(IOException e) {
    if (!(e instanceof AgentException)) {
      return !(e instanceof NotAskedException);
    }
    switch (((AgentException) e).kind()) {
      case NO_AGENT:
      case UNSUPPORTED:
      case DENIED:
      case BAD_REQUEST:
        return false;
      default:
        return true;
    }
  }

  private void take(BlockFingerprints answer) {
    byte[][] read = answer.fingerprints();
    System.arraycopy(read, 0, fingerprints, done, read.length);
    done += read.length;
    modified = answer.modified;
    badWindows.addAll(answer.badWindows);
    switch (answer.outcome) {
      case READ:
        return;
      case ABSENT:
        obstacle(Finding.Kind.ABSENT, "the DataNode has no replica of it", true);
        return;
      case UNFINISHED:
        obstacle(Finding.Kind.NOT_CHECKED, "it is being written or recovered", true);
        return;
      case DIFFERENT:
        differs(answer);
        return;
      case UNFITTING:
        String unfitting =
            "its checksums cover " + answer.bytesPerChecksum + " bytes each, and a window of ";
        obstacle(
            Finding.Kind.NOT_CHECKED,
            unfitting + settings.windowBytes() + " bytes is no multiple of that",
            false);
        return;
      case CHANGED:
        isChanged = true;
        obstacle(Finding.Kind.NOT_CHECKED, "it changed while it was read", true);
        return;
      case UNREADABLE:
        obstacle(Finding.Kind.UNREADABLE, answer.message, true);
        return;
    }
  }

  private void differs(BlockFingerprints answer) {
    if (answer.generationStamp != copy.block.generationStamp) {
      String stamp = "its generation stamp is " + answer.generationStamp + ", the group's is ";
      obstacle(Finding.Kind.WRONG_GENERATION_STAMP, stamp + copy.block.generationStamp, true);
    } else {
      String length = "its length is " + answer.length + " bytes, the file requires ";
      obstacle(Finding.Kind.WRONG_LENGTH, length + copy.block.length, true);
    }
  }

  private void obstacle(Finding.Kind kind, String text, boolean mayPass) {
    obstacle = Finding.ofCopy(kind, copy, text);
    isRepeatable = mayPass;
  }

  Copy copy() {
    return copy;
  }

  /** Returns when the file of the replica was last modified, in ms since 1970; 0 if unknown. */
  long modified() {
    return modified;
  }

  /** Returns whether asking again may give more. */
  boolean isRepeatable() {
    return obstacle != null && isRepeatable;
  }

  /** Returns whether the replica was replaced: what was read of it before may not be its bytes. */
  boolean isChanged() {
    return isChanged;
  }

  /** Returns what prevents reading the next window, or null. */
  Finding obstacle() {
    return obstacle;
  }

  /** Returns the first window that was not read. */
  long nextWindow() {
    return firstWindow + done;
  }

  /** Returns the fingerprint of a window, or null if it was not read. */
  byte[] fingerprint(long window) {
    return fingerprints[(int) (window - firstWindow)];
  }

  /** Returns whether chunks of a window have wrong checksums. */
  boolean isBad(long window) {
    return badWindows.contains(window);
  }

  Set<Long> badWindows() {
    return badWindows;
  }

  /** Returns the bytes that were read. */
  long bytes() {
    long first = Math.min(copy.block.length, firstWindow * settings.windowBytes());
    long end = Math.min(copy.block.length, (firstWindow + done) * settings.windowBytes());
    return end - first;
  }
}
