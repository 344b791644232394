// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.io.PrintWriter;
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

  /** The key of the version of the output, which changes when a key is renamed or removed. */
  public static final String SCHEMA_KEY = "schema";

  /** The current version. */
  public static final int SCHEMA = 1;

  @Option(names = "--json", description = "Print the result on stdout as JSON")
  private boolean json;

  /**
   * Returns whether the output format is JSON.
   *
   * @return true for JSON
   */
  public boolean isJson() {
    return json;
  }

  /**
   * Prints a result as a JSON object that begins with the version of the output.
   *
   * @param out the output
   * @param result an object whose fields are the result
   */
  public static void printJson(PrintWriter out, Object result) {
    JsonObject versioned = new JsonObject();
    versioned.addProperty(SCHEMA_KEY, SCHEMA);
    GSON.toJsonTree(result)
        .getAsJsonObject()
        .entrySet()
        .forEach(entry -> versioned.add(entry.getKey(), entry.getValue()));
    out.println(GSON.toJson(versioned));
    out.flush();
  }
}
