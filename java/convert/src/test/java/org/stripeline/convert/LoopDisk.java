// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;

/**
 * A disk that can lose power: an ext4 file system in a file. Its journal is written only on
 * request, so data that was not synced is only in memory, not in the file.
 */
final class LoopDisk implements AutoCloseable {
  private static final long BYTES = 96L << 20;

  private final Path image;
  private final Path mountPoint;
  private boolean isMounted;

  private LoopDisk(Path image, Path mountPoint) {
    this.image = image;
    this.mountPoint = mountPoint;
  }

  /** Returns the reason for which such disks cannot be created here, or null if they can. */
  static String missing(Path directory) throws Exception {
    if (!"root".equals(System.getProperty("user.name"))) {
      return "file systems are mounted by root only";
    }
    try (LoopDisk disk = make(directory, "trial")) {
      return null;
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  /** Creates an empty disk. */
  static LoopDisk make(Path directory, String name) throws Exception {
    Path mountPoint = Files.createDirectories(directory.resolve(name));
    LoopDisk disk = new LoopDisk(directory.resolve(name + ".img"), mountPoint);
    try (RandomAccessFile file = new RandomAccessFile(disk.image.toFile(), "rw")) {
      file.setLength(BYTES);
    }
    // Avoids writes in the background.
    run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", disk.text());
    disk.mount();
    return disk;
  }

  private String text() {
    return image.toString();
  }

  private void mount() throws Exception {
    run("mount", "-o", "loop,commit=99999", text(), mountPoint.toString());
    isMounted = true;
  }

  /** Returns a directory on the disk. */
  Path data() throws IOException {
    return Files.createDirectories(mountPoint.resolve("data"));
  }

  /** Writes all data in memory to the disk. */
  void sync() throws Exception {
    run("sync", "-f", mountPoint.toString());
  }

  /** Copies the current content of the disk, without data that is only in memory. */
  Path snapshot() throws Exception {
    Path copy = image.resolveSibling(image.getFileName() + ".copy");
    run("cp", "--sparse=always", text(), copy.toString());
    return copy;
  }

  /** Restores the disk to a snapshot, as after a loss of power. */
  void restore(Path snapshot) throws Exception {
    unmount();
    Files.move(snapshot, image, StandardCopyOption.REPLACE_EXISTING);
    mount();
  }

  private void unmount() throws Exception {
    if (isMounted) {
      run("umount", mountPoint.toString());
      isMounted = false;
    }
  }

  @Override
  public void close() throws Exception {
    unmount();
    Files.deleteIfExists(image);
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    byte[] said = process.getInputStream().readAllBytes();
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException(
          String.join(" ", command) + ": " + new String(said, StandardCharsets.UTF_8).trim());
    }
  }
}
