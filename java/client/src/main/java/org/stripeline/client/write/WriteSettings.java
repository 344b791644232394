// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.ClientSettings;
import org.stripeline.client.PipelineChoice;
import org.stripeline.client.WriteMode;

/** The configuration of writes, within its bounds. */
public final class WriteSettings {
  static final int STRIPES_MIN = 3;
  static final int STRIPES_MAX = 64;

  private final WriteMode mode;
  private final long windowBytes;
  private final long packetBytes;
  private final SyncMode sync;
  private final long switchBytesMax;
  private final int sealedGroupsMax;
  private final List<String> replicatedFirst;
  private final long slowNanos;

  private WriteSettings(ClientSettings settings) {
    mode = PipelineChoice.of(settings).write();
    windowBytes = settings.bytes(ClientKeys.WRITE_WINDOW, ClientKeys.WRITE_WINDOW_DEFAULT, 0);
    packetBytes = settings.bytes(ClientKeys.WRITE_PACKET, ClientKeys.WRITE_PACKET_DEFAULT, 0);
    sync = settings.choice(ClientKeys.WRITE_SYNC, ClientKeys.WRITE_SYNC_DEFAULT, SyncMode::parse);
    switchBytesMax =
        settings.bytes(
            ClientKeys.WRITE_SYNC_SWITCH_MAX, ClientKeys.WRITE_SYNC_SWITCH_MAX_DEFAULT, 0);
    sealedGroupsMax =
        settings.count(
            ClientKeys.WRITE_SYNC_GROUPS_MAX, ClientKeys.WRITE_SYNC_GROUPS_MAX_DEFAULT, 0);
    replicatedFirst =
        settings.choice(
            ClientKeys.WRITE_REPLICATED_FIRST,
            ClientKeys.WRITE_REPLICATED_FIRST_DEFAULT,
            WriteSettings::directories);
    slowNanos =
        TimeUnit.MILLISECONDS.toNanos(
            settings.millis(ClientKeys.WRITE_SLOW, ClientKeys.WRITE_SLOW_DEFAULT, 0));
  }

  /** Reads the settings from a configuration. */
  public static WriteSettings of(Configuration conf) {
    return of(new ClientSettings(conf));
  }

  /** Reads the settings from client settings. */
  public static WriteSettings of(ClientSettings settings) {
    return new WriteSettings(settings);
  }

  private static List<String> directories(String value) {
    List<String> directories = new ArrayList<>();
    for (String directory : value.split(",")) {
      String path = directory.trim().replaceAll("/+$", "");
      if (directory.trim().isEmpty()) {
        continue;
      }
      if (!directory.trim().startsWith("/")) {
        throw new IllegalArgumentException("use absolute paths of directories, without a scheme");
      }
      directories.add(path + "/");
    }
    return directories;
  }

  /** Returns the mode, which determines the threads that encode and send. */
  public WriteMode mode() {
    return mode;
  }

  /** Returns what hflush and hsync of an erasure-coded file do. */
  public SyncMode sync() {
    return sync;
  }

  /** Returns the maximum bytes of a file that its first durable sync makes replicated. */
  public long switchBytesMax() {
    return switchBytesMax;
  }

  /** Returns the maximum number of block groups of an open file that end at a durable sync. */
  public int sealedGroupsMax() {
    return sealedGroupsMax;
  }

  /** Returns whether a new file at a path is replicated from its first byte. */
  public boolean isReplicatedFirst(String path) {
    return replicatedFirst.stream().anyMatch(path::startsWith);
  }

  /** Returns the minimum wait of a late DataNode; 0 if there is no limit. */
  public long slowNanos() {
    return slowNanos;
  }

  /** Returns the maximum number of stripes of a stream that are not yet acknowledged. */
  public int stripes(StripeLayout layout) {
    long stripes = windowBytes / layout.stripeSize();
    return (int) Math.max(STRIPES_MIN, Math.min(STRIPES_MAX, stripes));
  }

  /**
   * Returns the bytes of user data in a packet: whole checksum chunks, at most a cell.
   *
   * @param packetMax the maximum bytes of a packet that DataNodes accept, checksums and header
   *     included
   */
  public int packetData(StripeLayout layout, int packetMax) {
    int chunk = layout.bytesPerChecksum();
    long chunksOfMax = packetMax / (chunk + layout.checksumSize());
    long chunks = Math.min(Math.min(packetBytes, layout.cellSize()) / chunk, chunksOfMax);
    return (int) Math.max(1, chunks) * chunk;
  }
}
