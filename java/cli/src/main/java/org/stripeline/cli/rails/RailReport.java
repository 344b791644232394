// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.rails;

import com.google.gson.Gson;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.stripeline.natives.EcException;
import org.stripeline.natives.RailSurvey;

/** The rails of this machine; the field names are those of the JSON output. */
public final class RailReport {
  /** The rails that every machine may have, by name. */
  public static final String KNOWN = "cpu,isal,cuda";

  /** Where the values come from. */
  public String source;

  /** The rails that were looked for. */
  public List<Rail> rails = new ArrayList<>();

  /** What to know of the measurement. */
  public List<String> notes = new ArrayList<>();

  /** A coder, in or out. */
  public static final class Rail {
    /** Its name. */
    public String name;

    /** Whether it is there and has given right answers. */
    public boolean in;

    /** What is behind it; null if it is out. */
    public String description;

    /** Why it is out; null if it is in. */
    public String reason;

    /** Bytes of data a second, all its threads together; null if not measured. */
    public Long bytesPerSecond;

    /** Threads worth feeding it; null if not measured. */
    public Integer lanes;

    /** Bytes of data below which a task is not worth its fixed cost; null if not measured. */
    public Long smallestDataBytes;

    /** Bytes of a stripe from which on stores past the cache pay; null if never or not measured. */
    public Long streamFromBytes;

    /** Bytes of each buffer that it is given at a time; null if not measured. */
    public Long pieceBytes;
  }

  /**
   * Looks for rails and measures them.
   *
   * @param names their names, separated by commas
   * @param budget how long to measure, all together
   * @param table the tuning table to write; null for none
   * @return what was found
   * @throws EcException as {@link RailSurvey#take}
   */
  public static RailReport of(String names, Duration budget, Path table) throws EcException {
    return new Gson().fromJson(RailSurvey.take(names, budget, table), RailReport.class);
  }

  /**
   * Returns a line about each rail.
   *
   * @return lines for people, without the name that each begins with
   */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Rail rail : rails) {
      String rate =
          rail.bytesPerSecond == null
              ? "not measured"
              : String.format("%.1f GB/s with %d threads", rail.bytesPerSecond / 1e9, rail.lanes);
      lines.add(
          String.format(
              "%-8s %s",
              rail.name,
              rail.in ? "in, " + rate + ": " + rail.description : "out: " + rail.reason));
    }
    return lines;
  }
}
