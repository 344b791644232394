// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Option;

/** How a command shows its result; mixed into every command that has one. */
public final class OutputOptions {
  private static final Gson GSON =
      new GsonBuilder()
          .setPrettyPrinting()
          .serializeNulls()
          .disableHtmlEscaping()
          .serializeSpecialFloatingPointValues()
          .create();

  /** Forms of a result. */
  public enum Format {
    /** For people. */
    TABLE,

    /** For programs; field names are stable. */
    JSON;

    /** Returns the value of the command line. */
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
   * Tells whether the result is for programs.
   *
   * @return true for JSON
   */
  public boolean isJson() {
    return format == Format.JSON;
  }

  /**
   * Prints a result as JSON.
   *
   * @param out where to
   * @param result an object whose fields are the result
   */
  public static void printJson(PrintWriter out, Object result) {
    out.println(GSON.toJson(result));
    out.flush();
  }
}
