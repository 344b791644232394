// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import com.google.gson.annotations.SerializedName;
import java.util.Locale;

/** How the bytes of a file lie in its block groups. */
public enum Layout {
  /** Cells as large as the file's blocks: internal block i is block i of the plain file. */
  @SerializedName("contiguous")
  CONTIGUOUS,

  /** Small cells in turn over all data blocks, as HDFS has them by default. */
  @SerializedName("striped")
  STRIPED;

  /** Returns the value of the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
