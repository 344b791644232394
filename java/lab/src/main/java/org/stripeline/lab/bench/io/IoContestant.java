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

/** A way to write and read files: a scheme, a coder and a client pipeline. */
enum IoContestant {
  /** Three copies. */
  REPLICATED_3("3-rep", StorageScheme.REPLICATED_3),
  /** Four copies: they bear as many lost DataNodes as three parity units. */
  REPLICATED_4("4-rep", StorageScheme.REPLICATED_4),
  /** Hadoop's coder in Java. */
  RS_JAVA("rs_java", StorageScheme.RS, "rs_java"),
  /** Hadoop's older coder in Java, with its own policy. */
  RS_LEGACY_JAVA("rs-legacy_java", StorageScheme.RS_LEGACY, "rs-legacy_java"),
  /** ISA-L in Hadoop's own pipeline. */
  ISAL("isal", StorageScheme.RS, IsalCoderFactory.CODER_NAME),
  /** The same with packets of 1 MiB. */
  ISAL_1M("isal-1m", StorageScheme.RS, IsalCoderFactory.CODER_NAME),
  /** A coder that codes nothing in Hadoop's own pipeline: the bound of all coders there. */
  NO_OP("noop", StorageScheme.RS, "noop"),
  /** Our coder in Hadoop's own pipeline. */
  CODER("coder", StorageScheme.RS, "stripeline"),
  /** The same with packets of 1 MiB. */
  CODER_1M("coder-1m", StorageScheme.RS, "stripeline"),
  /** Our pipelines, the writer waiting for each stripe's coding. */
  BLOCKING("blocking", StorageScheme.RS, WriteMode.BLOCKING),
  /** Our pipelines, coding issued to another thread. */
  NON_BLOCKING("non-blocking", StorageScheme.RS, WriteMode.NON_BLOCKING),
  /** Our pipelines as they are by default. */
  FUNCTIONAL_PARTITIONED(
      "functional-partitioned", StorageScheme.RS, WriteMode.FUNCTIONAL_PARTITIONED);

  /** How bytes lie on DataNodes. */
  enum StorageScheme {
    REPLICATED_3(3),
    REPLICATED_4(4),
    RS(0),
    RS_LEGACY(0);

    private final int copies;

    StorageScheme(int copies) {
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
  private final StorageScheme scheme;
  private final String coder;
  private final WriteMode mode;

  IoContestant(String label, StorageScheme scheme) {
    this(label, scheme, null, WriteMode.STOCK);
  }

  IoContestant(String label, StorageScheme scheme, String coder) {
    this(label, scheme, coder, WriteMode.STOCK);
  }

  IoContestant(String label, StorageScheme scheme, WriteMode mode) {
    this(label, scheme, "stripeline", mode);
  }

  IoContestant(String label, StorageScheme scheme, String coder, WriteMode mode) {
    this.label = label;
    this.scheme = scheme;
    this.coder = coder;
    this.mode = mode;
  }

  /** The name on the command line, in tables and records. */
  String label() {
    return label;
  }

  StorageScheme scheme() {
    return scheme;
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
    if (!scheme.isCoded()) {
      settings.put("dfs.replication", String.valueOf(scheme.copies()));
      return settings;
    }
    String codec = scheme == StorageScheme.RS_LEGACY ? "rs-legacy" : "rs";
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
        return !operation.isHung() && operation.dead() < scheme.copies();
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
