// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import com.google.gson.annotations.SerializedName;
import java.util.Locale;

/** The arrangement of a file's bytes in its block groups. */
public enum Layout {
  /** Cells as large as the file's blocks: internal block i is block i of the replicated file. */
  @SerializedName("contiguous")
  CONTIGUOUS,

  /** Small cells, distributed over the data blocks in turn; the default of HDFS. */
  @SerializedName("striped")
  STRIPED,

  /** For each file the layout that {@code stripeline plan} names; only a setting of a job. */
  @SerializedName("auto")
  AUTO;

  /** Returns the value on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
