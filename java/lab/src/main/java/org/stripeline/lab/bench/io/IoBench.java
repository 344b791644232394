// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.stripeline.lab.bench.cluster.BenchHdfs;
import org.stripeline.lab.bench.cluster.ExistingHdfs;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.bench.cluster.ParityCheck;
import org.stripeline.lab.bench.cluster.ShapedCluster;
import org.stripeline.lab.bench.cluster.ShapedNetwork;
import org.stripeline.lab.bench.io.client.ClientAnswer;
import org.stripeline.lab.bench.io.client.ClientRequest;
import org.stripeline.lab.bench.io.client.ClientRequest.Action;
import org.stripeline.lab.bench.io.client.Pattern;
import org.stripeline.lab.cluster.DataNodeProcess;
import org.stripeline.lab.cluster.WorkDirectory;
import org.stripeline.terminal.ByteSize;

/**
 * Runs all measurements. Each round has one client JVM for every contestant; within each repetition
 * they take turns at each operation, starting with a different one each time, so that drift of the
 * machine affects all equally.
 */
final class IoBench {
  /** Address of the DataNode that hangs, beyond the addresses that a cluster can use. */
  private static final String HANGING_ADDRESS = "127.0.0.230";

  /** Total bytes of large positional reads of all threads. */
  private static final long PREAD_BYTES = 96L << 20;

  /** Bytes of a record that is synced. */
  private static final int RECORD_BYTES = 1 << 10;

  /** What clients report if a running cluster takes no more files. */
  private static final java.util.regex.Pattern OF_CLUSTER =
      java.util.regex.Pattern.compile(
          "QuotaExceeded|SafeMode|AccessControl|FileNotFound|SaslException|GSSException"
              + "|StandbyException|RetriableException|ConnectException|NoRouteToHost"
              + "|could only be written to");

  private final IoSettings settings;
  private final WorkDirectory place;
  private final Consumer<String> progress;
  private final IoReport report;
  private final Pattern pattern = new Pattern();
  private final Map<ErasureCodingPolicy, List<IoContestant>> contestants = new LinkedHashMap<>();
  private BenchHdfs hdfs;
  private SchemeDirectories directories;

  /** The {@link #hdfs} if it is one of this machine, whose DataNodes may be stopped; else null. */
  private IoCluster cluster;

  private DataNodeProcess hanging;

  /** Null if no contestant needs it. */
  private DeviceRail rail;

  private int linkMbit;

  /** Reads back what clients wrote: in their JVMs it would have Hadoop's reader compiled. */
  private ClientProcess verifier;

  IoBench(IoSettings settings, WorkDirectory place, Consumer<String> progress, IoReport report) {
    this.settings = settings;
    this.place = place;
    this.progress = progress;
    this.report = report;
  }

  void run() throws IOException {
    PageCache.leaveOut(settings, settings.configuration == null ? place.data() : null, report);
    if (settings.configuration != null) {
      hdfs =
          place.start(() -> ExistingHdfs.open(settings.configuration, settings.configuredParent));
      progress.accept("writing in " + hdfs);
      prepare();
      measurePolicies();
      // What stays would not be noticed at the end of the process.
      hdfs.close();
      return;
    }
    if (settings.isShaped()) {
      runShaped();
      return;
    }
    progress.accept("starting " + settings.datanodes() + " DataNodes");
    cluster =
        place.start(
            () -> IoCluster.start(place.cluster(), settings.datanodes(), Collections.emptyMap()));
    if (settings.hasHung()) {
      DataNodeProcess.Place datanode =
          new DataNodeProcess.Place(
              place.data().resolve("hanging"),
              cluster.nameNode(),
              HANGING_ADDRESS,
              Collections.<String>emptyList());
      hanging = place.start(() -> cluster.add(datanode));
    }
    runOn(cluster);
  }

  /** Measures on a cluster with enough DataNodes, which keeps running. */
  void runOn(IoCluster running) throws IOException {
    cluster = running;
    hdfs = running;
    prepare();
    measurePolicies();
  }

  /** Refuses what does not fit before anything is measured. */
  private void prepare() throws IOException {
    directories = new SchemeDirectories(hdfs);
    report.describe(hdfs.hadoopVersion());
    if (settings.contestants.stream().anyMatch(IoContestant::needsRail)) {
      rail = DeviceRail.find(settings.rail);
    }
    for (ErasureCodingPolicy policy : settings.policies) {
      List<IoContestant> present = present(policy);
      new ResourceNeed(present, policy, settings)
          .require(cluster == null ? null : place.data(), hdfs);
      contestants.put(policy, present);
    }
  }

  private void runShaped() throws IOException {
    ShapedNetwork network =
        place.add(
            new ShapedNetwork(settings.datanodes(), 0, settings.delayMicros, settings.clientMbit));
    network.make();
    progress.accept("starting " + settings.datanodes() + " DataNodes, each in a separate network");
    cluster = ShapedCluster.start(place, network, Collections.<String, String>emptyMap());
    if (network.lacksDelay()) {
      report.notes.add("the links have no delay: this kernel lacks netem");
    }
    hdfs = cluster;
    prepare();
    for (int rate : settings.rates) {
      network.setRate(rate);
      linkMbit = rate;
      measurePolicies();
    }
  }

  private void measurePolicies() throws IOException {
    for (ErasureCodingPolicy policy : settings.policies) {
      for (int jvm = 0; jvm < settings.jvms; jvm++) {
        measure(policy, contestants.get(policy), jvm);
      }
    }
  }

  private List<IoContestant> present(ErasureCodingPolicy policy) throws IOException {
    List<IoContestant> present = new ArrayList<>();
    for (IoContestant contestant : settings.contestants) {
      String absence = contestant.absence(rail);
      if (absence == null
          && contestant.scheme().isCoded()
          && contestant.scheme().policy(policy) == null) {
        absence =
            "Hadoop has a policy of this code only with the shape of RS-6-3-1024k, not of "
                + policy.getName();
      }
      if (absence == null) {
        absence = ClientHeap.absence(contestant, policy, mostThreads());
      }
      if (absence == null) {
        absence = directories.absence(policy, contestant.scheme());
      }
      boolean works = settings.operations.stream().anyMatch(contestant::takesPart);
      if (absence == null && works) {
        present.add(contestant);
      } else if (absence != null) {
        report.leaveOut(contestant.label(), absence);
        progress.accept("left out " + contestant.label() + ": " + absence);
      }
    }
    return present;
  }

  private int mostThreads() {
    return Collections.max(settings.threads);
  }

  /** Measures one round of client JVMs. */
  private void measure(ErasureCodingPolicy policy, List<IoContestant> present, int jvm)
      throws IOException {
    for (IoContestant contestant : present) {
      directories.make(policy, contestant.scheme());
    }
    List<ClientProcess> clients = new ArrayList<>();
    verifier = start("verifier", IoContestant.RS_JAVA, ClientHeap.VERIFIER);
    try {
      for (IoContestant contestant : present) {
        long heapBytes = ClientHeap.bytes(contestant, policy, mostThreads());
        clients.add(start(contestant.label(), contestant, heapBytes));
      }
      for (int threads : settings.threads) {
        new Round(policy, clients, jvm, threads).run();
      }
    } finally {
      verifier.close();
      for (ClientProcess client : clients) {
        client.close();
      }
    }
  }

  private ClientProcess start(String name, IoContestant contestant, long heapBytes)
      throws IOException {
    List<java.nio.file.Path> classPath = new ArrayList<>(hdfs.clientClassPath());
    classPath.add(0, ClientProcess.makeFirst(place.data().resolve("services")));
    Map<String, String> conf = new LinkedHashMap<>(hdfs.clientSettings());
    conf.putAll(contestant.settings());
    List<String> arguments = new ArrayList<>(hdfs.clientArguments());
    arguments.addAll(contestant.engine(rail));
    return place.start(
        () ->
            ClientProcess.start(
                name,
                contestant,
                conf,
                hdfs.clientPrefix(),
                (int) (heapBytes >> 20),
                arguments,
                classPath,
                place.data()));
  }

  /** All repetitions of one round of JVMs with one number of threads. */
  private final class Round {
    private final ErasureCodingPolicy policy;
    private final List<ClientProcess> clients;
    private final int jvm;
    private final int threads;
    private final long fileBytes;
    private final ReadFiles files;

    Round(ErasureCodingPolicy policy, List<ClientProcess> clients, int jvm, int threads) {
      this.policy = policy;
      this.clients = clients;
      this.jvm = jvm;
      this.threads = threads;
      fileBytes = settings.fileBytes(policy, threads, settings.bytes);
      String address = hanging == null ? null : hanging.address();
      files = new ReadFiles(hdfs, pattern, policy, address, settings.mostDead());
    }

    void run() throws IOException {
      writeReadFiles();
      for (int i = 0; i < settings.warmUps; i++) {
        for (ClientProcess client : clients) {
          warmUp(client);
        }
      }
      for (int repetition = 0; repetition < settings.repetitions; repetition++) {
        for (Operation operation : settings.operations) {
          if (operation.isHealthy()) {
            measureAll(operation, repetition);
          }
        }
        measureDead(repetition);
        measureHung(repetition);
      }
      files.delete();
    }

    private void writeReadFiles() throws IOException {
      for (ClientProcess client : clients) {
        IoContestant contestant = client.contestant();
        boolean reads =
            settings.operations.stream()
                .anyMatch(o -> !o.action().writes() && contestant.takesPart(o));
        if (reads && files.of(contestant.scheme()) == null) {
          progress.accept(prefix() + "writing what is read, " + contestant.scheme());
          files.write(contestant.scheme(), paths(contestant, "read"), fileBytes);
        }
      }
    }

    private String prefix() {
      String link = linkMbit == IoSettings.LOOPBACK ? "" : linkMbit + " Mbit/s, ";
      String count = ", " + threads + (threads == 1 ? " thread" : " threads");
      return link + policy.getName() + count + ", JVM " + (jvm + 1) + " of " + settings.jvms + ": ";
    }

    private List<String> paths(IoContestant contestant, String name) {
      List<String> paths = new ArrayList<>();
      for (int file = 0; file < threads; file++) {
        paths.add(
            new Path(directories.of(policy, contestant.scheme()), name + "-" + file).toString());
      }
      return paths;
    }

    /**
     * Runs the operations until they are compiled; every byte that is written and read is compared.
     */
    private void warmUp(ClientProcess client) throws IOException {
      long bytes = Math.min(fileBytes, settings.fileBytes(policy, threads, settings.warmUpBytes));
      Set<Action> actions = new LinkedHashSet<>();
      for (Operation operation : settings.operations) {
        if (client.contestant().takesPart(operation)) {
          actions.add(operation.action());
        }
      }
      for (Action action : actions) {
        if (client.hasEnded()) {
          return;
        }
        ClientRequest request = request(client.contestant(), action, -1);
        request.bytes = Math.min(bytes, request.bytes);
        request.everyByte = true;
        ClientAnswer answer = client.ask(request);
        if (answer.error != null) {
          fail(client.contestant(), "warm-up of " + action, answer.error);
        }
        if (action == Action.WRITE && client.contestant().computesParity()) {
          checkParity(client.contestant(), new Path(request.paths.get(0)));
        }
        if (action.writes()) {
          verifyAndDelete(client, request);
        }
      }
    }

    private void checkParity(IoContestant contestant, Path file) throws IOException {
      String wrong = ParityCheck.wrong(hdfs, file);
      if (wrong != null && cluster == null && ParityCheck.isMissing(wrong)) {
        report.notes.add(prefix() + "parity of " + contestant.label() + " not checked: " + wrong);
      } else if (wrong != null) {
        fail(contestant, "write, parity", wrong);
      }
    }

    private ClientRequest request(IoContestant contestant, Action action, int repetition) {
      ClientRequest request = new ClientRequest();
      request.action = action;
      request.paths = action.writes() ? paths(contestant, "write") : files.of(contestant.scheme());
      request.bytes = fileBytes;
      request.seed = 1000L * repetition;
      request.servers = hdfs.processes();
      if (action == Action.RANDOM) {
        request.pieceBytes = (int) Math.min(settings.randomBytes, fileBytes);
        request.pieces = Math.max(1, settings.randomReads / threads);
      } else if (action == Action.PREAD) {
        long stripe = (long) policy.getNumDataUnits() * policy.getCellSize();
        long stripes = Math.max(1, PREAD_BYTES / threads / stripe);
        request.pieceBytes = (int) Math.min(stripes * stripe, fileBytes);
      } else if (action == Action.SYNC) {
        request.pieceBytes = RECORD_BYTES;
        request.pieces = Math.max(2, settings.syncs / threads);
        request.bytes = (long) request.pieces * RECORD_BYTES;
      } else if (action == Action.FIRST_SYNC) {
        request.pieceBytes = Pattern.CHUNK_BYTES;
        request.pieces = Math.max(1, settings.firstSyncs / threads);
        request.bytes = Pattern.CHUNK_BYTES;
      }
      return request;
    }

    private void measureAll(Operation operation, int repetition) throws IOException {
      for (ClientProcess client : settings.inTurn(clients, jvm, repetition)) {
        if (client.contestant().takesPart(operation) && !client.hasEnded()) {
          measure(client, operation, repetition);
        }
      }
    }

    private void measure(ClientProcess client, Operation operation, int repetition)
        throws IOException {
      ClientRequest request = request(client.contestant(), operation.action(), repetition);
      request.fresh = !operation.isHealthy();
      PageCache.dropFor(operation);
      ClientAnswer answer;
      try (BusyThreads others = operation.isBusy() ? new BusyThreads() : null) {
        answer = client.ask(request);
      }
      if (answer.error != null) {
        fail(client.contestant(), operation.name(), answer.error);
      } else {
        Sample sample = sample(client.contestant(), operation, repetition, answer);
        report.samples.add(sample);
        progress.accept(
            prefix()
                + String.format(
                    Locale.ROOT,
                    "%d of %d, %s, %s: %.0f MiB/s",
                    repetition + 1,
                    settings.repetitions,
                    operation,
                    client.contestant().label(),
                    sample.mibPerSecond));
      }
      if (operation.action().writes()) {
        verifyAndDelete(client, request);
      }
    }

    /** Compares the written files with Hadoop's own reader and coder; not timed. */
    private void verifyAndDelete(ClientProcess client, ClientRequest written) throws IOException {
      ClientRequest verify = new ClientRequest();
      verify.action = Action.READ;
      verify.everyByte = true;
      verify.paths = written.paths;
      verify.bytes = written.bytes;
      if (!client.hasEnded()) {
        ClientAnswer answer = verifier.ask(verify);
        if (answer.error != null) {
          fail(client.contestant(), "write, read back", answer.error);
        }
        report.bytesVerified += answer.bytes;
      }
      hdfs.delete(written.paths);
    }

    private void fail(IoContestant contestant, String what, String error) throws IOException {
      if (cluster == null && OF_CLUSTER.matcher(error).find()) {
        throw new IOException("Cannot continue in " + hdfs + ": " + error);
      }
      String text = prefix() + what + ", " + contestant.label() + ": " + error;
      report.fail(contestant, text);
      progress.accept("FAILED " + text);
    }

    private Sample sample(
        IoContestant contestant, Operation operation, int repetition, ClientAnswer answer) {
      Sample sample = new Sample();
      sample.linkMbit = linkMbit;
      sample.policy = policy.getName();
      sample.threads = threads;
      sample.operation = operation.name();
      sample.contestant = contestant.label();
      sample.jvm = jvm;
      sample.repetition = repetition;
      sample.seconds = answer.seconds;
      sample.mibPerSecond = answer.bytes / ByteSize.MIB / answer.seconds;
      double gib = answer.bytes / ByteSize.GIB;
      sample.clientCpuSecondsPerGib = answer.clientCpuSeconds / gib;
      sample.serverCpuSecondsPerGib = cluster == null ? null : answer.serverCpuSeconds / gib;
      sample.stream = answer.stream;
      sample.latency = answer.latency;
      return sample;
    }

    /** Stops one DataNode after the other, and restarts all at the end. */
    private void measureDead(int repetition) throws IOException {
      if (settings.mostDead() == 0) {
        return;
      }
      List<String> victims = files.victims();
      for (Operation operation : settings.operations) {
        if (operation.dead() > victims.size()) {
          report.leaveOut(
              operation.name(),
              "no contestant reads erasure-coded files, which decide which DataNodes die");
        }
      }
      for (int dead = 1; dead <= victims.size(); dead++) {
        cluster.kill(victims.get(dead - 1));
        for (Operation operation : settings.operations) {
          if (operation.dead() == dead) {
            measureAll(operation, repetition);
          }
        }
      }
      for (String victim : victims) {
        cluster.restart(victim);
      }
    }

    private void measureHung(int repetition) throws IOException {
      if (hanging == null) {
        return;
      }
      hanging.pause();
      try {
        for (Operation operation : settings.operations) {
          if (operation.isHung()) {
            measureAll(operation, repetition);
          }
        }
      } finally {
        hanging.resume();
      }
      cluster.awaitHeartbeat(hanging.address());
    }
  }
}
