// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

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
  private final boolean refusesSync;
  private final long slowNanos;

  private WriteSettings(
      WriteMode mode, long windowBytes, long packetBytes, boolean refusesSync, long slowNanos) {
    this.mode = mode;
    this.windowBytes = windowBytes;
    this.packetBytes = packetBytes;
    this.refusesSync = refusesSync;
    this.slowNanos = slowNanos;
  }

  /** Reads the settings from a configuration. */
  public static WriteSettings of(Configuration conf) {
    return of(new ClientSettings(conf));
  }

  /** Reads the settings from client settings. */
  public static WriteSettings of(ClientSettings settings) {
    return new WriteSettings(
        PipelineChoice.of(settings).write(),
        settings.bytes(ClientKeys.WRITE_WINDOW, ClientKeys.WRITE_WINDOW_DEFAULT, 0),
        settings.bytes(ClientKeys.WRITE_PACKET, ClientKeys.WRITE_PACKET_DEFAULT, 0),
        settings.choice(
            ClientKeys.WRITE_SYNC, ClientKeys.WRITE_SYNC_DEFAULT, WriteSettings::refusesSync),
        TimeUnit.MILLISECONDS.toNanos(
            settings.millis(ClientKeys.WRITE_SLOW, ClientKeys.WRITE_SLOW_DEFAULT, 0)));
  }

  private static boolean refusesSync(String value) {
    switch (value) {
      case "warn":
        return false;
      case "refuse":
        return true;
      default:
        throw new IllegalArgumentException("use warn or refuse");
    }
  }

  /** Returns the mode, which determines the threads that encode and send. */
  public WriteMode mode() {
    return mode;
  }

  /** Returns whether hflush and hsync are refused; otherwise they warn once per client. */
  public boolean refusesSync() {
    return refusesSync;
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
