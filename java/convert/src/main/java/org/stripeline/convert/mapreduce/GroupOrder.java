// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The work of a map on one block group. Stored as JSON in the map's split. */
final class GroupOrder {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  /** Number of the order in its MapReduce job. */
  int number;

  /** Number of the map that executes the order, in its MapReduce job. */
  int map;

  /** Whether the map executes other orders as well. */
  boolean isShared;

  /** Whether no map may execute the order with others, because one that did so failed. */
  boolean isAlone;

  /** Directory for the files that the maps of the file write for the driver. */
  final String directory;

  /** Index of the group in its file. */
  final int group;

  /** The group's core rack. */
  final String rack;

  /** Preferred hosts in that rack, the best first. */
  final List<String> hosts;

  /** Path of the pause file; while it exists, maps do not begin. */
  String pause;

  /** Maximum bytes per second that the map may move; 0 for no limit. */
  long bytesPerSecond;

  Copy copy;

  /** A range of bytes, one group, that is copied to a separate file. */
  static final class Copy {
    /** Path of the file to read. */
    String source;

    /** Whether the source's stripes are too wide to be read as a stream. */
    boolean readsByPosition;

    /** Offset of the first byte. */
    long offset;

    /** Number of bytes to copy. */
    long length;

    /** Name of the part's erasure coding policy, or null for replication. */
    String policy;

    /** Replicas of each block if there is no policy. */
    int replication;

    long blockBytes;

    /** Name of the checksum type. */
    String checksums;

    int bytesPerChecksum;

    /** Name of the part's storage policy. */
    String storagePolicy;
  }

  GroupOrder(String directory, int group, String rack, List<String> hosts) {
    this.directory = directory;
    this.group = group;
    this.rack = rack;
    this.hosts = Collections.unmodifiableList(new ArrayList<>(hosts));
  }

  static GroupOrder parse(String json) {
    return GSON.fromJson(json, GroupOrder.class);
  }

  String toJson() {
    return GSON.toJson(this);
  }
}
