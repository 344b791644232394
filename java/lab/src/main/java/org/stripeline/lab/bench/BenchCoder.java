// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.util.Collections;
import java.util.List;
import org.apache.hadoop.io.erasurecode.rawcoder.HeapCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RSLegacyRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.stripeline.coder.RsCoderFactory;

/** A coder with the kind of buffer that it is given. */
enum BenchCoder {
  /** Our native coder, as HDFS uses it. */
  STRIPELINE_DIRECT("stripeline direct"),
  /** Our native coder on arrays. */
  STRIPELINE_HEAP("stripeline heap"),
  /** What is left of our coder where the native library cannot be loaded. */
  STRIPELINE_JAVA("stripeline java"),
  /** Hadoop's coder in Java, on arrays as it prefers. */
  RS_JAVA("rs_java"),
  /** Hadoop's older coder in Java, likewise. */
  RS_LEGACY_JAVA("rs-legacy_java");

  private final String label;

  BenchCoder(String label) {
    this.label = label;
  }

  /** The name in tables and records. */
  String label() {
    return label;
  }

  RawErasureCoderFactory factory() {
    switch (this) {
      case STRIPELINE_HEAP:
        return new HeapCoderFactory(new RsCoderFactory());
      case RS_JAVA:
        return new RSRawErasureCoderFactory();
      case RS_LEGACY_JAVA:
        return new RSLegacyRawErasureCoderFactory();
      default:
        return new RsCoderFactory();
    }
  }

  /** Whether the figure would be another coder's if the native library were not loaded. */
  boolean needsNative() {
    return this == STRIPELINE_DIRECT || this == STRIPELINE_HEAP;
  }

  /** Whether its parity must equal that of Hadoop's rs_java. */
  boolean codesLikeRsJava() {
    return this != RS_LEGACY_JAVA;
  }

  /** What its JVM is started with. */
  List<String> jvmArguments() {
    return this == STRIPELINE_JAVA
        ? Collections.singletonList("-Dstripeline.native.enabled=false")
        : Collections.<String>emptyList();
  }
}
