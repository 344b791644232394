// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests every failure to load the library: its message, and that it leaves no files and never
 * crashes.
 */
class NativeLoaderTest {
  private static final NativePlatform LINUX = NativePlatform.of("Linux", "amd64");

  @TempDir Path folder;

  private final Properties properties = new Properties();
  private Path temporary;

  @BeforeEach
  void setUp() {
    temporary = folder.resolve("temporary");
    properties.setProperty(NativeLoader.TEMP_DIR_KEY, temporary.toString());
  }

  @Test
  void disabled() {
    properties.setProperty(NativeLoader.ENABLED_KEY, "false");
    assertThat(cause(LINUX, noResources()))
        .isEqualTo("Cannot load native library: stripeline.native.enabled is false");
  }

  @Test
  void namesAPlatformWithoutLibrary() {
    assertThat(cause(NativePlatform.of("Linux", "ppc64le"), noResources()))
        .isEqualTo(
            "Cannot load native library: this release has none for linux-ppc64le, only for"
                + " linux-x86_64, linux-aarch64");
  }

  @Test
  void namesAJarWithoutLibrary() {
    assertThat(cause(LINUX, noResources()))
        .isEqualTo(
            "Cannot load native library: the jar was built without"
                + " /native/linux-x86_64/libstripeline_jni.so; build a jar with it, or name a"
                + " library by stripeline.native.path");
  }

  @Test
  void aMissingNamedFileDoesNotFallBackToTheJar() {
    Path file = folder.resolve("none.so");
    properties.setProperty(NativeLoader.PATH_KEY, file.toString());
    String cause =
        cause(
            LINUX,
            resource -> {
              throw new AssertionError("asked the jar for " + resource);
            });
    assertThat(cause)
        .isEqualTo(
            "Cannot load native library "
                + file
                + ", named by stripeline.native.path: no such file");
  }

  @Test
  void refusesATextFile() throws IOException {
    assertThat(causeOfNamed("not a library, but long enough to hold the header of one".getBytes()))
        .endsWith("it is truncated or damaged (56 bytes)");
    assertThat(causeOfNamed(new byte[4096]))
        .endsWith("it is not an ELF file (it starts with 0x00000000)");
    assertThat(causeOfNamed(new byte[0])).endsWith("it is truncated or damaged (0 bytes)");
  }

  @Test
  void refusesALibraryForAnotherProcessor() throws IOException {
    assertThat(causeOfNamed(elf(ElfHeader.MACHINE_AARCH64, 3, 4096).array()))
        .endsWith("it is built for aarch64, but this JVM runs on x86_64");
    assertThat(causeOfNamed(elf(22, 3, 4096).array()))
        .endsWith("it is built for ELF machine 22, but this JVM runs on x86_64");
  }

  @Test
  void refusesADamagedElfFile() throws IOException {
    assertThat(causeOfNamed(elf(ElfHeader.MACHINE_X86_64, 2, 4096).array()))
        .endsWith("it is not a shared library (ELF type 2)");
    assertThat(causeOfNamed(elf(ElfHeader.MACHINE_X86_64, 3, 4096).put(4, (byte) 1).array()))
        .endsWith("it is not a 64-bit little-endian ELF file");
    assertThat(causeOfNamed(elf(ElfHeader.MACHINE_X86_64, 3, 1 << 20).array()))
        .as("a segment that reaches past the end of the file")
        .endsWith("it is truncated or damaged (4096 bytes)");
    assertThat(
            causeOfNamed(
                elf(ElfHeader.MACHINE_X86_64, 3, 4096).putLong(32, Long.MAX_VALUE).array()))
        .endsWith("it is truncated or damaged (4096 bytes)");
    assertThat(causeOfNamed(elf(ElfHeader.MACHINE_X86_64, 3, 4096).putShort(56, (short) 0).array()))
        .endsWith("its ELF header is damaged");
  }

  @Test
  void aDamagedResourceLeavesNoFile() throws IOException {
    assertThat(cause(LINUX, resource -> new ByteArrayInputStream(new byte[5000])))
        .isEqualTo(
            "Cannot load native library /native/linux-x86_64/libstripeline_jni.so of the jar: it is"
                + " not an ELF file (it starts with 0x00000000)");
    assertThat(files(temporary)).isEmpty();
  }

  @Test
  void aTruncatedResourceLeavesNoFile() throws IOException {
    Function<String, InputStream> resources =
        resource ->
            new FilterInputStream(new ByteArrayInputStream(new byte[100])) {
              @Override
              public int read(byte[] bytes, int offset, int length) throws IOException {
                throw new IOException("zip entry is damaged");
              }
            };
    assertThat(cause(LINUX, resources))
        .isEqualTo(
            "Cannot extract native library to "
                + temporary
                + ": zip entry is damaged; set stripeline.native.temp-dir to a directory with a few"
                + " MiB of free space in which files can be created and executed");
    assertThat(files(temporary)).isEmpty();
  }

  @Test
  void extractedFileIsForItsOwnerOnly() {
    List<String> permissions = new ArrayList<>();
    Function<String, InputStream> resources =
        resource ->
            new FilterInputStream(new ByteArrayInputStream(new byte[100])) {
              @Override
              public int read(byte[] bytes, int offset, int length) throws IOException {
                for (Path file : files(temporary)) {
                  assertThat(file.getFileName().toString()).startsWith("stripeline_jni-0.1.0-");
                  permissions.add(
                      PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
                }
                return super.read(bytes, offset, length);
              }
            };
    cause(LINUX, resources);
    assertThat(permissions).isNotEmpty().containsOnly("rwx------");
  }

  @Test
  void theTemporaryDirectoryCannotBeCreated() throws IOException {
    Files.write(temporary, new byte[1]);
    assertThat(cause(LINUX, resource -> new ByteArrayInputStream(new byte[100])))
        .startsWith("Cannot extract native library to " + temporary + ": ")
        .contains("set stripeline.native.temp-dir to a directory");
  }

  @Test
  void theTemporaryDirectoryMayBeASymbolicLink() throws IOException {
    Files.createSymbolicLink(temporary, Files.createDirectory(folder.resolve("real")));
    assertThat(cause(LINUX, resource -> new ByteArrayInputStream(new byte[5000])))
        .contains("it is not an ELF file");
  }

  @Test
  void anErrorWhileLoadingIsACause() {
    OutOfMemoryError error = new OutOfMemoryError("as the test wants");
    Function<String, InputStream> resources =
        resource -> {
          throw error;
        };
    NativeLoader loader =
        new NativeLoader(properties, LINUX, resources, NativeLoaderTest::notLoaded);
    assertThat(loader.cause()).isSameAs(error);
  }

  @Test
  void aBadLibraryOnTheLibraryPathIsLoggedAndSkipped() throws IOException {
    Files.write(folder.resolve("libstripeline_jni.so"), new byte[4096]);
    properties.setProperty("java.library.path", "/nonexistent:" + folder);
    NativeLoader loader =
        new NativeLoader(properties, LINUX, noResources(), NativeLoaderTest::notLoaded);
    assertThat(loader.cause()).hasMessageContaining("the jar was built without");
    assertThat(loader.cause().getSuppressed()[0])
        .hasMessage(
            "Cannot load native library "
                + folder.resolve("libstripeline_jni.so")
                + ", found on java.library.path: it is not an ELF file (it starts with"
                + " 0x00000000)");
  }

  @Test
  void theCauseIsKeptAndLoadingIsNotRetried() {
    List<String> asked = new ArrayList<>();
    NativeLoader loader =
        new NativeLoader(
            properties,
            LINUX,
            resource -> {
              asked.add(resource);
              return null;
            },
            NativeLoaderTest::notLoaded);
    assertThat(asked).as("nothing is loaded when the loader is made").isEmpty();
    Throwable cause = loader.cause();
    assertThat(cause).hasMessageContaining("the jar was built without");
    assertThat(loader.origin()).isNull();
    assertThat(loader.cause()).isSameAs(cause);
    assertThat(asked).hasSize(1);
  }

  private String causeOfNamed(byte[] content) throws IOException {
    Path file = folder.resolve("library.so");
    Files.write(file, content);
    properties.setProperty(NativeLoader.PATH_KEY, file.toString());
    String cause = cause(LINUX, noResources());
    assertThat(cause)
        .startsWith("Cannot load native library " + file + ", named by stripeline.native.path: ");
    return cause;
  }

  private String cause(NativePlatform platform, Function<String, InputStream> resources) {
    return new NativeLoader(properties, platform, resources, NativeLoaderTest::notLoaded)
        .cause()
        .getMessage();
  }

  private static void notLoaded(String origin) {
    throw new AssertionError(origin + " was loaded");
  }

  private static Function<String, InputStream> noResources() {
    return resource -> null;
  }

  private static List<Path> files(Path folder) throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> stream = Files.list(folder)) {
      stream.forEach(files::add);
    }
    return files;
  }

  /** Returns a file of 4096 bytes that is an ELF library without content. */
  private static ByteBuffer elf(int machine, int type, long segmentBytes) {
    ByteBuffer elf = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
    elf.putInt(0, 0x464c457f).put(4, (byte) 2).put(5, (byte) 1);
    elf.putShort(16, (short) type).putShort(18, (short) machine);
    elf.putLong(32, 64).putShort(54, (short) 56).putShort(56, (short) 1);
    elf.putInt(64, 1).putLong(64 + 32, segmentBytes);
    return elf;
  }
}
