// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.testkit.ForkedJvm;
import org.stripeline.testkit.RailPlugin;

/**
 * Tests many concurrent streams over an engine whose device fails, hangs and writes wrong bytes,
 * each case in a separate JVM with a cluster of its own.
 */
@Tag("full")
class EngineFaultsTest {
  @TempDir Path folder;

  /** Without copies, the engine waits for a device that hangs. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "STRIPELINE_PLUGIN_IN_PLACE"})
  void streamsOverAFaultyDeviceHaveTheRightBytes(String flags) throws Exception {
    Path faults = folder.resolve("faults");
    assertThat(
            run(
                Arrays.asList("streams", "24", faults.toString()),
                Arrays.asList(
                    "-DFLAGS=" + flags,
                    "-DFAULTS_SEED=7",
                    "-DFAULTS_WHILE_THERE=\"" + faults + '"')))
        .contains("all right")
        .containsPattern("device: pieces [1-9]\\d*, .*, quarantines [1-9]");
  }

  /** What the engine refuses is coded by the streams; what it lets wait is issued later. */
  @ParameterizedTest
  @ValueSource(strings = {"refuse", "wait"})
  void manyStreamsShareAnEngineThatIsFull(String whenFull) throws Exception {
    shareAFullEngine(24, whenFull);
  }

  @ParameterizedTest
  @ValueSource(strings = {"refuse", "wait"})
  @Tag("conformance")
  void twiceAsManyStreamsShareAnEngineThatIsFull(String whenFull) throws Exception {
    shareAFullEngine(48, whenFull);
  }

  private void shareAFullEngine(int streams, String whenFull) throws Exception {
    assertThat(
            run(
                Arrays.asList("streams", "" + streams, folder.resolve("none").toString()),
                Arrays.asList("-DBYTES_PER_SECOND=20000000u"),
                "-Dstripeline.engine.tasks-max=2",
                "-Dstripeline.engine.bytes-max=300000",
                "-Dstripeline.engine.when-full=" + whenFull))
        .contains("all right")
        .containsPattern("device: pieces [1-9]");
  }

  /** A shutdown hook closes the streams. */
  @Test
  void aProcessThatExitsClosesItsStreams() throws Exception {
    assertThat(
            run(
                Arrays.asList("exit", "8", folder.resolve("none").toString()),
                Arrays.asList("-DBYTES_PER_SECOND=2000000u")))
        .contains("exits", "8 of 8 closed");
  }

  private String run(List<String> arguments, List<String> macros, String... properties)
      throws Exception {
    assumeTrue(CoderStatus.current().isNative());
    Path library = RailPlugin.compile(folder, macros.toArray(new String[0]));
    assumeTrue(library != null, "no C compiler");
    List<String> all = new ArrayList<>(arguments);
    all.add(0, folder.resolve("cluster").toString());
    return ForkedJvm.of(EngineStreams.class, all.toArray(new String[0]))
        .with("-Xmx700m", "-Dstripeline.engine.enabled=true")
        .with(
            "-Dstripeline.engine.rails=cpu,plugin:" + library,
            "-Dstripeline.engine.scheduling=single:plugin:test",
            "-Dstripeline.engine.check-every=1",
            "-Dstripeline.engine.stall-ms=50",
            "-Dstripeline.engine.quarantine-ms=5")
        .with(properties)
        .logging(folder, "FATAL")
        .output();
  }
}
