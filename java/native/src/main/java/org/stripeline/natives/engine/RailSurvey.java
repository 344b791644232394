// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.stripeline.natives.codec.EcException;

/** Surveys the coders ("rails") of this machine and their speeds. */
public final class RailSurvey {
  private RailSurvey() {}

  /**
   * Looks for rails, runs known-answer tests on each, and measures those that pass.
   *
   * @param rails their names, separated by commas: {@code cpu}, {@code isal}, {@code cuda}, {@code
   *     plugin:PATH}, or {@code auto} for the CPU and every GPU
   * @param budget how long to measure, all rails together; with 10 seconds or more the values are
   *     repeatable
   * @param table the tuning table to write the values to, whose values of other machines are kept;
   *     null to write nothing
   * @return a JSON object: {@code source}; {@code rails}, each with {@code name}, {@code in},
   *     {@code description}, {@code reason} if it is not used and, if measured, {@code
   *     bytesPerSecond} of data, {@code lanes}, {@code smallestDataBytes}, {@code streamFromBytes}
   *     (null for never) and {@code pieceBytes}; and {@code notes} about the measurement
   * @throws EcException if there is no native library, a name is wrong, or the table cannot be read
   *     or written
   * @throws IllegalArgumentException if the names are null or not on one line, or the budget is
   *     null or negative
   */
  public static String take(String rails, Duration budget, Path table) throws EcException {
    if (rails == null || rails.indexOf('\n') >= 0) {
      throw new IllegalArgumentException(
          "Cannot probe for rails: their names are not one line of text");
    }
    if (budget == null || budget.isNegative()) {
      throw new IllegalArgumentException("Cannot measure rails: the time is " + budget);
    }
    EngineBridge.requireLibrary("probe for rails");
    byte[] path = table == null ? null : table.toString().getBytes(Charset.defaultCharset());
    byte[] configuration = ("rails=" + rails).getBytes(StandardCharsets.UTF_8);
    try {
      return EngineBridge.survey(configuration, budget.toMillis(), path);
    } catch (EcException e) {
      throw e;
    } catch (IOException | IllegalArgumentException e) {
      throw new EcException(EcException.Kind.CONFIGURATION, e.getMessage());
    }
  }
}
