// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;

/**
 * The file that receives log messages, mainly of Hadoop's classes, so that the terminal shows a
 * command's own output without stack traces. It is opened when the first message arrives; only its
 * owner can read it.
 *
 * <p>Does not need log4j, which a class path may lack.
 */
final class HadoopLog {
  /** Variable of the environment that names the file; {@code -} is stderr. */
  static final String VARIABLE = "STRIPELINE_LOG";

  private static final long BYTES_MAX = 16L << 20;

  private final String named;
  private final String home;
  private Path file;
  private OutputStream out;
  private IOException failure;

  /**
   * Creates a log.
   *
   * @param named file to write, {@code -} for stderr, null for one below {@code home}
   * @param home the user's home directory, null if there is none
   */
  HadoopLog(String named, String home) {
    this.named = named == null || named.isEmpty() ? null : named;
    this.home = home;
  }

  /** Writes a message with its line feed. */
  synchronized void write(String text) {
    try {
      if (out == null && failure == null) {
        out = open();
      }
      if (out != null) {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } catch (IOException e) {
      failure = e;
      out = null;
    }
  }

  /** Prints where the messages are, if there are any. */
  synchronized void mention(PrintStream err) {
    if (failure != null) {
      err.println(
          "stripeline: Cannot write log messages: " + failure + "; name a file with " + VARIABLE);
    } else if (file != null) {
      err.println("stripeline: Log messages with details are in " + file);
    }
  }

  private OutputStream open() throws IOException {
    if ("-".equals(named)) {
      return System.err;
    }
    if (named != null) {
      return append(Paths.get(named).toAbsolutePath());
    }
    try {
      if (home != null && Paths.get(home).isAbsolute()) {
        return append(Paths.get(home, ".stripeline", "log", "stripeline.log"));
      }
    } catch (IOException e) {
      // Users of services may have a home directory that they cannot write.
    }
    file = Files.createTempFile("stripeline-", ".log");
    return Files.newOutputStream(file);
  }

  private OutputStream append(Path path) throws IOException {
    Files.createDirectories(path.getParent(), owner("rwx------"));
    if (Files.isRegularFile(path) && Files.size(path) > BYTES_MAX) {
      Path before = path.resolveSibling(path.getFileName() + ".1");
      Files.move(path, before, StandardCopyOption.REPLACE_EXISTING);
    }
    OutputStream opened =
        Channels.newOutputStream(
            Files.newByteChannel(
                path,
                EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                owner("rw-------")));
    file = path;
    return opened;
  }

  private static FileAttribute<?> owner(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }

  /** The log of this process. */
  static final class OfProcess {
    static final HadoopLog LOG = new HadoopLog(System.getenv(VARIABLE), System.getenv("HOME"));

    private OfProcess() {}
  }
}
