// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.apache.hadoop.io.erasurecode.rawcoder.IsalCoderFactory;
import org.stripeline.client.WriteMode;
import org.stripeline.lab.bench.io.client.ClientRequest;

/** A way to write and read files: a layout, a coder and a client pipeline. */
enum IoContestant {
  /** Three copies. */
  REPLICATED_3("3-rep", Layout.REPLICATED_3),
  /** Four copies: they bear as many lost DataNodes as three parity units. */
  REPLICATED_4("4-rep", Layout.REPLICATED_4),
  /** Hadoop's coder in Java. */
  RS_JAVA("rs_java", Layout.RS, "rs_java"),
  /** Hadoop's older coder in Java, with its own policy. */
  RS_LEGACY_JAVA("rs-legacy_java", Layout.RS_LEGACY, "rs-legacy_java"),
  /** ISA-L in Hadoop's own pipeline. */
  ISAL("isal", Layout.RS, IsalCoderFactory.CODER_NAME),
  /** The same with packets of 1 MiB. */
  ISAL_1M("isal-1m", Layout.RS, IsalCoderFactory.CODER_NAME),
  /** A coder that codes nothing in Hadoop's own pipeline: the bound of all coders there. */
  NO_OP("noop", Layout.RS, "noop"),
  /** Our coder in Hadoop's own pipeline. */
  CODER("coder", Layout.RS, "stripeline"),
  /** The same with packets of 1 MiB. */
  CODER_1M("coder-1m", Layout.RS, "stripeline"),
  /** Our pipelines, the writer waiting for each stripe's coding. */
  BLOCKING("blocking", Layout.RS, WriteMode.BLOCKING),
  /** Our pipelines, coding issued to another thread. */
  NON_BLOCKING("non-blocking", Layout.RS, WriteMode.NON_BLOCKING),
  /** Our pipelines as they are by default. */
  FUNCTIONAL_PARTITIONED("functional-partitioned", Layout.RS, WriteMode.FUNCTIONAL_PARTITIONED);

  /** How bytes lie on DataNodes. */
  enum Layout {
    REPLICATED_3(3),
    REPLICATED_4(4),
    RS(0),
    RS_LEGACY(0);

    private final int copies;

    Layout(int copies) {
      this.copies = copies;
    }

    /** Copies of a replicated file; 0 where files are erasure coded. */
    int copies() {
      return copies;
    }

    boolean isCoded() {
      return copies == 0;
    }
  }

  private static final int LARGE_PACKET_BYTES = 1 << 20;
  private static final int PACKET_BYTES = 64 << 10;

  private final String label;
  private final Layout layout;
  private final String coder;
  private final WriteMode mode;

  IoContestant(String label, Layout layout) {
    this(label, layout, null, WriteMode.STOCK);
  }

  IoContestant(String label, Layout layout, String coder) {
    this(label, layout, coder, WriteMode.STOCK);
  }

  IoContestant(String label, Layout layout, WriteMode mode) {
    this(label, layout, "stripeline", mode);
  }

  IoContestant(String label, Layout layout, String coder, WriteMode mode) {
    this.label = label;
    this.layout = layout;
    this.coder = coder;
    this.mode = mode;
  }

  /** The name on the command line, in tables and records. */
  String label() {
    return label;
  }

  Layout layout() {
    return layout;
  }

  /** Whether our pipelines must be found at work. */
  boolean isOurPipeline() {
    return mode != WriteMode.STOCK;
  }

  /** Finds the contestant of that name. */
  static IoContestant parse(String name) {
    List<String> known = new ArrayList<>();
    for (IoContestant contestant : values()) {
      if (contestant.label.equals(name)) {
        return contestant;
      }
      known.add(contestant.label);
    }
    throw new IllegalArgumentException(
        "Cannot find contestant '" + name + "': known are " + String.join(", ", known));
  }

  /** What a client of this contestant has in its configuration. */
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    if (!layout.isCoded()) {
      settings.put("dfs.replication", String.valueOf(layout.copies()));
      return settings;
    }
    String codec = layout == Layout.RS_LEGACY ? "rs-legacy" : "rs";
    // A list of one: Hadoop falls back from one coder to the next without a word.
    settings.put("io.erasurecode.codec." + codec + ".rawcoders", coder);
    if (packetBytes() != PACKET_BYTES) {
      settings.put("dfs.client-write-packet-size", String.valueOf(packetBytes()));
    }
    if (isOurPipeline()) {
      settings.put("fs.hdfs.impl", "org.apache.hadoop.hdfs.StripelineFileSystem");
      settings.put(org.stripeline.client.ClientKeys.WRITE_MODE, mode.configurationName());
    }
    return settings;
  }

  /** Bytes of a packet on the wire. */
  int packetBytes() {
    return this == ISAL_1M || this == CODER_1M ? LARGE_PACKET_BYTES : PACKET_BYTES;
  }

  /** Whether it takes part in an operation; those that differ in writing only do not read. */
  boolean takesPart(Operation operation) {
    switch (this) {
      case ISAL_1M:
      case CODER_1M:
      case BLOCKING:
      case NON_BLOCKING:
      case NO_OP:
        return operation.action() == ClientRequest.Action.WRITE;
      case REPLICATED_3:
      case REPLICATED_4:
        // Which copy a reader of a replicated file asks is chance: a hung DataNode may not be met.
        return !operation.isHung() && operation.dead() < layout.copies();
      default:
        return true;
    }
  }

  /** Returns why it cannot take part on this machine, or null. */
  String absence() {
    if (this == NO_OP && CodecRegistry.getInstance().getCoderByName("rs", coder) == null) {
      return "its coder is in java/lab/target/test-classes only; name that folder in"
          + " STRIPELINE_CLASSPATH";
    }
    return this == ISAL || this == ISAL_1M ? IsalCoderFactory.absence() : null;
  }
}
