// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

/** The sizes that all stripes of a file share. */
public final class StripeLayout {
  private static final int CAPACITY_MIN = 4 << 10;

  private final int dataUnits;
  private final int parityUnits;
  private final int cellSize;
  private final int bytesPerChecksum;
  private final int checksumSize;
  private final boolean direct;

  /**
   * Creates a layout.
   *
   * @param dataUnits number of data cells of a stripe
   * @param parityUnits number of parity cells of a stripe
   * @param cellSize bytes of a cell, a multiple of {@code bytesPerChecksum}
   * @param bytesPerChecksum bytes that each checksum covers
   * @param checksumSize bytes of one checksum; 0 if there are none
   * @param direct whether cells are direct buffers
   */
  public StripeLayout(
      int dataUnits,
      int parityUnits,
      int cellSize,
      int bytesPerChecksum,
      int checksumSize,
      boolean direct) {
    this.dataUnits = dataUnits;
    this.parityUnits = parityUnits;
    this.cellSize = cellSize;
    this.bytesPerChecksum = bytesPerChecksum;
    this.checksumSize = checksumSize;
    this.direct = direct;
  }

  /** Returns the number of data cells of a stripe. */
  public int dataUnits() {
    return dataUnits;
  }

  /** Returns the number of parity cells of a stripe. */
  public int parityUnits() {
    return parityUnits;
  }

  /** Returns the number of cells of a stripe. */
  public int units() {
    return dataUnits + parityUnits;
  }

  /** Returns the bytes of a cell. */
  public int cellSize() {
    return cellSize;
  }

  /** Returns the bytes of user data in a full stripe. */
  public int stripeSize() {
    return dataUnits * cellSize;
  }

  /** Returns whether a data unit has bytes in a block group of a length. */
  public boolean hasBytes(int unit, long groupBytes) {
    return groupBytes > (long) unit * cellSize;
  }

  /** Returns the bytes that each checksum covers. */
  public int bytesPerChecksum() {
    return bytesPerChecksum;
  }

  /** Returns the bytes of one checksum; 0 if there are none. */
  public int checksumSize() {
    return checksumSize;
  }

  /** Returns whether cells are direct buffers. */
  public boolean direct() {
    return direct;
  }

  /**
   * Returns the capacity of a buffer for {@code bytes} bytes of a cell; there are only a few
   * capacities.
   */
  public int capacity(int bytes) {
    long power = (long) Integer.highestOneBit(Math.max(bytes, CAPACITY_MIN) - 1) << 1;
    return (int) Math.min(cellSize, power);
  }

  /** Returns the number of checksums that cover {@code bytes} bytes. */
  int checksums(int bytes) {
    return (bytes + bytesPerChecksum - 1) / bytesPerChecksum;
  }

  /** Returns the bytes of the checksums of a full stripe. */
  int checksumBytes() {
    return units() * checksums(cellSize) * checksumSize;
  }

  /** Returns the bytes of all buffers of a stripe. */
  long bytes() {
    return (long) units() * cellSize + checksumBytes();
  }

  /** Returns the bytes of all buffers of a stripe with {@code size} user bytes when it is sent. */
  long bytes(int size) {
    if (size > cellSize) {
      return bytes();
    }
    // Parity cells, and the cell of zeros that is used for all other data cells.
    int small = parityUnits + (dataUnits > 1 ? 1 : 0);
    return cellSize + (long) small * capacity(size) + checksumBytes();
  }
}
