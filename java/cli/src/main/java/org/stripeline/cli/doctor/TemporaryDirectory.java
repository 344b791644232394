// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;

/**
 * Tests whether programs may be executed from the directory into which the native library is
 * unpacked.
 */
final class TemporaryDirectory {
  private TemporaryDirectory() {}

  /**
   * Executes a script in the directory: a "noexec" mount refuses it in the same way as a library.
   *
   * @return whether the script can be executed
   * @throws IOException if no file could be created there
   */
  static boolean mayExecute(Path directory) throws IOException {
    Path script =
        Files.createTempFile(
            directory,
            "stripeline-doctor",
            ".sh",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try {
      Files.write(script, "#!/bin/sh\nexit 0\n".getBytes(StandardCharsets.UTF_8));
      Process process =
          new ProcessBuilder(script.toString())
              .redirectErrorStream(true)
              .redirectOutput(new File("/dev/null"))
              .start();
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return false;
      }
      return process.exitValue() == 0;
    } catch (IOException refused) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      Files.deleteIfExists(script);
    }
  }
}
