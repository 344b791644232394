// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.testkit.PageBrowser;

/** Runs an evaluation on real clusters, kills it, and continues it. */
@Tag("full")
@Timeout(500)
class EvaluateProcessTest extends EvaluateCase {
  /** Killed while links are limited; then measured to the end, and shown in a browser. */
  @Test
  void codersClientsAndModelAreMeasured() throws Exception {
    Path directory = temporary.resolve("evaluation");
    List<String> arguments =
        List.of("evaluate", "--trial", "--only=coders,clients,model", "--dir=" + directory);
    List<String> networks = networks();
    start(arguments.toArray(new String[0]));
    killDuring("links", directory);
    assertThat(networks()).isEqualTo(networks);

    List<String> again = new ArrayList<>(arguments);
    again.add("--resume");
    start(again.toArray(new String[0]));
    int status = process.waitFor();
    List<String> leftOut = new ArrayList<>();
    for (JsonElement section : sections(directory)) {
      for (JsonElement run : section.getAsJsonObject().getAsJsonArray("runs")) {
        JsonObject one = run.getAsJsonObject();
        assertThat(one.get("failed").isJsonNull()).as("%s", one).isTrue();
        if (!one.get("leftOut").isJsonNull()) {
          leftOut.add(one.get("leftOut").getAsString());
        }
      }
      assertThat(section.getAsJsonObject().getAsJsonArray("figures")).isNotEmpty();
    }
    // What a machine may lack.
    assertThat(leftOut).allMatch(reason -> reason.matches(".*(libisal2|root).*"));
    assertThat(status).isEqualTo(leftOut.isEmpty() ? 0 : 3);
    if (PageBrowser.isThere()) {
      Path page = directory.resolve("report.html");
      assertThat(PageBrowser.faults(page, Files.createDirectory(temporary.resolve("browser"))))
          .isEmpty();
    }
  }

  /** Returns the named networks of this machine. */
  private static List<String> networks() {
    String[] names = Path.of("/run/netns").toFile().list();
    return names == null ? List.of() : Arrays.asList(names);
  }
}
