// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.erasurecode.rawcoder.IsalCoderFactory;

/** A way to store files, in a directory of its own. */
enum Contestant {
  REPLICATION("3-rep", replicas(3)),
  FOUR_REPLICAS("4-rep", replicas(4)),
  RS_JAVA("rs_java", Map.of("io.erasurecode.codec.rs.rawcoders", "rs_java")),
  /** ISA-L in Hadoop's pipeline. */
  ISAL("isal", Map.of("io.erasurecode.codec.rs.rawcoders", IsalCoderFactory.CODER_NAME)),
  CODER("coder", Map.of("io.erasurecode.codec.rs.rawcoders", "stripeline")),
  /** For tests: computes no parity, so that a bench which checks its bytes must fail. */
  WRONG_PARITY("wrong-parity", Map.of("io.erasurecode.codec.rs.rawcoders", "wrong-parity")),
  BLOCKING("blocking", pipelines("blocking")),
  NON_BLOCKING("non-blocking", pipelines("non-blocking")),
  /** With default settings. */
  PIPELINES("functional-partitioned", pipelines("functional-partitioned"));

  private static final String SHADED = "org.apache.hadoop.shaded.";

  final String label;

  private final Map<String, String> own;

  Contestant(String label, Map<String, String> own) {
    this.label = label;
    this.own = own;
  }

  /** TeraSort writes one replica if it is not told otherwise. */
  private static Map<String, String> replicas(int count) {
    String text = String.valueOf(count);
    return Map.of("dfs.replication", text, "mapreduce.terasort.output.replication", text);
  }

  private static Map<String, String> pipelines(String mode) {
    return Map.of(
        "fs.hdfs.impl", "org.apache.hadoop.hdfs.StripelineFileSystem",
        "fs.AbstractFileSystem.hdfs.impl", "org.apache.hadoop.fs.StripelineHdfs",
        "stripeline.client.write.mode", mode);
  }

  /** Returns why it cannot be measured on this machine, or null. */
  String absence() {
    return this == ISAL ? IsalCoderFactory.absence() : null;
  }

  boolean isReplicated() {
    return this == REPLICATION || this == FOUR_REPLICAS;
  }

  /** Returns how many DataNodes may fail without loss of data, with {@link BenchHdfs#POLICY}. */
  int tolerated() {
    return this == REPLICATION ? 2 : 3;
  }

  /** Returns the contestants of a list that is separated by commas. */
  static List<Contestant> parse(String labels) {
    List<Contestant> found = new ArrayList<>();
    for (String label : labels.split(",")) {
      int before = found.size();
      for (Contestant contestant : values()) {
        if (contestant.label.equals(label)) {
          found.add(contestant);
        }
      }
      if (found.size() == before) {
        throw new IllegalArgumentException("Cannot measure '" + label + "': unknown contestant");
      }
    }
    return found;
  }

  /**
   * Returns contestants in the order of one repetition. What is first is evenly spread over all
   * repetitions, of which there may be fewer than contestants.
   */
  static List<Contestant> inTurn(List<Contestant> all, int repetition, int repetitions) {
    List<Contestant> order = new ArrayList<>(all);
    Collections.rotate(order, -(repetition * all.size() / repetitions));
    return order;
  }

  Path directory() {
    return new Path("/" + label);
  }

  /** Returns the settings of its clients. */
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>(own);
    // Hadoop's shaded client, which Spark and Accumulo have, looks for the key of the coders under
    // a name that the shading has changed.
    own.forEach((key, value) -> settings.put(key.replaceFirst("^(?=io\\.)", SHADED), value));
    // Contestants may share one JVM, and the cache of file systems ignores their settings.
    settings.put("fs.hdfs.impl.disable.cache", "true");
    // distcp compares the checksums of both files, which otherwise depend on their layout.
    settings.put("dfs.checksum.combine.mode", "COMPOSITE_CRC");
    return settings;
  }
}
