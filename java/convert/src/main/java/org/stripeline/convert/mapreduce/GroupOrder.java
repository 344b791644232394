// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.EncodeRequest;

/** What one map does: the work of one block group. It travels as JSON in the map's split. */
public final class GroupOrder {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  /** Number within its job. */
  int number;

  /** Directory of what the maps of the file leave for its driver. */
  final String directory;

  /** Index of the group in its file. */
  final int group;

  /** Hosts where it is best done, the best first. */
  final List<String> hosts;

  /** While this file is there, nothing is begun. */
  String pause;

  /** Most bytes per second that the map may have moved; 0 for no limit. */
  long bytesPerSecond;

  /** Set if the map copies. */
  public Copy copy;

  /** Set if the map has an agent encode. */
  Encode encode;

  /** Bytes of one group that become a file of their own. */
  public static final class Copy {
    /** Path to read. */
    String source;

    /** Whether the source's stripes are too wide to be read as a stream. */
    boolean readsByPosition;

    /** First byte. */
    public long offset;

    /** Bytes to copy. */
    public long length;

    /** Name of the policy of the part, or null for replicas. */
    String policy;

    /** Replicas of each block if there is no policy. */
    int replication;

    long blockBytes;

    /** Name of the checksums' type. */
    String checksums;

    int bytesPerChecksum;

    /** Name of the storage policy of the part. */
    String storagePolicy;
  }

  /** A group whose replicas are linked and whose parity is missing. */
  static final class Encode {
    final AgentNode encoder;

    /** Beginning of the names of its tasks. */
    final String ticket;

    final EncodeRequest request;

    /** A token that lets write the group; null where maps need none. */
    String token;

    Encode(AgentNode encoder, String ticket, EncodeRequest request) {
      this.encoder = encoder;
      this.ticket = ticket;
      this.request = request;
    }
  }

  GroupOrder(String directory, int group, List<String> hosts) {
    this.directory = directory;
    this.group = group;
    this.hosts = Collections.unmodifiableList(new ArrayList<>(hosts));
  }

  public static GroupOrder parse(String json) {
    return GSON.fromJson(json, GroupOrder.class);
  }

  String toJson() {
    return GSON.toJson(this);
  }
}
