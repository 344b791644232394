// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Option;

/** The output format of a command; mixed into every command that has a result. */
public final class OutputOptions {
  private static final Gson GSON =
      new GsonBuilder()
          .setPrettyPrinting()
          .serializeNulls()
          .disableHtmlEscaping()
          .serializeSpecialFloatingPointValues()
          .create();

  /** Output formats. */
  public enum Format {
    /** Text for reading. */
    TABLE,

    /** JSON for programs; field names are stable. */
    JSON;

    /** Returns the value on the command line. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description =
          "Form of the result on stdout: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
  private Format format;

  /**
   * Returns whether the output format is JSON.
   *
   * @return true for JSON
   */
  public boolean isJson() {
    return format == Format.JSON;
  }

  /**
   * Prints a result as JSON.
   *
   * @param out the output
   * @param result an object whose fields are the result
   */
  public static void printJson(PrintWriter out, Object result) {
    out.println(GSON.toJson(result));
    out.flush();
  }
}
