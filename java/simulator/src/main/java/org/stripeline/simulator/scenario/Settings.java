// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;

/**
 * The validated constants of one variant. Sizes are in bytes, rates in bytes per second. Immutable.
 */
public final class Settings {
  private static final double MB = 1e6;
  private static final int NODES_MAX = 1_000_000;
  private static final int STRIPES_MAX = 10_000_000;
  private static final double ENDLESS = 1e12;

  public final int racks;
  public final int nodesPerRack;
  public final int replication;
  public final CodeShape shape;
  public final RackRule rule;
  public final long blockBytes;

  public final NetworkModel network;
  public final double nodeRate;
  public final double rackRate;
  public final double diskReadRate;
  public final double diskWriteRate;
  public final long segmentBytes;
  public final int segmentsMax;

  public final int stripes;
  public final WriterChoice writers;
  public final int encodersPerRack;
  public final EncoderChoice encoder;
  public final double encodeStartSeconds;
  public final double computeSeconds;
  public final int encodingParts;
  public final double gapSeconds;
  public final boolean relocates;
  public final int earTriesMax;

  public final double writesPerSecond;
  public final double writeOverheadSeconds;

  public final double backgroundPerSecond;
  public final double backgroundBytesMean;
  public final double backgroundCrossRackShare;
  public final double linkNominalRate;
  public final double injectedRate;

  public final double nodeFailuresPerHour;
  public final double rackOutagesPerHour;
  public final double rackOutageSeconds;
  public final double detectionSeconds;
  public final double replacementSeconds;
  public final int repairStreams;

  Settings(Constants constants) throws ScenarioException {
    Constants.Reader read = constants.reader();
    racks = read.whole("racks", 2, NODES_MAX);
    nodesPerRack = read.whole("nodes_per_rack", 1, NODES_MAX / racks);
    replication = read.whole("replication", 2, 16);
    shape =
        CodeShape.ofDataAndParity(
            read.whole("data_blocks", 1, CodeShape.BLOCKS_MAX - 1),
            read.whole("parity_blocks", 1, CodeShape.BLOCKS_MAX - 1));
    rule = RackRule.atMost(read.whole("blocks_per_rack_max", 1, CodeShape.BLOCKS_MAX));
    blockBytes = (long) (MB * read.number("block_mb", 0.001, 1e5));
    network = read.choice("network", NetworkModel.class);
    nodeRate = MB * read.number("node_link_mb_per_s", 0.001, 1e6);
    rackRate = MB * read.number("rack_link_mb_per_s", 0.001, 1e6);
    diskReadRate = MB * read.number("disk_read_mb_per_s", 0.001, 1e6);
    diskWriteRate = MB * read.number("disk_write_mb_per_s", 0.001, 1e6);
    segmentBytes = (long) (MB * read.number("segment_mb", 0.001, 1e5));
    segmentsMax = read.whole("segments_max", 1, 1 << 20);
    stripes = read.whole("stripes", 1, STRIPES_MAX);
    writers = read.choice("writers", WriterChoice.class);
    encodersPerRack = read.whole("encoders_per_rack", 1, 1000);
    encoder = read.choice("encoder", EncoderChoice.class);
    encodeStartSeconds = read.number("encode_start_s", 0, ENDLESS);
    computeSeconds = read.number("compute_s", 0, ENDLESS);
    encodingParts = read.whole("encoding_parts", 1, 1000);
    gapSeconds = read.number("gap_s", 0, ENDLESS);
    relocates = read.whole("relocate", 0, 1) == 1;
    earTriesMax = read.whole("ear_tries_max", 1, 1_000_000);
    writesPerSecond = read.number("writes_per_s", 0, 1e6);
    writeOverheadSeconds = read.number("write_overhead_s", 0, ENDLESS);
    backgroundPerSecond = read.number("background_per_s", 0, 1e6);
    backgroundBytesMean = MB * read.number("background_mb_mean", 0.001, 1e6);
    backgroundCrossRackShare = read.number("background_cross_rack_share", 0, 1);
    linkNominalRate = MB * read.number("link_nominal_mb_per_s", 0.001, 1e6);
    injectedRate = MB * read.number("injected_mb_per_s", 0, 1e6);
    nodeFailuresPerHour = read.number("node_failures_per_hour", 0, 1e6);
    rackOutagesPerHour = read.number("rack_outages_per_hour", 0, 1e6);
    rackOutageSeconds = read.number("rack_outage_s", 0, ENDLESS);
    detectionSeconds = read.number("detection_s", 0, ENDLESS);
    replacementSeconds = read.number("replacement_s", 0, ENDLESS);
    repairStreams = read.whole("repair_streams", 1, 1_000_000);
    read.end();
    if (injectedRate >= linkNominalRate) {
      throw new ScenarioException(
          "Cannot simulate: injected_mb_per_s takes all of link_nominal_mb_per_s");
    }
    if (encodingParts > blockBytes) {
      throw new ScenarioException("Cannot simulate: block_mb has less bytes than encoding_parts");
    }
    if (shape.total() > racks * nodesPerRack) {
      throw new ScenarioException(
          "Cannot simulate: a stripe of "
              + shape.total()
              + " blocks needs as many nodes, there are "
              + racks * nodesPerRack);
    }
  }

  /** Returns the number of nodes. */
  public int nodes() {
    return racks * nodesPerRack;
  }
}
