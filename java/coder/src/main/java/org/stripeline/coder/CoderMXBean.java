// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

/** What the coders of this process have done, and which implementation did it. */
public interface CoderMXBean {
  /** Returns {@code native} or {@code java}. */
  String getImplementation();

  /** Returns the instruction set of the kernels in use, or {@code java}. */
  String getIsa();

  /** Returns where the native library came from, or an empty text. */
  String getLibrary();

  /** Returns why pure Java is used, or an empty text. */
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
