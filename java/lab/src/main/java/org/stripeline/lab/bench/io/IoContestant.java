// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.io.erasurecode.rawcoder.IsalCoderFactory;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.WriteMode;
import org.stripeline.lab.bench.CoderCheck;
import org.stripeline.lab.bench.io.client.ClientRequest;
import org.stripeline.natives.engine.EngineConfiguration;

/** A combination of storage scheme, coder and client pipeline that is measured. */
enum IoContestant {
  /** Three replicas. */
  REPLICATED_3("3-rep", StorageScheme.REPLICATED_3),
  /** Four replicas: they tolerate as many lost DataNodes as three parity units. */
  REPLICATED_4("4-rep", StorageScheme.REPLICATED_4),
  /** Hadoop's Java coder. */
  RS_JAVA("rs_java", StorageScheme.RS, "rs_java"),
  /** Hadoop's older Java coder, with its own policy. */
  RS_LEGACY_JAVA("rs-legacy_java", StorageScheme.RS_LEGACY, "rs-legacy_java"),
  /** ISA-L in Hadoop's own pipeline. */
  ISAL("isal", StorageScheme.RS, IsalCoderFactory.CODER_NAME),
  /** The same with packets of 1 MiB. */
  ISAL_1M("isal-1m", StorageScheme.RS, IsalCoderFactory.CODER_NAME),
  /** A coder that does nothing in Hadoop's own pipeline: the upper bound for all coders in it. */
  NO_OP("noop", StorageScheme.RS, "noop"),
  /**
   * For tests: writes parity that it has not computed, and decodes with Hadoop's Java coder, so
   * that a bench which checks its bytes must fail.
   */
  WRONG_PARITY("wrong-parity", StorageScheme.RS, "wrong-parity"),
  /** Our coder in Hadoop's own pipeline. */
  CODER("coder", StorageScheme.RS, "stripeline"),
  /** The same with packets of 1 MiB. */
  CODER_1M("coder-1m", StorageScheme.RS, "stripeline"),
  /** Our pipelines; the writer waits for the encoding of each stripe. */
  BLOCKING("blocking", StorageScheme.RS, WriteMode.BLOCKING),
  /** Our pipelines; another thread encodes. */
  NON_BLOCKING("non-blocking", StorageScheme.RS, WriteMode.NON_BLOCKING),
  /** Our pipelines with default settings. */
  FUNCTIONAL_PARTITIONED(
      "functional-partitioned", StorageScheme.RS, WriteMode.FUNCTIONAL_PARTITIONED),
  /** The same without durable hflush, which costs other writers nothing that is known. */
  NOT_DURABLE("not-durable", StorageScheme.RS, WriteMode.FUNCTIONAL_PARTITIONED),
  /**
   * Our pipelines over an engine that computes nothing: the upper bound for all engines in them.
   */
  UMR_NO_OP("umr-noop", StorageScheme.RS, WriteMode.FUNCTIONAL_PARTITIONED),
  /** Our pipelines over an engine with one rail beside the CPUs, which gets all work. */
  UMR_SINGLE("umr-single", StorageScheme.RS, WriteMode.FUNCTIONAL_PARTITIONED),
  /** Our pipelines over an engine with that rail and the CPUs, by their rates. */
  UMR_MULTI("umr-multi", StorageScheme.RS, WriteMode.FUNCTIONAL_PARTITIONED);

  /** How data is stored on DataNodes. */
  enum StorageScheme {
    REPLICATED_3(3),
    REPLICATED_4(4),
    RS(0),
    RS_LEGACY(0);

    private final int copies;

    StorageScheme(int copies) {
      this.copies = copies;
    }

    /** Returns the number of replicas; 0 for erasure-coded files. */
    int copies() {
      return copies;
    }

    boolean isCoded() {
      return copies == 0;
    }

    /**
     * Returns the name of the policy of this codec with the shape of another one; null if Hadoop
     * has none.
     */
    String policy(ErasureCodingPolicy shape) {
      if (this != RS_LEGACY) {
        return shape.getName();
      }
      return shape.getName().equals("RS-6-3-1024k") ? "RS-LEGACY-6-3-1024k" : null;
    }
  }

  private static final String RATE_AWARE = "rate-aware";
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

  /** Returns the name on the command line, in tables and in records. */
  String label() {
    return label;
  }

  StorageScheme scheme() {
    return scheme;
  }

  /** Returns whether it uses our coder, in Hadoop's pipeline or in ours. */
  boolean isOurs() {
    return "stripeline".equals(coder);
  }

  /** Returns whether cells are buffers in the Java heap, as for coders written in Java. */
  boolean hasHeapCells() {
    return coder != null && coder.endsWith("_java");
  }

  /** Returns whether our pipelines must be in use. */
  boolean isOurPipeline() {
    return mode != WriteMode.STOCK;
  }

  /** Returns the contestant with a name. */
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

  /** Returns the client settings of this contestant. */
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    if (!scheme.isCoded()) {
      settings.put("dfs.replication", String.valueOf(scheme.copies()));
      return settings;
    }
    String codec = scheme == StorageScheme.RS_LEGACY ? "rs-legacy" : "rs";
    // A list of one coder, because Hadoop falls back from one coder to the next without a message.
    settings.put("io.erasurecode.codec." + codec + ".rawcoders", coder);
    if (packetBytes() != PACKET_BYTES) {
      settings.put("dfs.client-write-packet-size", String.valueOf(packetBytes()));
    }
    if (isOurPipeline()) {
      settings.put("fs.hdfs.impl", "org.apache.hadoop.hdfs.StripelineFileSystem");
      settings.put(ClientKeys.WRITE_MODE, mode.configurationName());
    }
    if (this == NOT_DURABLE) {
      settings.put(ClientKeys.WRITE_SYNC, "warn");
    }
    return settings;
  }

  /** Returns whether the parity of what it writes should be right. */
  boolean computesParity() {
    return scheme.isCoded() && this != NO_OP && this != UMR_NO_OP;
  }

  /** Returns whether it needs a rail beside the CPUs. */
  boolean needsRail() {
    return this == UMR_SINGLE || this == UMR_MULTI;
  }

  /** Returns the arguments of the client's JVM that set its engine. */
  List<String> engine(DeviceRail rail) {
    switch (this) {
      case UMR_NO_OP:
        return engine("null", RATE_AWARE, EngineConfiguration.MEASURE_ONLY_KEY + "=true");
      case UMR_SINGLE:
        return engine("cpu," + rail.configured, "single:" + rail.name);
      case UMR_MULTI:
        return engine("cpu," + rail.configured, RATE_AWARE);
      default:
        return Collections.emptyList();
    }
  }

  private static List<String> engine(String rails, String scheduling, String... more) {
    List<String> arguments = new ArrayList<>();
    arguments.add("-D" + EngineConfiguration.ENABLED_KEY + "=true");
    arguments.add("-D" + EngineConfiguration.RAILS_KEY + "=" + rails);
    arguments.add("-D" + EngineConfiguration.SCHEDULING_KEY + "=" + scheduling);
    for (String one : more) {
      arguments.add("-D" + one);
    }
    return arguments;
  }

  /** Returns the packet size in bytes. */
  int packetBytes() {
    return this == ISAL_1M || this == CODER_1M ? LARGE_PACKET_BYTES : PACKET_BYTES;
  }

  /**
   * Returns whether it is measured in an operation; contestants that differ only in writing do not
   * read, and only some keep what hflush promises.
   */
  boolean takesPart(Operation operation) {
    if (operation.isSync()) {
      return this == FUNCTIONAL_PARTITIONED || !scheme.isCoded();
    }
    switch (this) {
      case NOT_DURABLE:
      case ISAL_1M:
      case CODER_1M:
      case BLOCKING:
      case NON_BLOCKING:
      case NO_OP:
      case UMR_NO_OP:
        return operation.action() == ClientRequest.Action.WRITE;
      case REPLICATED_3:
      case REPLICATED_4:
        // The replica that a reader of a replicated file selects is random, so it may not use the
        // hung DataNode.
        return !operation.isHung() && operation.dead() < scheme.copies();
      default:
        return true;
    }
  }

  /** Returns why it cannot be measured on this machine, or null. */
  String absence(DeviceRail rail) {
    if (needsRail()) {
      return rail.absence;
    }
    if (this == NO_OP || this == WRONG_PARITY) {
      return CoderCheck.absence(coder);
    }
    return this == ISAL || this == ISAL_1M ? IsalCoderFactory.absence() : null;
  }
}
