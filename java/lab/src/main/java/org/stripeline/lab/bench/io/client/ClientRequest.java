// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io.client;

import java.util.ArrayList;
import java.util.List;

/** What a client is asked to do; one line of JSON. */
public final class ClientRequest {
  /** What is done with the files. */
  public enum Action {
    /** Creates, fills and closes each file. */
    WRITE,
    /** Reads each file from one end to the other through the stream's own position. */
    READ,
    /** The same in large reads that name their position. */
    PREAD,
    /** Reads small pieces at random positions of each file, one after the other. */
    RANDOM,
    /** Reads each file through Hadoop's own stream and compares every byte; not timed. */
    VERIFY
  }

  public Action action;

  /** A file for each thread; its place in the list says which bytes it has. */
  public List<String> paths = new ArrayList<>();

  /** Length of each file, or how much of each is read if that is less. */
  public long bytes;

  /** Bytes of one read, for PREAD and RANDOM. */
  public int readBytes;

  /** Reads of each thread, for RANDOM. */
  public int reads;

  /** Where random positions come from. */
  public long seed;

  /** Whether every byte that is read is compared, rather than a few of each page. */
  public boolean everyByte;

  /** Whether the client must know nothing of the DataNodes: a file system of its own. */
  public boolean fresh;

  /** Processes whose processor time is the servers'. */
  public List<Long> servers = new ArrayList<>();
}
