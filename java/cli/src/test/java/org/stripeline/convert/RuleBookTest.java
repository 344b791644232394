// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;
import org.stripeline.placement.CodeName;
import org.stripeline.plan.Decisions;
import org.stripeline.plan.Decisions.Decision;

/**
 * Checks that {@code plan} and {@code convert} make the same decisions about the files of a tree.
 */
@Tag("full")
class RuleBookTest {
  private static final int FILES = 120;

  /** Conversions take longer than decisions. */
  private static final int CONVERTED_FILES = 30;

  private static final int CELL = 64 << 10;
  private static final String[] DIRECTORIES = {"/tree/a/", "/tree/hbase/WALs/", "/tree/coded/"};

  /** The last one is not a multiple of 1 KiB, the unit in the names of policies. */
  private static final int[] BLOCKS = {64 << 10, 128 << 10, 195 * 512};

  /** Reasons that depend on the space of a layout or on its cell size. */
  private static final Set<SkipReason> OF_SPACE =
      EnumSet.of(
          SkipReason.TOO_SMALL,
          SkipReason.ONE_REPLICA,
          SkipReason.BLOCK_SIZE,
          SkipReason.CELL_SIZE);

  @TempDir java.nio.file.Path directory;

  private final List<FSDataOutputStream> open = new ArrayList<>();

  private ConvertCluster cluster() throws IOException {
    return new ConvertCluster(
        directory.resolve("dfs"),
        9,
        3,
        conf -> {
          conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
          conf.set("hadoop.tmp.dir", directory.resolve("mapred").toString());
        });
  }

  /** First without copies, then the rest with copies. */
  @Test
  void convertCarriesOutWhatPlanPrints() throws Exception {
    try (ConvertCluster cluster = cluster()) {
      write(cluster.fs(), new SplittableRandom(12), CONVERTED_FILES);
      snapshot(cluster.fs());
      carryOut(cluster, "first", false);
      carryOut(cluster, "second", true);
      carryOut(cluster, "none", true);
    } finally {
      open.clear();
    }
  }

  private static void snapshot(DistributedFileSystem fs) throws IOException {
    Path kept = new Path("/tree/kept");
    fs.mkdirs(kept);
    try (FSDataOutputStream out =
        fs.create(new Path(kept, "f"), true, 4096, (short) 3, BLOCKS[0])) {
      out.write(new byte[7 * BLOCKS[0]]);
    }
    fs.allowSnapshot(kept);
    fs.createSnapshot(kept, "s");
  }

  private static void carryOut(ConvertCluster cluster, String job, boolean allowStaleReaders)
      throws Exception {
    DistributedFileSystem fs = cluster.fs();
    CodeName code = CodeName.parse("RS-6-3").withCell(CELL);
    Map<String, Decisions.Sum> printed = Decisions.sums(fs, "/tree", code, allowStaleReaders);
    JobSettings settings = ConvertCluster.striped("/tree", "RS-6-3");
    settings.layout = Layout.AUTO;
    settings.allowStaleReaders = allowStaleReaders;
    settings.filesAtOnce = 8;

    Map<String, FileDecision> decisions = judged(cluster, settings);
    assertThat(sums(decisions)).isEqualTo(texts(printed));
    assertThat(texts(printed)).hasSizeGreaterThan(6);

    Map<String, String> policiesBefore = new TreeMap<>();
    for (String path : decisions.keySet()) {
      policiesBefore.put(path, String.valueOf(cluster.policy(path)));
    }
    try (Driver driver = cluster.driver()) {
      JobReport report = driver.execute(settings, job);
      assertThat(report.failures()).isEmpty();
      assertThat(report.converted())
          .isEqualTo(decisions.values().stream().filter(FileDecision::isConvert).count());
    }
    for (Map.Entry<String, FileDecision> entry : decisions.entrySet()) {
      String path = entry.getKey();
      FileDecision decision = entry.getValue();
      assertThat(cluster.policy(path))
          .as(path)
          .isEqualTo(
              decision.isConvert()
                  ? decision.policy()
                  : policiesBefore.get(path).equals("null") ? null : policiesBefore.get(path));
      if (decision.skip() != SkipReason.OPEN) {
        assertThat(fs.getContentSummary(new Path(path)).getSpaceConsumed())
            .as(path)
            .isEqualTo(decision.bytesAfter());
      }
    }
  }

  private static Map<String, String> texts(Map<String, Decisions.Sum> printed) {
    Map<String, String> texts = new TreeMap<>();
    printed.forEach((kind, sum) -> texts.put(kind, sum.files + " files, " + sum.bytesAfter));
    return texts;
  }

  /** Returns the files and their bytes on disk afterwards, by what is done and by reason. */
  private static Map<String, String> sums(Map<String, FileDecision> decisions) {
    Map<String, long[]> sums = new TreeMap<>();
    for (FileDecision decision : decisions.values()) {
      add(sums, decision.treatment().label(), decision);
      if (!decision.isConvert()) {
        add(sums, decision.skip().text(), decision);
      }
    }
    Map<String, String> texts = new TreeMap<>();
    sums.forEach((kind, sum) -> texts.put(kind, sum[0] + " files, " + sum[1]));
    return texts;
  }

  private static void add(Map<String, long[]> sums, String kind, FileDecision decision) {
    long[] sum = sums.computeIfAbsent(kind, any -> new long[2]);
    sum[0]++;
    sum[1] += decision.bytesAfter();
  }

  @Test
  void planAndConvertMakeTheSameDecisions() throws Exception {
    try (ConvertCluster cluster = cluster()) {
      write(cluster.fs(), new SplittableRandom(11), FILES);
      CodeName code = CodeName.parse("RS-6-3").withCell(CELL);
      Map<String, Decision> planned = Decisions.of(cluster.fs(), "/tree", code);
      Map<String, FileDecision> adopted =
          judged(cluster, ConvertCluster.contiguous("/tree", "RS-6-3"));
      Map<String, FileDecision> smaller =
          judged(cluster, ConvertCluster.contiguous("/tree", "RS-3-2"));
      Map<String, FileDecision> striped =
          judged(cluster, ConvertCluster.striped("/tree", "RS-6-3"));

      assertThat(planned).hasSize(FILES);
      Set<String> seen = new TreeSet<>();
      planned.forEach(
          (path, plan) -> {
            seen.add(plan.treatment + (plan.reason == null ? "" : " " + plan.reason));
            FileDecision[] decisions = {adopted.get(path), smaller.get(path), striped.get(path)};
            switch (plan.treatment) {
              case "ADOPT":
                assertSame(path, plan, decisions[0]);
                break;
              case "SMALLER_CODE":
                assertSame(path, plan, decisions[1]);
                break;
              case "STRIPE":
                assertSame(path, plan, decisions[2]);
                break;
              default:
                assertLeft(path, plan, decisions);
            }
          });
      assertThat(seen)
          .contains(
              "ADOPT",
              "SMALLER_CODE",
              "STRIPE",
              "LEAVE CODED",
              "LEAVE EMPTY",
              "LEAVE LAZY_PERSIST",
              "LEAVE ONE_REPLICA",
              "LEAVE OPEN",
              "LEAVE SYNCED",
              "LEAVE TOO_SMALL");
    } finally {
      open.clear();
    }
  }

  private static void assertSame(String path, Decision plan, FileDecision decision) {
    assertThat(decision.isConvert()).as(path).isTrue();
    assertThat(decision.bytesAfter()).as(path).isEqualTo(plan.bytesAfter);
  }

  private static void assertLeft(String path, Decision plan, FileDecision[] decisions) {
    if (plan.reason == SkipReason.CODED) {
      assertThat(decisions[0].skip()).as(path).isIn(SkipReason.ALREADY, SkipReason.OTHER_POLICY);
      return;
    }
    for (FileDecision decision : decisions) {
      assertThat(decision.isConvert()).as(path).isFalse();
      if (OF_SPACE.contains(plan.reason)) {
        assertThat(OF_SPACE).as(path).contains(decision.skip());
      } else {
        assertThat(decision.skip()).as(path).isEqualTo(plan.reason);
      }
    }
  }

  private static Map<String, FileDecision> judged(ConvertCluster cluster, JobSettings settings)
      throws IOException {
    Map<String, FileDecision> decisions = new TreeMap<>();
    JobObserver observer =
        new JobObserver() {
          @Override
          public void planned(Candidate file, FileDecision decision) {
            decisions.put(file.path(), decision);
          }
        };
    try (Driver driver = cluster.driver(cluster.client(), observer, StepListener.NONE)) {
      driver.plan(settings);
    }
    return decisions;
  }

  private void write(DistributedFileSystem fs, SplittableRandom random, int files)
      throws IOException {
    fs.mkdirs(new Path(DIRECTORIES[2]));
    fs.enableErasureCodingPolicy("RS-6-3-1024k");
    fs.setErasureCodingPolicy(new Path(DIRECTORIES[2]), "RS-6-3-1024k");
    for (int i = 0; i < files; i++) {
      // Files 0 to 5 cover each of the rare cases once.
      int parent = i < 2 ? i + 1 : i < 5 ? 0 : random.nextInt(20) / 9 % 3;
      String name = "f" + i + (i > 5 && random.nextInt(15) == 0 ? ".inprogress" : "");
      Path file = new Path(DIRECTORIES[parent] + name);
      int block = parent == 2 ? 4 << 20 : BLOCKS[random.nextInt(BLOCKS.length)];
      int most = random.nextInt(3) == 0 ? BLOCKS[0] : 9 * BLOCKS[1];
      short replication = (short) (1 + random.nextInt(4));
      DistributedFileSystem.HdfsDataOutputStreamBuilder making =
          fs.createFile(file).recursive().replication(replication).blockSize(block);
      FSDataOutputStream out = (i == 4 ? making.lazyPersist() : making).build();
      out.write(new byte[i == 2 ? 0 : 1 + random.nextInt(most)]);
      if (i == 3) {
        out.hflush();
        open.add(out);
        continue;
      }
      out.close();
    }
  }
}
