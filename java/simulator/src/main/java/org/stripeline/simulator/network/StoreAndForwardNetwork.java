// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

/**
 * A model in which bytes are sent in segments; a segment passes the ports one after another, each
 * at the port's own rate, and holds only its current port. Ports serve segments in order of
 * arrival. The number of segments in flight per transfer is limited, and a transfer starts a
 * segment when the previous one has left the first port, so that transfers that share a port share
 * its rate.
 */
public final class StoreAndForwardNetwork extends Network {
  private final long segmentBytes;
  private final int segmentsMax;

  /**
   * Creates a network.
   *
   * @param segmentBytes at least 1
   * @param segmentsMax maximum number of segments of a transfer in flight, at least 1
   */
  public StoreAndForwardNetwork(Clock clock, Digest digest, long segmentBytes, int segmentsMax) {
    super(clock, digest);
    if (segmentBytes < 1 || segmentsMax < 1) {
      throw new IllegalArgumentException(
          "Cannot forward "
              + segmentsMax
              + " segments of "
              + segmentBytes
              + " bytes: both must be at least 1");
    }
    this.segmentBytes = segmentBytes;
    this.segmentsMax = segmentsMax;
  }

  @Override
  void begin(Transfer transfer) {
    beginSegment(transfer);
  }

  private void beginSegment(Transfer transfer) {
    long onTheWay = transfer.bytesBegun - transfer.bytesArrived;
    long left = transfer.bytes() - transfer.bytesBegun;
    boolean hasRoom = onTheWay <= (segmentsMax - 1) * segmentBytes;
    if (left > 0 && hasRoom && !transfer.isAtFirstPort) {
      Segment segment = new Segment(transfer, Math.min(segmentBytes, left));
      transfer.bytesBegun += segment.bytes;
      transfer.isAtFirstPort = true;
      arriveAtPort(segment);
    }
  }

  private void arriveAtPort(Segment segment) {
    if (segment.port().isTaken()) {
      segment.port().waiting.add(segment);
    } else {
      serve(segment);
    }
  }

  private void serve(Segment segment) {
    segment.port().take(clock().now());
    double rate = segment.transfer.route().rate(segment.hop);
    clock().after(segment.bytes / rate, () -> leavePort(segment));
  }

  private void leavePort(Segment segment) {
    Transfer transfer = segment.transfer;
    Port port = segment.port();
    port.release(clock().now(), segment.bytes);
    if (!port.waiting.isEmpty()) {
      serve((Segment) port.waiting.remove());
    }
    transfer.isAtFirstPort &= segment.hop > 0;
    segment.hop++;
    if (segment.hop < transfer.route().length()) {
      arriveAtPort(segment);
    } else {
      transfer.bytesArrived += segment.bytes;
    }
    // Only now, so that the new segment queues behind those that were waiting at the first port.
    beginSegment(transfer);
    if (transfer.bytesArrived == transfer.bytes()) {
      arrived(transfer);
    }
  }

  private static final class Segment {
    private final Transfer transfer;
    private final long bytes;
    private int hop;

    Segment(Transfer transfer, long bytes) {
      this.transfer = transfer;
      this.bytes = bytes;
    }

    Port port() {
      return transfer.route().port(hop);
    }
  }
}
