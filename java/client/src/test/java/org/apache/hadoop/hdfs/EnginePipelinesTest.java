// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.ClientKeys;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.testkit.ForkedJvm;
import org.stripeline.testkit.RailPlugin;

/**
 * Tests the pipelines with the engine and its rails, working and faulty ones, each case in a
 * separate JVM.
 */
@Tag("full")
class EnginePipelinesTest {
  private static final String BYTES = "written as by Hadoop, read without 2 DataNodes";
  private static final String LOGGED = "WARN org.stripeline.natives.engine.RailEngine - ";

  @TempDir Path folder;

  @Test
  void withoutADevicePipelinesDoNotUseTheEngine() throws Exception {
    assertThat(run("-Dstripeline.engine.rails=cpu"))
        .contains(
            BYTES, "tasks of writing: false, of reading: false", "cpu: pieces false, faults 0")
        .doesNotContain("WARN org.stripeline.natives", "WARN org.stripeline.coder");
  }

  @Test
  void aMissingRailIsNotUsed() throws Exception {
    assertThat(run("-Dstripeline.engine.rails=cpu,plugin:/no/such/coder.so"))
        .contains(
            BYTES, "tasks of writing: false, of reading: false", "cpu: pieces false, faults 0")
        .containsOnlyOnce(
            LOGGED + "Erasure coding engine: Cannot use rail plugin:/no/such/coder.so");
  }

  @Test
  void anotherRailCompletesTheWorkOfAFailedRail() throws Exception {
    Path failing = folder.resolve("failing");
    Path library = compile("-DFAIL_WHILE_THERE=\"" + failing + '"');
    assertThat(
            run(
                "-Dstripeline.engine.rails=cpu,plugin:" + library,
                "-Dstripeline.engine.scheduling=single:plugin:test",
                "-Dstripeline.engine.quarantine-ms=600000",
                "-Dfailing=" + failing))
        .contains(BYTES, "tasks of writing: true, of reading: true", "cpu: pieces true, faults 0")
        .containsPattern("plugin:test: pieces true, faults [1-9]\\d*, wrong 0, quarantines 1\n")
        .containsOnlyOnce(LOGGED + "Erasure coding engine: Cannot code on plugin:test: ");
  }

  @Test
  void wrongOutputOfARailIsComputedAgain() throws Exception {
    Path failing = folder.resolve("failing");
    Path library = compile("-DWRONG_WHILE_THERE=\"" + failing + '"');
    assertThat(
            run(
                "-Dstripeline.engine.rails=cpu,plugin:" + library,
                "-Dstripeline.engine.scheduling=single:plugin:test",
                "-Dstripeline.engine.check-every=1",
                "-Dstripeline.engine.quarantine-ms=600000",
                "-Dfailing=" + failing))
        .contains(BYTES, "tasks of writing: true, of reading: true", "cpu: pieces true, faults 0")
        .containsPattern("plugin:test: pieces true, faults 0, wrong [1-9]\\d*, quarantines 1\n")
        .containsOnlyOnce(LOGGED + "Erasure coding engine: Cannot trust plugin:test: ");
  }

  private String run(String... properties) throws Exception {
    assumeTrue(CoderStatus.current().isNative());
    return ForkedJvm.of(Pipelines.class, folder.resolve("cluster").toString())
        .with("-Xmx512m", "-Dstripeline.engine.enabled=true")
        .with(properties)
        .logging(folder, "FATAL", "log4j.logger.org.stripeline=INFO")
        .output();
  }

  private Path compile(String macro) throws IOException, InterruptedException {
    Path library = RailPlugin.compile(folder, macro);
    assumeTrue(library != null, "no C compiler");
    return library;
  }

  /** Writes and reads a file on a separate cluster, and prints the counts of the engine. */
  static final class Pipelines {
    private static final int CELL = 64 << 10;
    private static final int PARITY_UNITS = 2;

    private Pipelines() {}

    public static void main(String[] arguments) throws Exception {
      try (WriteCluster cluster =
          new WriteCluster(Paths.get(arguments[0]), 5, 4 * CELL, any -> {})) {
        DistributedFileSystem ours =
            cluster.open(
                "functional-partitioned", conf -> conf.setBoolean(ClientKeys.READ_ENABLED, true));
        DistributedFileSystem hadoops = cluster.open("stock", Pipelines::byHadoop);
        run(cluster, ours, hadoops);
      }
      // Threads of the cluster may still be running.
      System.exit(0);
    }

    private static void byHadoop(Configuration conf) {
      conf.set("io.erasurecode.codec.rs.rawcoders", "rs_java");
    }

    private static void run(
        WriteCluster cluster, DistributedFileSystem ours, DistributedFileSystem hadoops)
        throws Exception {
      org.apache.hadoop.fs.Path dir = cluster.directory("rs", 3, PARITY_UNITS, CELL);
      // The first coder opens the engine and probes its rails.
      write(ours, new org.apache.hadoop.fs.Path(dir, "first"), WriteCluster.bytes(1, 5 * CELL));
      String failing = System.getProperty("failing");
      if (failing != null) {
        Files.createFile(Paths.get(failing));
      }
      byte[] data = WriteCluster.bytes(2, 31 * CELL + 777);
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "ours");
      org.apache.hadoop.fs.Path other = new org.apache.hadoop.fs.Path(dir, "hadoops");
      write(ours, file, data);
      write(hadoops, other, data);
      compare(cluster, file, other);
      long written = issued();

      LocatedStripedBlock group =
          (LocatedStripedBlock) ours.getClient().getLocatedBlocks(file.toString(), 0).get(0);
      for (int unit = 0; unit < PARITY_UNITS; unit++) {
        cluster.cluster.stopDataNode(StripedCluster.location(group, unit).getXferAddr());
      }
      byte[] back = new byte[data.length];
      try (FSDataInputStream in = ours.open(file)) {
        in.readFully(back);
        assertThat(in.read()).isEqualTo(-1);
        assertThat(back).isEqualTo(data);
        Arrays.fill(back, (byte) 0);
        in.readFully(0, back);
        assertThat(back).isEqualTo(data);
      }
      System.out.println(BYTES);
      System.out.printf(
          "tasks of writing: %s, of reading: %s%n", written >= 11, issued() > written);
      printRails();
    }

    private static void write(DistributedFileSystem fs, org.apache.hadoop.fs.Path file, byte[] data)
        throws IOException {
      try (FSDataOutputStream out = fs.create(file)) {
        WriteCluster.writeInPieces(out, data, new Random(3));
      }
    }

    private static void compare(
        WriteCluster cluster, org.apache.hadoop.fs.Path file, org.apache.hadoop.fs.Path other)
        throws IOException {
      List<WriteCluster.Replica> expected = cluster.replicas(other);
      List<WriteCluster.Replica> actual = cluster.replicas(file);
      assertThat(actual).hasSameSizeAs(expected);
      for (int unit = 0; unit < expected.size(); unit++) {
        assertThat(actual.get(unit).data).as("unit %s", unit).isEqualTo(expected.get(unit).data);
        assertThat(actual.get(unit).meta).as("sums %s", unit).isEqualTo(expected.get(unit).meta);
      }
    }

    private static long issued() throws Exception {
      return (Long) bean("Issued");
    }

    private static void printRails() throws Exception {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      for (ObjectName rail :
          server.queryNames(new ObjectName("Hadoop:service=Stripeline,name=Rail,*"), null)) {
        System.out.printf(
            "%s: pieces %s, faults %s, wrong %s, quarantines %s%n",
            server.getAttribute(rail, "Rail"),
            (Long) server.getAttribute(rail, "Pieces") > 0,
            server.getAttribute(rail, "Faults"),
            server.getAttribute(rail, "Wrong"),
            server.getAttribute(rail, "Quarantines"));
      }
    }

    private static Object bean(String attribute) throws Exception {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      ObjectName name = new ObjectName("Hadoop:service=Stripeline,name=Engine");
      return server.getAttribute(name, attribute);
    }
  }
}
