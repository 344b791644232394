// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io.client;

import java.util.ArrayList;
import java.util.List;

/** A request to a client; one line of JSON. */
public final class ClientRequest {
  /** The action on the files. */
  public enum Action {
    /** Creates, fills and closes each file. */
    WRITE,
    /** Reads each file sequentially through the stream. */
    READ,
    /** Reads each file sequentially in large positional reads. */
    PREAD,
    /** Reads small ranges at random positions of each file, one after the other. */
    RANDOM,
    /** Creates each file, and writes records to it, each followed by hflush. */
    SYNC,
    /** Creates each file again and again, writes a piece, calls hflush and closes it. */
    FIRST_SYNC;

    /** Returns whether the action creates the files. */
    public boolean writes() {
      return this == WRITE || this == SYNC || this == FIRST_SYNC;
    }
  }

  public Action action;

  /** One file per thread; its index in the list determines its bytes. */
  public List<String> paths = new ArrayList<>();

  /** Length of each file, or the number of bytes to read from each if that is less. */
  public long bytes;

  /** Bytes of one read for PREAD and RANDOM, of one write for SYNC and FIRST_SYNC. */
  public int pieceBytes;

  /** Reads of each thread for RANDOM, writes for SYNC, files for FIRST_SYNC. */
  public int pieces;

  /** Seed of the random positions. */
  public long seed;

  /** Whether every byte that is read is compared, instead of a few bytes per page. */
  public boolean everyByte;

  /** Whether to use a new file system, without knowledge of failed DataNodes. */
  public boolean fresh;

  /** Processes whose processor time counts as that of the servers. */
  public List<Long> servers = new ArrayList<>();
}
