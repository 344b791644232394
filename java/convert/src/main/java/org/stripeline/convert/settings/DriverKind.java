// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import com.google.gson.annotations.SerializedName;
import java.util.Locale;

/** The processes that move the bytes of a conversion. */
public enum DriverKind {
  /** This process copies the bytes itself, or waits for the agents itself. */
  @SerializedName("client")
  CLIENT,

  /**
   * MapReduce jobs with one map task for each block group, on the framework in Hadoop's
   * configuration. Only for copies; jobs of earlier versions may combine it with {@link
   * Layout#CONTIGUOUS}.
   */
  @SerializedName("mapreduce")
  MAPREDUCE;

  /** Returns the value on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
