// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A test of Hadoop that is known not to pass, and the reason.
 *
 * <p>One per line of {@code deviations.txt}: {@code hadoop | java | coder | Class#method | outcome
 * | reason}. The first four are globs in which only {@code *} is special; the third may be a client
 * instead, such as {@code client=stripeline}.
 */
final class Deviation {
  /** The outcome of the test. */
  enum Outcome {
    /** It always fails; a pass is an error because the line is obsolete then. */
    FAILS,
    /** It fails sometimes, also with Hadoop's own coder. */
    FLAKY,
    /** It is skipped. */
    SKIPS
  }

  private static final int FIELDS = 6;

  private final Pattern hadoop;
  private final Pattern java;
  private final Pattern coder;
  private final Pattern test;
  private final Outcome outcome;
  private final String reason;

  private Deviation(String[] fields) {
    hadoop = glob(fields[0]);
    java = glob(fields[1]);
    coder = glob(fields[2]);
    test = glob(fields[3]);
    outcome = Outcome.valueOf(fields[4].toUpperCase(Locale.ROOT));
    reason = fields[5];
  }

  static List<Deviation> load(Path file) throws IOException {
    List<Deviation> deviations = new ArrayList<>();
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String[] fields = line.trim().split("\\s*\\|\\s*");
      if (fields.length != FIELDS) {
        throw new IOException(
            "Cannot read " + file + ": want " + FIELDS + " fields separated by |, got: " + line);
      }
      deviations.add(new Deviation(fields));
    }
    return deviations;
  }

  boolean appliesTo(String hadoopVersion, String javaMajor, String coderName, String clientName) {
    return hadoop.matcher(hadoopVersion).matches()
        && java.matcher(javaMajor).matches()
        && (coder.matcher(coderName).matches() || coder.matcher("client=" + clientName).matches());
  }

  boolean covers(String testName) {
    return test.matcher(testName).matches();
  }

  Outcome outcome() {
    return outcome;
  }

  String reason() {
    return reason;
  }

  private static Pattern glob(String text) {
    return Pattern.compile(
        Arrays.stream(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
  }
}
