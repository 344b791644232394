// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder.metrics;

/** Counts of the coders of this process, and the implementation that they use. */
public interface CoderMXBean {
  /** Returns {@code native} or {@code java}. */
  String getImplementation();

  /** Returns the instruction set of the kernels in use, or {@code java}. */
  String getIsa();

  /** Returns the origin of the native library, or an empty string. */
  String getLibrary();

  /** Returns the reason why pure Java is used, or an empty string. */
  String getFallbackCause();

  /** Returns the number of encode calls that succeeded. */
  long getEncodes();

  /** Returns the bytes of data units encoded. */
  long getEncodedBytes();

  /** Returns the nanoseconds spent encoding, over all threads. */
  long getEncodeNanos();

  /** Returns the number of decode calls that succeeded. */
  long getDecodes();

  /** Returns the bytes of erased units produced. */
  long getDecodedBytes();

  /** Returns the nanoseconds spent decoding, over all threads. */
  long getDecodeNanos();

  /** Returns the number of calls that failed. */
  long getFailures();
}
