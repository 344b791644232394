// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import com.google.gson.annotations.SerializedName;
import java.util.Locale;

/** The processes that move the bytes of a conversion. */
public enum DriverKind {
  /** This process: it copies by itself, and waits for agents by itself. */
  @SerializedName("client")
  CLIENT,

  /** Maps, one for each block group, in jobs of the framework that Hadoop is configured for. */
  @SerializedName("mapreduce")
  MAPREDUCE;

  /** Returns the value of the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
