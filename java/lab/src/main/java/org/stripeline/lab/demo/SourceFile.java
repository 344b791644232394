// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.nio.file.Path;

/** One file of the demo: where it lies, its name below the target directory, its content. */
final class SourceFile {

  private final Path local;
  private final String name;
  private final Fingerprint fingerprint;

  SourceFile(Path local, String name, Fingerprint fingerprint) {
    this.local = local;
    this.name = name;
    this.fingerprint = fingerprint;
  }

  Path local() {
    return local;
  }

  /** Relative name with {@code /} between its parts. */
  String name() {
    return name;
  }

  Fingerprint fingerprint() {
    return fingerprint;
  }

  long length() {
    return fingerprint.length();
  }
}
