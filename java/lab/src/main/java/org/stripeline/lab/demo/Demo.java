// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/**
 * The demo itself, step by step. Everything that is found wrong ends it with a {@link
 * DemoException}; what was found until then is in the report.
 */
final class Demo {

  private static final String WRITE = "write";
  private static final String READ = "read";

  /** verifyEC leaves its threads behind for a minute, nine for each file. */
  private static final int VERIFY_EC_FILES_MAX = 100;

  private final DemoSettings settings;
  private final DemoCluster cluster;
  private final Progress progress;
  private final DemoReport report;
  private final FileTransfer transfer = new FileTransfer();
  private final List<Contestant> contestants = new ArrayList<>();
  private final LiveCoders liveCoders;
  private SampleFiles sample;
  private List<SourceFile> timed;
  private List<SourceFile> untimed;
  private long timedBytes;

  Demo(DemoSettings settings, DemoCluster cluster, Progress progress, DemoReport report) {
    this.settings = settings;
    this.cluster = cluster;
    this.progress = progress;
    this.report = report;
    this.liveCoders = new LiveCoders(cluster, report);
  }

  /**
   * Does everything.
   *
   * @param sample files to work on
   * @param workplace closes the file systems at the end
   */
  void run(SampleFiles sample, Workplace workplace, SourceFile warmUpFile) throws IOException {
    this.sample = sample;
    this.timed = sample.timed(settings.shape());
    this.untimed = new ArrayList<>(sample.files());
    this.untimed.removeAll(timed);
    this.timedBytes = timed.stream().mapToLong(SourceFile::length).sum();
    report.timedFiles = timed.size();
    report.timedBytes = timedBytes;
    openContestants(workplace);
    warmUp(warmUpFile);
    writeAll();
    Map<String, Fingerprint> written = compareCodersOnDisk();
    readAll(READ, contestant -> 0);
    queryTable("read table");
    Set<String> replaced = new HashSet<>();
    for (Contestant rebuilder : contestants) {
      loseAndRebuild(rebuilder, replaced, written);
    }
    judge();
    readOnceMore();
  }

  private void openContestants(Workplace workplace) throws IOException {
    Configuration conf = cluster.clientConfiguration();
    for (String name : settings.coders()) {
      Contestant contestant =
          workplace.add(new Contestant(name, settings.shape(), new Configuration(conf)));
      contestants.add(contestant);
      liveCoders.checkClient(contestant);
      contestant.fs().mkdirs(contestant.directory());
      contestant
          .fs()
          .setErasureCodingPolicy(contestant.directory(), settings.shape().policyName());
    }
  }

  /** Every path of code that is timed later runs first, so that no coder pays for compiling. */
  private void warmUp(SourceFile file) throws IOException {
    List<SourceFile> files = Collections.singletonList(file);
    try (Progress.Step step = progress.step("warm up both virtual machines", 0)) {
      for (int round = 0; round < 2; round++) {
        for (Contestant contestant : inTurn(round)) {
          write(contestant, files, step);
          read(contestant, files, Fingerprint.ContentDigest::quick, step);
        }
      }
      for (Contestant rebuilder : contestants) {
        Outage outage = outage(files, Collections.emptySet());
        outage.begin(rebuilder);
        for (Contestant contestant : contestants) {
          read(contestant, files, Fingerprint.ContentDigest::quick, step);
        }
        outage.rebuild(step);
      }
      for (Contestant contestant : contestants) {
        contestant.fs().delete(contestant.path(file), false);
      }
      step.succeeded();
    }
  }

  private void writeAll() throws IOException {
    for (int round = 0; round < settings.rounds(); round++) {
      for (Contestant contestant : inTurn(round)) {
        try (Progress.Step step = step(WRITE, contestant, round, sample.bytes())) {
          long encoded = liveCoders.encodedBytes();
          write(contestant, untimed, step);
          Stopwatch watch = Stopwatch.start(cluster::cpuSeconds);
          write(contestant, timed, step);
          report.add(WRITE, contestant.coderName(), watch.stop(timedBytes));
          encoded = liveCoders.encodedBytes() - encoded;
          liveCoders.requireShare(contestant, WRITE, encoded, sample.bytes());
          step.succeeded();
        }
      }
    }
  }

  /**
   * Reads and compares everything in rounds.
   *
   * @param lost tells the bytes that a reader of a coder's files must decode
   */
  private void readAll(String name, ToLongFunction<Contestant> lost) throws IOException {
    for (int round = 0; round < settings.rounds(); round++) {
      for (Contestant contestant : inTurn(round)) {
        try (Progress.Step step = step(name, contestant, round, sample.bytes())) {
          long decoded = liveCoders.decodedBytes();
          read(contestant, untimed, Fingerprint.ContentDigest::quick, step);
          Stopwatch watch = Stopwatch.start(cluster::cpuSeconds);
          read(contestant, timed, Fingerprint.ContentDigest::quick, step);
          report.add(name, contestant.coderName(), watch.stop(timedBytes));
          decoded = liveCoders.decodedBytes() - decoded;
          liveCoders.requireShare(contestant, name, decoded, lost.applyAsLong(contestant));
          report.proof.bytesVerified += sample.bytes();
          step.succeeded();
        }
      }
    }
  }

  /** The same data must give the same blocks, parity too, whichever coder wrote them. */
  private Map<String, Fingerprint> compareCodersOnDisk() throws IOException {
    BlockGroups groups = allGroups(sample.files());
    report.blockGroups = groups.groups().size();
    report.internalBlocks = groups.expected();
    Map<String, Fingerprint> first = null;
    try (Progress.Step step = progress.step("compare blocks on disk between coders", 0)) {
      ReplicaFiles replicas = ReplicaFiles.find(cluster.storage());
      for (Contestant contestant : contestants) {
        Map<String, Fingerprint> own =
            replicas.fingerprints(groups, contestant.directory(), step);
        if (first == null) {
          first = own;
        } else {
          report.proof.blocksEqualAcrossCoders +=
              ReplicaFiles.compare("of coder " + contestant.coderName(), first, own);
        }
      }
      step.succeeded();
    }
    return first;
  }

  private void loseAndRebuild(
      Contestant rebuilder, Set<String> replaced, Map<String, Fingerprint> written)
      throws IOException {
    Outage outage = outage(sample.files(), replaced);
    String dead = outage.victims().size() + " DataNodes dead";
    long decoded = liveCoders.clusterDecodedBytes();
    try (Progress.Step step = progress.step("kill " + String.join(", ", outage.victims()), 0)) {
      outage.begin(rebuilder);
      step.note(
          String.format(
              "%d blocks gone; %d of %d groups lack data",
              outage.loss().blocks(), outage.loss().groupsWithoutData(), report.blockGroups));
      step.succeeded();
    }
    report.proof.datanodesKilled += outage.victims().size();
    report.proof.blocksLost += outage.loss().blocks();
    readAll(READ + ", " + dead, c -> outage.lastingDataLoss(c.directory()));
    queryTable("read table, " + dead);
    String name = "rebuild by DataNodes";
    try (Progress.Step step = progress.step(name + " with " + rebuilder.coderName(), 0)) {
      report.add(name, rebuilder.coderName(), outage.rebuild(step));
      decoded = liveCoders.clusterDecodedBytes() - decoded;
      liveCoders.noteRebuild(rebuilder, outage, decoded);
      step.succeeded();
    }
    report.proof.blocksRebuilt += outage.loss().blocks();
    replaced.addAll(outage.victims());
    compareWithWritten(rebuilder, written);
  }

  /** What DataNodes rebuilt must be, byte for byte, what clients wrote. */
  private void compareWithWritten(Contestant rebuilder, Map<String, Fingerprint> written)
      throws IOException {
    BlockGroups groups = allGroups(sample.files());
    try (Progress.Step step = progress.step("compare blocks on disk with those written", 0)) {
      ReplicaFiles replicas = ReplicaFiles.find(cluster.storage());
      for (Contestant contestant : contestants) {
        report.proof.blocksEqualAfterRebuild +=
            ReplicaFiles.compare(
                "after rebuilding with " + rebuilder.coderName(),
                written,
                replicas.fingerprints(groups, contestant.directory(), step));
      }
      step.succeeded();
    }
  }

  /** Hadoop's own checkers. Each coder's parity is verified by the next coder. */
  private void judge() throws IOException {
    try (Progress.Step step = progress.step("hdfs fsck", 0)) {
      for (Contestant contestant : contestants) {
        HdfsTools.fsck(contestant.conf(), contestant.directory());
      }
      report.proof.fsck = "HEALTHY";
      step.succeeded();
    }
    List<SourceFile> largest =
        sample.files().stream()
            .sorted(Comparator.comparingLong(SourceFile::length).reversed())
            .limit(VERIFY_EC_FILES_MAX / contestants.size())
            .collect(Collectors.toList());
    try (Progress.Step step = progress.step("hdfs debug verifyEC", 0)) {
      for (int i = 0; i < contestants.size(); i++) {
        Configuration judge = contestants.get((i + 1) % contestants.size()).conf();
        for (SourceFile file : largest) {
          HdfsTools.verifyEc(judge, contestants.get(i).path(file));
          report.proof.filesVerifiedByVerifyEc++;
          step.advance(file.length());
        }
        report.proof.filesLeftOutByVerifyEc += sample.files().size() - largest.size();
      }
      step.succeeded();
    }
  }

  private void readOnceMore() throws IOException {
    for (Contestant contestant : contestants) {
      String name = "read once more, SHA-256, " + contestant.coderName();
      try (Progress.Step step = progress.step(name, sample.bytes())) {
        read(contestant, sample.files(), Fingerprint.ContentDigest::full, step);
        report.proof.bytesVerified += sample.bytes();
        step.succeeded();
      }
    }
    queryTable("read table once more");
  }

  private void queryTable(String name) throws IOException {
    LineitemTable.Summary expected = sample.table();
    if (expected == null) {
      return;
    }
    report.proof.parquetQuery = expected.toString();
    try (Progress.Step step = progress.step(name + " with the Parquet library", 0)) {
      for (Contestant contestant : contestants) {
        org.apache.hadoop.fs.Path file =
            new org.apache.hadoop.fs.Path(contestant.directory(), SampleFiles.TABLE_NAME);
        LineitemTable.Summary found = LineitemTable.query(contestant.fs(), file);
        if (!found.equals(expected)) {
          throw new DemoException(
              "Wrong answer from " + file + ": " + found + ", should be " + expected);
        }
        report.proof.parquetQueriesEqual++;
      }
      step.succeeded();
    }
  }

  private void write(Contestant contestant, List<SourceFile> files, Progress.Step step)
      throws IOException {
    for (SourceFile file : files) {
      transfer.write(file, contestant.fs(), contestant.path(file), step);
    }
  }

  private void read(
      Contestant contestant,
      List<SourceFile> files,
      Supplier<Fingerprint.ContentDigest> strength,
      Progress.Step step)
      throws IOException {
    for (SourceFile file : files) {
      transfer.readAndCompare(file, contestant.fs(), contestant.path(file), strength, step);
    }
  }

  private Outage outage(List<SourceFile> files, Set<String> spared) throws IOException {
    return Outage.plan(cluster, settings.shape(), contestants.get(0).fs(), paths(files), spared);
  }

  private BlockGroups allGroups(List<SourceFile> files) throws IOException {
    return BlockGroups.of(contestants.get(0).fs(), paths(files), settings.shape());
  }

  private List<org.apache.hadoop.fs.Path> paths(List<SourceFile> files) {
    List<org.apache.hadoop.fs.Path> paths = new ArrayList<>();
    for (Contestant contestant : contestants) {
      for (SourceFile file : files) {
        paths.add(contestant.path(file));
      }
    }
    return paths;
  }

  /** Coders take turns at going first: neither always finds the other's heat and garbage. */
  private List<Contestant> inTurn(int round) {
    List<Contestant> order = new ArrayList<>(contestants);
    Collections.rotate(order, round);
    return order;
  }

  private Progress.Step step(String name, Contestant contestant, int round, long bytes) {
    return progress.step(
        String.format(
            "%s, %s, %d of %d", name, contestant.coderName(), round + 1, settings.rounds()),
        bytes);
  }
}
