// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/** Writes the sources of the manual pages and the completion of shells; `make dist` runs it. */
public final class ShellFiles {
  private ShellFiles() {}

  /**
   * Writes {@code man/*.adoc} and {@code completion/stripeline}.
   *
   * @param arguments the directory to write into
   * @throws IOException if a file cannot be written
   */
  public static void main(String[] arguments) throws IOException {
    Path directory = Paths.get(arguments[0]);
    CommandLine line = Stripeline.commandLine();
    Path pages = Files.createDirectories(directory.resolve("man"));
    int status =
        ManPageGenerator.generateManPage(
            pages.toFile(), null, new boolean[0], true, line.getCommandSpec());
    if (status != 0) {
      throw new IOException("Cannot write the manual pages to " + pages + ": status " + status);
    }
    Path completion = Files.createDirectories(directory.resolve("completion"));
    Files.write(completion.resolve("stripeline"), AutoComplete.bash("stripeline", line).getBytes());
  }
}
