// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.testkit.ForkedJvm;

/**
 * Tests loading in a separate JVM for each case: successful loading, and failures that need the
 * real library. Every process must end with correct parity, whichever implementation it uses.
 */
@NeedsNativeLibrary
class NativeLoaderForkedTest {
  @TempDir Path folder;

  @Test
  void loadsFromTheJarAndLeavesNoFile() throws Exception {
    assumeJar();
    String output = probe("-D" + NativeLoader.TEMP_DIR_KEY + "=" + folder);
    assertThat(output)
        .contains("implementation=native", "origin=jar:/native/linux-", "cause=none")
        .doesNotContain("Falling back");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void loadsANamedFile() throws Exception {
    Path library = library();
    assertThat(probe("-D" + NativeLoader.PATH_KEY + "=" + library))
        .contains("implementation=native", "origin=" + library);
  }

  @Test
  void loadsFromTheLibraryPath() throws Exception {
    assumeJar();
    Path library = library();
    assertThat(probe("-Djava.library.path=/nonexistent:" + folder))
        .contains("implementation=native", "origin=" + library);
  }

  @Test
  void warnsOnceIfDisabled() throws Exception {
    String output = probe("-D" + NativeLoader.ENABLED_KEY + "=false");
    assertThat(output)
        .contains(
            "implementation=java",
            "cause=Cannot load native library: stripeline.native.enabled is false")
        .containsOnlyOnce(
            "WARN org.stripeline.natives.codec.ErasureCodec - Falling back to pure-Java erasure"
                + " coding, several times slower: Cannot load native library:"
                + " stripeline.native.enabled is false");
  }

  @Test
  void refusesALibraryTruncatedAtAnyLength() throws Exception {
    byte[] content = Files.readAllBytes(library());
    Path truncated = folder.resolve("truncated.so");
    for (int part : new int[] {1, 40, 90}) {
      Files.write(truncated, Arrays.copyOf(content, content.length / 100 * part));
      assertThat(probe("-D" + NativeLoader.PATH_KEY + "=" + truncated))
          .contains("implementation=java", "it is truncated or damaged");
    }
  }

  @Test
  void refusesAForeignLibrary() throws Exception {
    Path javaLibraries = Paths.get(System.getProperty("java.home"), "lib");
    Path foreign = folder.resolve("foreign.so");
    Files.copy(javaLibraries.resolve("libjimage.so"), foreign);
    assertThat(probe("-D" + NativeLoader.PATH_KEY + "=" + foreign))
        .contains(
            "implementation=java",
            "cause=Cannot use native library " + foreign + ": it is not Stripeline's");
  }

  @Test
  void refusesAnotherInterfaceVersion() throws Exception {
    Path source = folder.resolve("other.c");
    Path library = folder.resolve("other.so");
    Files.write(
        source,
        Collections.singletonList(
            "int Java_org_stripeline_natives_codec_NativeBridge_abiVersion(void *e, void *c) "
                + "{ return 99; }"));
    assumeTrue(
        runs("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString()),
        "there is no C compiler");
    assertThat(probe("-D" + NativeLoader.PATH_KEY + "=" + library))
        .contains("implementation=java", "its interface version is 99, but this jar needs 1");
  }

  @Test
  void namesATemporaryDirectoryWithoutExecution() throws Exception {
    assumeJar();
    String output = probeOnMount("noexec");
    assertThat(output)
        .contains(
            "implementation=java",
            "Cannot load native library from "
                + folder
                + ": the file system does not allow execution (mounted noexec?); set"
                + " stripeline.native.temp-dir to a directory that does");
  }

  @Test
  void namesAFullTemporaryDirectory() throws Exception {
    assumeJar();
    String output = probeOnMount("size=64k");
    assertThat(output)
        .contains(
            "implementation=java",
            "Cannot extract native library to "
                + folder
                + ": No space left on device; set stripeline.native.temp-dir to a directory with a"
                + " few MiB of free space");
  }

  private static String probe(String jvmArgument) throws Exception {
    return ForkedJvm.of(LoaderProbe.class).with(jvmArgument).output();
  }

  /** Runs the probe in a separate mount namespace, so that the mount ends with the process. */
  private String probeOnMount(String options) throws Exception {
    List<String> prefix =
        Arrays.asList(
            "unshare",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            "mount -t tmpfs -o " + options + " tmpfs '" + folder + "' && exec \"$@\"",
            "sh");
    List<String> trial = new ArrayList<>(prefix);
    trial.add("true");
    assumeTrue(
        runs(trial.toArray(new String[0])), "this process may not mount a file system of its own");
    return ForkedJvm.of(LoaderProbe.class)
        .under(prefix)
        .with("-D" + NativeLoader.TEMP_DIR_KEY + "=" + folder)
        .output();
  }

  private static boolean runs(String... command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.to(Paths.get("/dev/null").toFile()))
              .start();
      return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static void assumeJar() {
    assumeTrue(
        System.getProperty(NativeLoader.PATH_KEY) == null,
        "a named library is tested, not the jar's");
  }

  private Path library() throws IOException {
    Path library = folder.resolve("libstripeline_jni.so");
    String named = System.getProperty(NativeLoader.PATH_KEY);
    if (named != null) {
      return Files.copy(Paths.get(named), library);
    }
    try (InputStream content =
        NativeLoader.class.getResourceAsStream(NativePlatform.current().resourcePath())) {
      Files.copy(content, library);
    }
    return library;
  }
}
