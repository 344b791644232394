// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.util.Collections;
import java.util.List;
import org.apache.hadoop.io.erasurecode.rawcoder.HeapCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.IsalCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RSLegacyRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.stripeline.coder.RsCoderFactory;

/** A coder together with the kind of buffer that it gets. */
enum BenchCoder {
  /** Our native coder, as HDFS uses it. */
  STRIPELINE_DIRECT("stripeline direct"),
  /** Our native coder with heap buffers. */
  STRIPELINE_HEAP("stripeline heap"),
  /** The Java fallback of our coder, used where the native library cannot be loaded. */
  STRIPELINE_JAVA("stripeline java"),
  /** Hadoop's Java coder with heap buffers, which it prefers. */
  RS_JAVA("rs_java"),
  /** Hadoop's older Java coder with heap buffers. */
  RS_LEGACY_JAVA("rs-legacy_java"),
  /** ISA-L, as Hadoop's native coder calls it. */
  ISAL("isal");

  private final String label;

  BenchCoder(String label) {
    this.label = label;
  }

  /** Returns the name in tables and records. */
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
      case ISAL:
        return new IsalCoderFactory();
      default:
        return new RsCoderFactory();
    }
  }

  /** Returns why it cannot be measured on this machine, or null. */
  String absence() {
    return this == ISAL ? IsalCoderFactory.absence() : null;
  }

  /** Returns whether the measurement is valid only with the native library loaded. */
  boolean needsNative() {
    return this == STRIPELINE_DIRECT || this == STRIPELINE_HEAP;
  }

  /** Returns whether its parity must equal that of Hadoop's rs_java. */
  boolean codesLikeRsJava() {
    return this != RS_LEGACY_JAVA;
  }

  /** Returns the arguments of its JVM. */
  List<String> jvmArguments() {
    return this == STRIPELINE_JAVA
        ? Collections.singletonList("-Dstripeline.native.enabled=false")
        : Collections.<String>emptyList();
  }
}
