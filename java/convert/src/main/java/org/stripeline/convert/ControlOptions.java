// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of {@code stripeline convert} that show and control jobs of any driver. */
final class ControlOptions {
  /** Options that are allowed with these. */
  static final List<String> ALLOWED =
      Arrays.asList(
          "--list",
          "--status",
          "--pause",
          "--continue",
          "--cancel",
          "--job",
          "--job-directory",
          "--json",
          "--keytab",
          "--principal",
          "-D");

  @Option(
      names = "--list",
      description = "List all jobs in the job directory; needs no PATH, like the options below")
  boolean list;

  @Option(
      names = "--status",
      description =
          "Show the progress, failures and DataNodes of --job, or of the only unfinished job")
  boolean status;

  @Option(
      names = "--pause",
      description = "Pause --job or the only unfinished job: it begins nothing until --continue")
  boolean pause;

  @Option(names = "--continue", description = "Let a paused job continue")
  boolean proceed;

  @Option(
      names = "--cancel",
      description =
          "End a job: its files in progress are completed or rolled back, and no others are begun."
              + " If its driver has died, this process does that")
  boolean cancel;

  /** Returns the option that is given. */
  String name() {
    if (list) {
      return "--list";
    }
    if (status) {
      return "--status";
    }
    return pause ? "--pause" : proceed ? "--continue" : "--cancel";
  }
}
