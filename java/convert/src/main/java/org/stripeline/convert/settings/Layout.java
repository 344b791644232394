// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

/** How the bytes of a file lie in its block groups. */
public enum Layout {
  /** Cells as large as the file's blocks: internal block i is block i of the plain file. */
  contiguous,
  /** Small cells in turn over all data blocks, as HDFS has them by default. */
  striped
}
