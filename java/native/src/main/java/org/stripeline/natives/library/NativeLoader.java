// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.library;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.Function;

/**
 * Finds, checks, loads and tests the native library, once. For Stripeline's own modules.
 *
 * <p>Search order: if {@code stripeline.native.path} is set, only the file that it names; otherwise
 * the folders of {@code java.library.path}, then the jar. The library in the jar is copied to
 * {@code stripeline.native.temp-dir} under a unique name and deleted as soon as it is mapped.
 * {@code stripeline.native.enabled=false} disables all of this.
 *
 * <p>No failure is thrown to callers of the codecs; {@link #cause} keeps it.
 */
public final class NativeLoader {
  static final String PATH_KEY = "stripeline.native.path";
  static final String TEMP_DIR_KEY = "stripeline.native.temp-dir";
  static final String ENABLED_KEY = "stripeline.native.enabled";

  /** Part of the extracted file's name, so that the origin of a leftover file is visible. */
  public static final String VERSION = "0.1.0";

  private static final int COPY_BYTES = 64 * 1024;

  private final Properties properties;
  private final NativePlatform platform;
  private final Function<String, InputStream> resources;
  private final SelfTest selfTest;

  private String origin;
  private Throwable cause;
  private boolean attempted;

  NativeLoader(
      Properties properties,
      NativePlatform platform,
      Function<String, InputStream> resources,
      SelfTest selfTest) {
    this.properties = properties;
    this.platform = platform;
    this.resources = resources;
    this.selfTest = selfTest;
  }

  /** Tests a library that has been loaded. */
  public interface SelfTest {
    /**
     * Throws if the library must not be used.
     *
     * @param origin the origin of the library, for the message
     */
    void run(String origin) throws IOException;
  }

  /** Creates the loader of this process; it loads on the first query, not on creation. */
  public static NativeLoader ofProcess(SelfTest selfTest) {
    return new NativeLoader(
        System.getProperties(),
        NativePlatform.current(),
        NativeLoader.class::getResourceAsStream,
        selfTest);
  }

  /**
   * Returns the failure that prevents the use of the library, or null if it is loaded and has
   * passed its self test; loads it if necessary.
   */
  public synchronized Throwable cause() {
    attempt();
    return cause;
  }

  /** Returns the origin of the library, or null if it is not loaded. */
  public synchronized String origin() {
    attempt();
    return cause == null ? origin : null;
  }

  private void attempt() {
    if (attempted) {
      return;
    }
    attempted = true;
    try {
      load();
      selfTest.run(origin);
    } catch (IOException | RuntimeException | Error e) {
      // Also an OutOfMemoryError: the coder in Java works without the library.
      cause = e;
    }
  }

  private void load() throws IOException {
    if (!Boolean.parseBoolean(properties.getProperty(ENABLED_KEY, "true").trim())) {
      throw new IOException(
          "Cannot load native library: "
              + ENABLED_KEY
              + " is "
              + properties.getProperty(ENABLED_KEY));
    }
    String explicit = properties.getProperty(PATH_KEY);
    if (explicit != null) {
      loadFile(Paths.get(explicit).toAbsolutePath(), "named by " + PATH_KEY);
      return;
    }
    if (!platform.isSupported()) {
      throw new IOException(
          "Cannot load native library: this release has none for "
              + platform.folder()
              + ", only for "
              + String.join(", ", NativePlatform.SUPPORTED));
    }
    List<IOException> refused = new ArrayList<>();
    if (loadFromLibraryPath(refused)) {
      return;
    }
    try {
      loadFromJar();
    } catch (IOException e) {
      refused.forEach(e::addSuppressed);
      throw e;
    }
  }

  private boolean loadFromLibraryPath(List<IOException> refused) {
    String libraryPath = properties.getProperty("java.library.path", "");
    for (String folder : libraryPath.split(File.pathSeparator)) {
      Path file = Paths.get(folder.isEmpty() ? "." : folder, platform.libraryFileName());
      if (!Files.isRegularFile(file)) {
        continue;
      }
      try {
        loadFile(file.toAbsolutePath(), "found on java.library.path");
        return true;
      } catch (IOException e) {
        refused.add(e);
      }
    }
    return false;
  }

  private void loadFile(Path file, String how) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException("Cannot load native library " + file + ", " + how + ": no such file");
    }
    try {
      ElfHeader.check(file, platform.elfMachine());
      System.load(file.toString());
    } catch (IOException | UnsatisfiedLinkError e) {
      throw new IOException(
          "Cannot load native library " + file + ", " + how + ": " + e.getMessage(), e);
    }
    origin = file.toString();
  }

  private void loadFromJar() throws IOException {
    Path folder =
        Paths.get(properties.getProperty(TEMP_DIR_KEY, properties.getProperty("java.io.tmpdir")))
            .toAbsolutePath();
    String resource = platform.resourcePath();
    try (InputStream content = resources.apply(resource)) {
      if (content == null) {
        throw new IOException(
            "Cannot load native library: the jar was built without "
                + resource
                + "; build a jar with it, or name a library by "
                + PATH_KEY);
      }
      Path copy = extract(content, folder);
      try {
        loadCopy(copy, folder, resource);
      } finally {
        // A mapped library needs no name; deleting the file now leaves nothing behind even after a
        // crash.
        Files.deleteIfExists(copy);
      }
    }
    origin = "jar:" + resource;
  }

  private Path extract(InputStream content, Path folder) throws IOException {
    FileAttribute<?> ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    Path copy = null;
    try {
      // Before JDK 17.0.14, createDirectories refuses a symbolic link to a directory.
      if (!Files.isDirectory(folder)) {
        Files.createDirectories(folder);
      }
      copy = Files.createTempFile(folder, "stripeline_jni-" + VERSION + "-", ".so", ownerOnly);
      // Written to the created file, because a copy would create a file that other users can read.
      try (OutputStream output = Files.newOutputStream(copy)) {
        byte[] chunk = new byte[COPY_BYTES];
        for (int bytes = content.read(chunk); bytes >= 0; bytes = content.read(chunk)) {
          output.write(chunk, 0, bytes);
        }
      }
      return copy;
    } catch (IOException | UnsupportedOperationException e) {
      if (copy != null) {
        Files.deleteIfExists(copy);
      }
      throw new IOException(
          "Cannot extract native library to "
              + folder
              + ": "
              + reason(e)
              + "; set "
              + TEMP_DIR_KEY
              + " to a directory with a few MiB of free space in which files can be created and"
              + " executed",
          e);
    }
  }

  private void loadCopy(Path copy, Path folder, String resource) throws IOException {
    try {
      ElfHeader.check(copy, platform.elfMachine());
    } catch (IOException e) {
      throw new IOException(
          "Cannot load native library " + resource + " of the jar: " + e.getMessage(), e);
    }
    try {
      System.load(copy.toString());
    } catch (UnsatisfiedLinkError e) {
      String message = String.valueOf(e.getMessage());
      // glibc's message when mmap refuses PROT_EXEC, as it does on a file system mounted noexec.
      if (message.contains("failed to map segment")) {
        throw new IOException(
            "Cannot load native library from "
                + folder
                + ": the file system does not allow "
                + "execution (mounted noexec?); set "
                + TEMP_DIR_KEY
                + " to a directory that does ("
                + message
                + ")",
            e);
      }
      throw new IOException(
          "Cannot load native library " + resource + " of the jar: " + message, e);
    }
  }

  /**
   * Returns the reason of a failure; the message of a file system exception contains only the
   * file's name.
   */
  private static String reason(Exception e) {
    if (e instanceof FileSystemException) {
      String reason = ((FileSystemException) e).getReason();
      return reason != null ? reason : e.getClass().getSimpleName();
    }
    return String.valueOf(e.getMessage());
  }
}
