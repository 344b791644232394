// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import org.apache.hadoop.conf.Configuration;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.WriteMode;

/** What the configuration says about writing, within its bounds. */
public final class WriteSettings {
  static final int STRIPES_MIN = 3;
  static final int STRIPES_MAX = 64;

  private final WriteMode mode;
  private final long windowBytes;
  private final long packetBytes;
  private final boolean refusesSync;

  private WriteSettings(WriteMode mode, long windowBytes, long packetBytes, boolean refusesSync) {
    this.mode = mode;
    this.windowBytes = windowBytes;
    this.packetBytes = packetBytes;
    this.refusesSync = refusesSync;
  }

  /**
   * Reads the settings.
   *
   * @throws IllegalArgumentException if a value is none of those that its key takes
   */
  public static WriteSettings of(Configuration conf) {
    return new WriteSettings(
        WriteMode.parse(conf.get(ClientKeys.WRITE_MODE, ClientKeys.WRITE_MODE_DEFAULT)),
        conf.getLongBytes(ClientKeys.WRITE_WINDOW, ClientKeys.WRITE_WINDOW_DEFAULT),
        conf.getLongBytes(ClientKeys.WRITE_PACKET, ClientKeys.WRITE_PACKET_DEFAULT),
        refusesSync(conf.getTrimmed(ClientKeys.WRITE_SYNC, ClientKeys.WRITE_SYNC_DEFAULT)));
  }

  private static boolean refusesSync(String value) {
    switch (value) {
      case "warn":
        return false;
      case "refuse":
        return true;
      default:
        throw new IllegalArgumentException(
            "Cannot use " + ClientKeys.WRITE_SYNC + " '" + value + "': use warn or refuse");
    }
  }

  /** Returns who encodes and who sends. */
  public WriteMode mode() {
    return mode;
  }

  /** Returns whether hflush and hsync are refused; otherwise they warn once per stream. */
  public boolean refusesSync() {
    return refusesSync;
  }

  /** Returns the most stripes of a stream that may be on their way. */
  public int stripes(StripeLayout layout) {
    long stripes = windowBytes / layout.stripeSize();
    return (int) Math.max(STRIPES_MIN, Math.min(STRIPES_MAX, stripes));
  }

  /**
   * Returns the bytes of user data in a packet: whole checksums, at most a cell.
   *
   * @param packetMax most bytes of a packet, checksums and header included, that DataNodes take
   */
  public int packetData(StripeLayout layout, int packetMax) {
    int chunk = layout.bytesPerChecksum();
    long chunksOfMax = packetMax / (chunk + layout.checksumSize());
    long chunks = Math.min(Math.min(packetBytes, layout.cellSize()) / chunk, chunksOfMax);
    return (int) Math.max(1, chunks) * chunk;
  }
}
