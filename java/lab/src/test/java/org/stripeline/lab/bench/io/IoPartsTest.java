// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.lab.LabMain;
import org.stripeline.lab.bench.ProcessTime;
import org.stripeline.lab.bench.cluster.ShapedNetwork;
import org.stripeline.lab.bench.io.client.ClientRequest;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Spread;
import org.stripeline.testkit.CommandRun;

/** Unit tests of the parts of the benchmark. */
class IoPartsTest {

  @Test
  void readsOperations() {
    assertThat(Operation.parse("write").isHealthy()).isTrue();
    assertThat(Operation.parse("first-sync").action()).isEqualTo(ClientRequest.Action.FIRST_SYNC);
    assertThat(Operation.parse("read-dead2").dead()).isEqualTo(2);
    assertThat(Operation.parse("random-hung").isHung()).isTrue();
    assertThat(Operation.parse("read-dead2-cold-busy").isCold()).isTrue();
    assertThat(Operation.parse("read-dead2").isCold()).isFalse();
    assertThat(Operation.parse("random-hung").action()).isEqualTo(ClientRequest.Action.RANDOM);
    assertThatThrownBy(() -> Operation.parse("write-dead1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot measure 'write-dead1': an operation is write, sync");
  }

  @Test
  void contestantsRunOnlyTheOperationsInWhichTheyDiffer() {
    assertThat(IoContestant.BLOCKING.takesPart(Operation.parse("read"))).isFalse();
    assertThat(IoContestant.NOT_DURABLE.takesPart(Operation.parse("read"))).isFalse();
    assertThat(IoContestant.NOT_DURABLE.takesPart(Operation.parse("sync"))).isFalse();
    assertThat(IoContestant.FUNCTIONAL_PARTITIONED.takesPart(Operation.parse("sync"))).isTrue();
    assertThat(IoContestant.CODER.takesPart(Operation.parse("sync"))).isFalse();
    assertThat(IoContestant.REPLICATED_3.takesPart(Operation.parse("read-dead2"))).isTrue();
    assertThat(IoContestant.REPLICATED_3.takesPart(Operation.parse("read-dead3"))).isFalse();
    assertThat(IoContestant.NON_BLOCKING.settings())
        .containsEntry("fs.hdfs.impl", "org.apache.hadoop.hdfs.StripelineFileSystem")
        .containsEntry("stripeline.client.write.mode", "non-blocking")
        .containsEntry("io.erasurecode.codec.rs.rawcoders", "stripeline");
    assertThat(IoContestant.CODER.settings()).doesNotContainKey("fs.hdfs.impl");
    assertThat(IoContestant.ISAL_1M.settings())
        .containsEntry("dfs.client-write-packet-size", "1048576");
    assertThatThrownBy(() -> IoContestant.parse("raid"))
        .hasMessageStartingWith("Cannot find contestant 'raid': known are 3-rep, 4-rep, rs_java");
  }

  @Test
  void leavesOutContestantsWhoseQueuesDoNotFit() {
    assertThat(ClientHeap.bytes(IoContestant.ISAL, IoSettings.policy("RS-6-3-1024k"), 20))
        .isLessThan(ClientHeap.BYTES_MAX);
    assertThat(ClientHeap.bytes(IoContestant.ISAL_1M, IoSettings.policy("RS-6-3-1024k"), 20))
        .isGreaterThan(ClientHeap.BYTES_MAX);
  }

  /** Also if no JVM measures more than once. */
  @Test
  void contestantsTakeTurnsOverAllJvms() {
    IoSettings settings = new IoSettings();
    settings.jvms = 3;
    settings.repetitions = 2;
    List<Integer> six = Arrays.asList(0, 1, 2, 3, 4, 5);
    List<Integer> first = new ArrayList<>();
    for (int jvm = 0; jvm < settings.jvms; jvm++) {
      for (int repetition = 0; repetition < settings.repetitions; repetition++) {
        first.add(settings.inTurn(six, jvm, repetition).get(0));
      }
    }
    assertThat(first).isEqualTo(six);

    settings.jvms = 2;
    settings.repetitions = 1;
    assertThat(settings.inTurn(six, 0, 0)).isEqualTo(six);
    assertThat(settings.inTurn(six, 1, 0)).containsExactly(3, 4, 5, 0, 1, 2);
  }

  @Test
  void roundsFilesUpToStripes() {
    IoSettings settings = new IoSettings();
    assertThat(settings.fileBytes(IoSettings.policy("RS-6-3-1024k"), 20, 768L << 20))
        .isEqualTo(42L << 20);
    assertThat(settings.fileBytes(IoSettings.policy("RS-10-4-1024k"), 1, 1)).isEqualTo(10L << 20);
    assertThat(IoSettings.policy("RS-6-3-64k").getCellSize()).isEqualTo(64 << 10);
    assertThatThrownBy(() -> IoSettings.policy("XOR-2-1-1024k"))
        .hasMessageStartingWith("Cannot use policy 'XOR-2-1-1024k'");
  }

  @Test
  void takesQuartiles() {
    Spread spread = Spread.of(Arrays.asList(5.0, 1.0, 3.0, 2.0, 4.0), value -> value);

    assertThat(spread.median).isEqualTo(3);
    assertThat(spread.halfRange()).isEqualTo(1);
    assertThat(spread.max).isEqualTo(5);
  }

  @Test
  void readsProcessorTimePastNamesWithBrackets() {
    assertThat(ProcessTime.parse("7 (a) b) c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20"))
        .isEqualTo(3.0);
  }

  @Test
  void drawsWellFormedPlots() throws Exception {
    IoReport report = new IoReport();
    for (int rate : new int[] {0, 100, 200}) {
      Sample sample = write(IoContestant.RS_JAVA);
      sample.linkMbit = rate;
      report.samples.add(sample);
    }
    report.conclude();

    String svg = IoPlot.of(report.rows);

    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    assertThat(svg).contains("<polyline").contains("rs_java: 50 MiB/s");
    assertThat(new IoTable(report).render())
        .contains("RS-6-3-1024k, 1 thread, links of 200 Mbit/s");
  }

  @Test
  void aContestantForTestsIsMeasuredOnlyIfNamed() {
    assertThat(IoBenchCommand.allContestants())
        .contains("3-rep", "noop", "umr-multi")
        .doesNotContain("wrong-parity");
  }

  @Test
  void theFilesThatAreReadExistOnDisksForAllSchemesAtOnce() {
    IoSettings settings = new IoSettings();
    // A stripe of RS-6-3-64k: files are whole stripes.
    settings.bytes = 384 << 10;
    settings.threads = Arrays.asList(1);
    settings.operations = Arrays.asList(Operation.parse("write"), Operation.parse("read"));
    settings.contestants =
        Arrays.asList(IoContestant.REPLICATED_3, IoContestant.REPLICATED_4, IoContestant.RS_JAVA);
    assertThat(diskBytes(settings)).isEqualTo((3 + 4 + 4) * settings.bytes + (576 << 10));
    settings.operations = Arrays.asList(Operation.parse("write"));
    assertThat(diskBytes(settings)).isEqualTo(4 * settings.bytes);
    settings.operations = Arrays.asList(Operation.parse("read-dead3"));
    assertThat(diskBytes(settings))
        .as("3-rep tolerates two")
        .isEqualTo(4 * settings.bytes + (576 << 10));
    settings.threads = Arrays.asList(1, 10);
    assertThat(diskBytes(settings))
        .as("each of ten threads has a stripe")
        .isEqualTo(10 * (4 * settings.bytes + (576 << 10)));
  }

  private static long diskBytes(IoSettings settings) {
    return new ResourceNeed(settings.contestants, IoSettings.policy("RS-6-3-64k"), settings)
        .diskBytes();
  }

  @Test
  void aLogWithoutTheReadsOfAClientIsAnError() {
    assertThatThrownBy(() -> ReadTrace.of("client-1", Collections.emptyMap()))
        .hasMessage("Cannot count: the log of the DataNodes has no read of client-1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bench io --delay=1000|--client-link and --delay need --shaped",
        "bench io --client-link=100|--client-link and --delay need --shaped",
        "bench io --access-patterns --threads=2|--threads or --shaped: omit them",
        "bench io --access-patterns --contestants=isal|--threads or --shaped: omit them",
        "bench convert --shaped-racks=200|--shaped-racks needs --shaped",
      })
  void optionsThatWouldBeIgnoredAreRefused(String arguments, String message) {
    CommandRun run = CommandRun.of(LabMain.commandLine(), arguments.split(" "));
    assertThat(run.require(ExitStatus.USAGE).err()).contains(message);
  }

  private static Sample write(IoContestant contestant) {
    Sample sample = new Sample();
    sample.policy = "RS-6-3-1024k";
    sample.threads = 1;
    sample.operation = "write";
    sample.contestant = contestant.label();
    sample.mibPerSecond = 50;
    sample.seconds = 1;
    return sample;
  }

  @Test
  void failuresOfOurCoderInHadoopsPipelineAreOurs() {
    IoReport report = new IoReport();
    report.fail(IoContestant.RS_JAVA, "wrong parity");
    assertThat(report.isSound(false)).isTrue();
    report.fail(IoContestant.CODER_1M, "wrong parity");
    assertThat(report.isSound(false)).isFalse();
  }

  @Test
  void hadoopsPipelineInPlaceOfOursIsAFailure() {
    IoReport report = new IoReport();
    for (int threads = 1; threads <= 2; threads++) {
      Sample sample = write(IoContestant.NON_BLOCKING);
      sample.threads = threads;
      sample.stream = "org.apache.hadoop.hdfs.DFSStripedOutputStream";
      report.samples.add(sample);
      report.samples.add(write(IoContestant.RS_JAVA));
    }
    report.conclude();
    assertThat(report.failures)
        .singleElement()
        .asString()
        .startsWith("non-blocking used the stream ")
        .endsWith(" for write: that is Hadoop's own pipeline");
    assertThat(report.isSound(false)).isFalse();
  }

  @Test
  void shapesBothDirectionsOfEveryLink() {
    ShapedNetwork network = new ShapedNetwork(1, 0, 0, 300);

    List<String> making = network.making();

    assertThat(network.client()).isEqualTo(2);
    assertThat(making.indexOf("ip netns add dn2"))
        .isLessThan(
            making.indexOf(
                "ip link add to-dn2 mtu 9000 type veth peer name eth0 mtu 9000 netns dn2"));
    assertThat(making).contains("ip -n dn1 route add default via 10.77.1.1");
    assertThat(network.shaping(800))
        .containsExactly(
            "tc qdisc replace dev to-dn1 root handle 1: tbf rate 800mbit burst 131072 latency 20ms",
            "tc -n dn1 qdisc replace dev eth0 root handle 1: tbf rate 800mbit burst 131072 latency"
                + " 20ms",
            "tc qdisc replace dev to-dn2 root handle 1: tbf rate 300mbit burst 131072 latency 20ms",
            "tc -n dn2 qdisc replace dev eth0 root handle 1: tbf rate 300mbit burst 131072 latency"
                + " 20ms");
    assertThat(network.removing())
        .containsExactly(
            "ip netns del dn1", "ip netns del dn2", "umount /etc/resolv.conf", "umount /run/netns");
  }

  @Test
  void shapesEveryRackToo() {
    ShapedNetwork network = new ShapedNetwork(3, 2);

    assertThat(network.making())
        .contains(
            "ip -n rack1 link add to-dn3 mtu 9000 type veth peer name eth0 mtu 9000 netns dn3",
            "ip route add 10.77.3.0/30 via 10.78.1.2 dev to-rack1",
            "ip route add 10.77.2.0/30 via 10.78.2.2 dev to-rack2");
    assertThat(network.here(3)).isEqualTo("10.78.1.1");
    assertThat(network.client()).as("a machine in the second rack").isEqualTo(4);
    assertThat(network.shaping(800))
        .hasSize(8)
        .contains(
            "tc -n rack1 qdisc replace dev to-dn1 root handle 1: tbf rate 800mbit burst 131072"
                + " latency 20ms",
            "tc -n rack2 qdisc replace dev to-dn4 root handle 1: tbf rate 800mbit burst 131072"
                + " latency 20ms");
    assertThat(network.shapingRacks(200))
        .hasSize(4)
        .contains(
            "tc -n rack2 qdisc replace dev uplink root handle 1: tbf rate 200mbit burst 131072"
                + " latency 20ms");
    assertThat(network.removing()).contains("ip netns del rack2");
  }
}
