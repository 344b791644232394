// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;

/** What an agent found when it read windows of a replica for a {@link FingerprintRequest}. */
public final class BlockFingerprints {
  /** Maximum number of {@link #badChunks}; {@link #badChunkCount} has no limit. */
  public static final int BAD_CHUNKS_MAX = 1000;

  /** What became of the reading. The names are part of the protocol and never change. */
  public enum Outcome {
    /** The windows were read. There may be fewer than requested: the caller asks for the rest. */
    READ,
    /** The DataNode has no replica of the block. */
    ABSENT,
    /** The replica is not finalized: it is being written, or recovered. */
    UNFINISHED,
    /** The replica has another generation stamp or length; both are in the answer. */
    DIFFERENT,
    /**
     * The window is no multiple of the replica's bytes per checksum, which are in the answer: the
     * caller chooses another, unless the number shows that the checksum file is damaged.
     */
    UNFITTING,
    /** The replica was deleted or changed while it was read; there are no fingerprints. */
    CHANGED,
    /**
     * The window after those in the answer cannot be read: an error of the disk, a file that is
     * missing or too short, or an unusable checksum file.
     */
    UNREADABLE
  }

  /** The outcome. */
  public final Outcome outcome;

  /** What happened, for people; empty if the outcome is {@link Outcome#READ}. */
  public final String message;

  /** The replica's generation stamp; 0 if there is no replica. */
  public final long generationStamp;

  /** The length of the replica's file, or of the replica if it is not finalized. */
  public final long length;

  /**
   * When the replica's file was last modified, in milliseconds since 1970; 0 if there is no file,
   * or from an agent that does not say it.
   */
  public final long modified;

  /** Number of windows that have fingerprints, from the first one requested on. */
  public final int windows;

  /** The replica's checksum type, a name of Hadoop's {@code DataChecksum.Type}; empty if unread. */
  public final String checksumType;

  /** Bytes that each checksum covers; 0 if unread. */
  public final int bytesPerChecksum;

  /** The windows, by their numbers in the block, that have chunks with wrong checksums. */
  public final List<Long> badWindows;

  /** The offsets in the block of the first {@link #BAD_CHUNKS_MAX} chunks with wrong checksums. */
  public final List<Long> badChunks;

  /** Number of chunks with wrong checksums. */
  public final long badChunkCount;

  /** Whether the bytes were read through the page cache, because they could not be otherwise. */
  public final boolean cached;

  /** The fingerprints, one after another, in Base64. */
  private final String fingerprints;

  private BlockFingerprints(Builder builder, Outcome outcome, String message) {
    this.outcome = outcome;
    this.message = message;
    boolean isKept = outcome != Outcome.CHANGED;
    generationStamp = builder.generationStamp;
    length = builder.length;
    modified = builder.modified;
    checksumType = builder.checksumType;
    bytesPerChecksum = builder.bytesPerChecksum;
    cached = builder.cached;
    windows = isKept ? builder.windows : 0;
    badWindows = isKept ? builder.badWindows : Collections.emptyList();
    badChunks = isKept ? builder.badChunks : Collections.emptyList();
    badChunkCount = isKept ? builder.badChunkCount : 0;
    byte[] used = Arrays.copyOf(builder.bytes, windows * builder.fingerprintBytes);
    fingerprints = Base64.getEncoder().encodeToString(used);
  }

  /** Returns the fingerprints of all {@link #windows}, in order. */
  public byte[][] fingerprints() {
    byte[] all = Base64.getDecoder().decode(fingerprints);
    byte[][] each = new byte[windows][];
    int size = windows == 0 ? 0 : all.length / windows;
    for (int i = 0; i < windows; i++) {
      each[i] = Arrays.copyOfRange(all, i * size, (i + 1) * size);
    }
    return each;
  }

  /** Returns whether this can be the answer to a request; an agent of another version may err. */
  boolean answers(FingerprintRequest request) {
    return outcome != null
        && message != null
        && checksumType != null
        && badWindows != null
        && badChunks != null
        && windows >= 0
        && windows <= request.windows
        && (outcome != Outcome.READ || windows > 0)
        && areWithin(badWindows, request.firstWindow, windows)
        && fingerprints != null
        && hasBytes(windows * request.sums * 64);
  }

  private static boolean areWithin(List<Long> numbers, long first, int count) {
    return numbers.stream()
        .allMatch(number -> number != null && number >= first && number - first < count);
  }

  private boolean hasBytes(int count) {
    try {
      return Base64.getDecoder().decode(fingerprints).length == count;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Collects what an agent finds. */
  public static final class Builder {
    private final int fingerprintBytes;
    private final byte[] bytes;
    private long generationStamp;
    private long length;
    private long modified;
    private int windows;
    private String checksumType = "";
    private int bytesPerChecksum;
    private final List<Long> badWindows = new ArrayList<>();
    private final List<Long> badChunks = new ArrayList<>();
    private long badChunkCount;
    private boolean cached;

    /** Begins the answer to a request that has been checked. */
    public Builder(FingerprintRequest request) {
      fingerprintBytes = request.sums * 64;
      bytes = new byte[request.windows * fingerprintBytes];
    }

    /** Sets the replica that was found. */
    public void replica(long stamp, long bytesOfReplica) {
      generationStamp = stamp;
      length = bytesOfReplica;
    }

    /** Sets when the replica's file was last modified, in milliseconds since 1970. */
    public void modified(long millis) {
      modified = millis;
    }

    /** Sets the checksums of the replica. */
    public void checksums(String type, int bytesEach) {
      checksumType = type;
      bytesPerChecksum = bytesEach;
    }

    /** Adds a chunk with a wrong checksum; chunks come in the order of their offsets. */
    public void badChunk(long window, long offset) {
      if (badWindows.isEmpty() || badWindows.get(badWindows.size() - 1) != window) {
        badWindows.add(window);
      }
      if (badChunks.size() < BAD_CHUNKS_MAX) {
        badChunks.add(offset);
      }
      badChunkCount++;
    }

    /** Adds the fingerprint of the next window. */
    public void fingerprint(byte[] fingerprint) {
      System.arraycopy(fingerprint, 0, bytes, windows * fingerprintBytes, fingerprintBytes);
      windows++;
    }

    /** Sets that bytes were read through the page cache. */
    public void cached() {
      cached = true;
    }

    /** Returns the number of windows added. */
    public int windows() {
      return windows;
    }

    /** Returns the number of chunks with wrong checksums. */
    public long badChunkCount() {
      return badChunkCount;
    }

    /** Returns the answer; with {@link Outcome#CHANGED} it has neither windows nor bad chunks. */
    public BlockFingerprints end(Outcome outcome, String message) {
      return new BlockFingerprints(this, outcome, message);
    }
  }
}
