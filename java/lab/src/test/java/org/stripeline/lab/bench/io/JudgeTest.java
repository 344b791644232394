// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stripeline.lab.bench.Judgement;
import org.stripeline.lab.bench.io.client.ClientAnswer;

class JudgeTest {
  private static final String OURS = "org.apache.hadoop.hdfs.DurableOutputStream";
  private static final String REPLICATED = "org.apache.hadoop.hdfs.DFSOutputStream";
  private static final String STOCK = "org.apache.hadoop.hdfs.DFSStripedOutputStream";

  private final List<Sample> samples = new ArrayList<>();

  @Test
  void formsRatiosWithinRepetitions() {
    // The machine's speed halves between the two rounds; 3.1 times rs_java stays 3.1 times.
    add(0, "write", "functional-partitioned", OURS, 310);
    add(0, "write", "rs_java", STOCK, 100);
    add(1, "write", "functional-partitioned", OURS, 155);
    add(1, "write", "rs_java", STOCK, 50);

    Judgement judgement = judgement("write, times rs_java");

    assertThat(judgement.value).isEqualTo(3.1);
    assertThat(judgement.verdict).isEqualTo("kept");
  }

  @Test
  void distinguishesMissedFromNotMeasured() {
    add(0, "write", "functional-partitioned", OURS, 299);
    add(0, "write", "rs_java", STOCK, 100);

    assertThat(judgement("write, times rs_java").verdict).isEqualTo("MISSED");
    assertThat(judgement("write, times 4-rep").verdict).isEqualTo("not judged");
    assertThat(judgement("write, times 4-rep").value).isNull();
  }

  @Test
  void doesNotJudgeSamplesOfHadoopsStream() {
    add(0, "write", "functional-partitioned", STOCK, 900);
    add(0, "write", "rs_java", STOCK, 100);

    assertThat(judgement("write, times rs_java").verdict).isEqualTo("not judged");
  }

  @Test
  void doesNotJudgeQuickRuns() {
    add(0, "write", "functional-partitioned", OURS, 900);
    add(0, "write", "rs_java", STOCK, 100);

    assertThat(new Judge(samples, true).judge())
        .extracting(judgement -> judgement.verdict)
        .containsOnly("not judged");
  }

  @Test
  void comparesSyncsWithThoseOfReplicatedFiles() {
    add(0, "sync", "functional-partitioned", OURS, 1).latency = latency(900, 1060);
    add(0, "sync", "3-rep", REPLICATED, 1).latency = latency(800, 1000);
    add(0, "first-sync", "functional-partitioned", OURS, 1).latency = latency(1, 2900);
    add(0, "first-sync", "3-rep", REPLICATED, 1).latency = latency(1, 1000);

    Judgement sync = judgement("sync, p50 by that of 3-rep");
    Judgement first = judgement("first-sync, p50 by that of 3-rep");
    assertThat(sync.value + " " + sync.verdict).isEqualTo("1.06 MISSED");
    assertThat(first.value + " " + first.verdict).isEqualTo("2.9 kept");
  }

  private static ClientAnswer.Latency latency(double mean, double p50) {
    ClientAnswer.Latency latency = new ClientAnswer.Latency();
    latency.mean = mean;
    latency.p50 = p50;
    return latency;
  }

  @Test
  void comparesTheHungReadWithTheReadOfTheSameRepetition() {
    add(0, "read", "functional-partitioned", OURS, 1000);
    add(0, "read-hung", "functional-partitioned", OURS, 500);

    // Times of 100 MiB at these rates.
    assertThat(judgement("read-hung").value).isCloseTo(0.1, within(1e-9));
  }

  @Test
  void allowsNoMoreBytesReadThanForHadoopsClient() {
    assertThat(access(0, 1_000_000, 1_020_000).isKept()).isTrue();
    assertThat(access(0, 1_000_000, 1_040_000).isKept()).isFalse();
    assertThat(access(2, 1_000_000, 1_100_000).isKept()).isTrue();
    assertThat(access(2, 1_000_000, 1_200_000).isKept()).isFalse();
    assertThat(
            Judge.judge(
                Arrays.asList(
                    access(0, 1_000_000, 10),
                    access(0, 1_000_000, 2_000_000),
                    access(2, 1_000_000, 500_000))))
        .extracting(judgement -> judgement.verdict + " " + judgement.value)
        .containsExactly("MISSED 2.0", "kept 0.5");
  }

  private static AccessCount access(int dead, long stock, long ours) {
    AccessCount access = new AccessCount();
    access.policy = "RS-6-3-1024k";
    access.dead = dead;
    access.stock = new AccessCount.Reads();
    access.stock.bytes = stock;
    access.ours = new AccessCount.Reads();
    access.ours.bytes = ours;
    return access;
  }

  @Test
  void requiresSaturatedLinksUnlessProcessorsAreBusy() {
    Sample ours = add(0, "write", "functional-partitioned", OURS, 6 * 100e6 / 8 / (1 << 20));
    ours.linkMbit = 100;

    assertThat(judgement("write, links of 100 Mbit/s, share of 6 links").value)
        .isCloseTo(1.0, within(1e-9));

    ours.clientCpuSecondsPerGib =
        1024 / ours.mibPerSecond * Runtime.getRuntime().availableProcessors();
    assertThat(new Judge(samples, false).judge())
        .extracting(judgement -> judgement.name)
        .contains("write, links of 100 Mbit/s, client bounds, times rs_java")
        .doesNotContain("write, links of 100 Mbit/s, share of 6 links");
  }

  private static org.assertj.core.data.Offset<Double> within(double offset) {
    return org.assertj.core.data.Offset.offset(offset);
  }

  private Judgement judgement(String start) {
    return new Judge(samples, false)
        .judge().stream().filter(judgement -> judgement.name.startsWith(start)).findFirst().get();
  }

  private Sample add(
      int repetition, String operation, String contestant, String stream, double rate) {
    Sample sample = new Sample();
    sample.serverCpuSecondsPerGib = 0.0;
    sample.policy = "RS-6-3-1024k";
    sample.threads = 1;
    sample.repetition = repetition;
    sample.operation = operation;
    sample.contestant = contestant;
    sample.stream = stream;
    sample.mibPerSecond = rate;
    sample.seconds = 100 / rate;
    samples.add(sample);
    return sample;
  }
}
