// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import picocli.CommandLine.Option;

/** Options of commands that may last longer than a Kerberos ticket; see {@link KeytabLogin}. */
public final class LoginOptions {
  @Option(
      names = "--principal",
      paramLabel = "NAME",
      description = "With --keytab, the Kerberos principal to log in as; _HOST is replaced")
  String principal;

  @Option(
      names = "--keytab",
      paramLabel = "FILE",
      description =
          "Keytab to log in from, and again before a ticket expires (default: the ticket cache)")
  String keytab;
}
