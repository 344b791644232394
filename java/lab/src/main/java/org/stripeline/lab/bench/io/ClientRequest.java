// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.ArrayList;
import java.util.List;

/** What a client is asked to do; one line of JSON. */
final class ClientRequest {
  /** What is done with the files. */
  enum Action {
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

  Action action;

  /** A file for each thread; its place in the list says which bytes it has. */
  List<String> paths = new ArrayList<>();

  /** Length of each file, or how much of each is read if that is less. */
  long bytes;

  /** Bytes of one read, for PREAD and RANDOM. */
  int readBytes;

  /** Reads of each thread, for RANDOM. */
  int reads;

  /** Where random positions come from. */
  long seed;

  /** Whether every byte that is read is compared, rather than a few of each page. */
  boolean everyByte;

  /** Whether the client must know nothing of the DataNodes: a file system of its own. */
  boolean fresh;

  /** Processes whose processor time is the servers'. */
  List<Long> servers = new ArrayList<>();
}
