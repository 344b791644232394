// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import com.google.gson.Gson;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.stripeline.natives.codec.EcException;
import org.stripeline.natives.engine.RailSurvey;

/** The rails of this machine; the field names are those of the JSON output. */
public final class RailReport {
  /** The names of all rails that a machine may have. */
  public static final String KNOWN = "cpu,isal,cuda";

  /** The source of the values. */
  public String source;

  /** The rails that were requested. */
  public List<Rail> rails = new ArrayList<>();

  /** Remarks about the measurement. */
  public List<String> notes = new ArrayList<>();

  /** A rail, available or not. */
  public static final class Rail {
    /** Its name. */
    public String name;

    /** Whether the rail is available and passed its known-answer tests. */
    public boolean in;

    /** The device or library of the rail; null if it is not available. */
    public String description;

    /** Why it is not available; null if it is. */
    public String reason;

    /** Bytes of data per second with all its threads; null if not measured. */
    public Long bytesPerSecond;

    /** Number of threads that are useful for it; null if not measured. */
    public Integer lanes;

    /** Minimum bytes of data for which a task is worth its fixed cost; null if not measured. */
    public Long smallestDataBytes;

    /**
     * Stripe size in bytes from which non-temporal stores are faster; null if never or not
     * measured.
     */
    public Long streamFromBytes;

    /** Bytes of each buffer in one call; null if not measured. */
    public Long pieceBytes;
  }

  /**
   * Finds the rails and measures them.
   *
   * @param names their names, separated by commas
   * @param budget the total duration of the measurements
   * @param table the tuning table to write; null for none
   * @return the result
   * @throws EcException as {@link RailSurvey#take}
   */
  public static RailReport of(String names, Duration budget, Path table) throws EcException {
    return new Gson().fromJson(RailSurvey.take(names, budget, table), RailReport.class);
  }

  /**
   * Returns a line of text about each rail.
   *
   * @return the lines, without the names of the rails
   */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Rail rail : rails) {
      String rate =
          rail.bytesPerSecond == null
              ? "not measured"
              : String.format(
                  "measured %.1f GB/s with %d threads", rail.bytesPerSecond / 1e9, rail.lanes);
      lines.add(
          String.format(
              "%-8s %s",
              rail.name,
              rail.in ? "in, " + rate + ": " + rail.description : "out: " + rail.reason));
    }
    return lines;
  }
}
