// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.stripeline.lab.cluster.ClusterStatus;
import org.stripeline.natives.CoderStatus;

/**
 * Two questions about speed on HDFS: what does coding cost a writer, and what do dead DataNodes
 * cost a reader?
 *
 * <p>Rounds of all variants alternate, so that drift of the machine falls on all alike. Every
 * round's file is deleted, and gone from the disks, before the next is written: otherwise later
 * rounds would pay for fresh memory that earlier ones did not.
 */
final class HdfsBench {

  /** Codes nothing and leaves parity as it finds it: on the class path of benches only. */
  static final String NO_OP_CODER = "noop";

  private static final int CHUNK_BYTES = 1 << 20;
  private static final int WARM_UP_ROUNDS = 2;
  private static final long DELETE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final StripeShape shape;
  private final long bytes;
  private final int rounds;
  private final DemoCluster cluster;
  private final Progress progress;
  private final byte[] chunk = new byte[CHUNK_BYTES];
  private final List<Contestant> writers = new ArrayList<>();

  HdfsBench(StripeShape shape, long bytes, int rounds, DemoCluster cluster, Progress progress) {
    this.shape = shape;
    this.bytes = bytes;
    this.rounds = rounds;
    this.cluster = cluster;
    this.progress = progress;
    // Any bytes that do not repeat within a checksum chunk will do: no coder looks at values.
    for (int i = 0; i < chunk.length; i++) {
      chunk[i] = (byte) (i * 31 + (i >>> 8));
    }
  }

  /** Measures everything on a cluster that runs. */
  HdfsBenchReport run(Workplace workplace) throws IOException {
    HdfsBenchReport report = new HdfsBenchReport();
    ClusterStatus status = cluster.status();
    report.policy = shape.policyName();
    report.datanodes = status.datanodes.size();
    report.hadoopVersion = status.hadoopVersion;
    report.javaVersion = status.javaVersion;
    report.processors = Runtime.getRuntime().availableProcessors();
    report.coderStatus = CoderStatus.current().toString();
    report.bytes = bytes;
    Map<String, Figures> writes = measureWrites(workplace);
    writes.forEach((coder, figures) -> report.add("write", coder, figures));
    double ours = writes.get(Contestant.OURS).mibPerSecond();
    report.writeToRsJava = ours / writes.get(shape.codecName() + "_java").mibPerSecond();
    if (writes.containsKey(NO_OP_CODER)) {
      report.writeToNoOp = ours / writes.get(NO_OP_CODER).mibPerSecond();
    }
    Map<String, Figures> reads = measureReads(writers.get(0));
    reads.forEach((step, figures) -> report.add(step, Contestant.OURS, figures));
    List<Figures> inOrder = new ArrayList<>(reads.values());
    report.degradedToHealthyRead = inOrder.get(1).mibPerSecond() / inOrder.get(0).mibPerSecond();
    return report;
  }

  private Map<String, Figures> measureWrites(Workplace workplace) throws IOException {
    Configuration conf = cluster.clientConfiguration();
    // HDFS's own default: one block group holds up to 768 MiB with six data units.
    conf.setLong("dfs.blocksize", 128L << 20);
    List<String> names = new ArrayList<>(Contestant.usualCoders(shape));
    if (CodecRegistry.getInstance().getCoderByName(shape.codecName(), NO_OP_CODER) != null) {
      names.add(NO_OP_CODER);
    }
    Map<String, Figures> figures = new LinkedHashMap<>();
    for (String name : names) {
      Contestant writer = workplace.add(new Contestant(name, shape, new Configuration(conf)));
      writer.fs().mkdirs(writer.directory());
      writer.fs().setErasureCodingPolicy(writer.directory(), shape.policyName());
      writers.add(writer);
      figures.put(name, new Figures());
    }
    for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
      List<Contestant> order = new ArrayList<>(writers);
      Collections.rotate(order, round);
      for (Contestant writer : order) {
        try (Progress.Step step = step("write", writer.coderName(), round)) {
          Figures.Round timed = write(writer, step);
          if (round >= 0) {
            figures.get(writer.coderName()).add(timed);
          }
          delete(writer);
          step.succeeded();
        }
      }
    }
    return figures;
  }

  private Map<String, Figures> measureReads(Contestant reader) throws IOException {
    try (Progress.Step step = progress.step("write what is read", bytes)) {
      write(reader, step);
      step.succeeded();
    }
    List<String> victims = holdersOfData(reader);
    String degraded = "read, " + victims.size() + " DataNodes dead";
    Map<String, Figures> figures = new LinkedHashMap<>();
    figures.put("read", new Figures());
    figures.put(degraded, new Figures());
    for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
      Figures.Round healthy = read(reader, "read", round);
      for (String victim : victims) {
        cluster.stop(victim);
      }
      Figures.Round hurt = read(reader, degraded, round);
      for (String victim : victims) {
        cluster.restart(victim);
      }
      if (round >= 0) {
        figures.get("read").add(healthy);
        figures.get(degraded).add(hurt);
      }
    }
    delete(reader);
    return figures;
  }

  /** DataNodes with the first data units of the first group: each makes a reader decode. */
  private List<String> holdersOfData(Contestant reader) throws IOException {
    LocatedStripedBlock first =
        (LocatedStripedBlock)
            reader
                .fs()
                .getClient()
                .getLocatedBlocks(file(reader).toUri().getPath(), 0, bytes)
                .get(0);
    List<String> holders = new ArrayList<>();
    cluster
        .liveNodes()
        .forEach(
            (id, address) -> {
              for (int i = 0; i < first.getLocations().length; i++) {
                if (first.getBlockIndices()[i] < shape.parityUnits()
                    && first.getLocations()[i].getXferAddr().equals(address)) {
                  holders.add(id);
                }
              }
            });
    return holders;
  }

  private Figures.Round write(Contestant writer, Progress.Step step) throws IOException {
    Stopwatch watch = Stopwatch.start(cluster::cpuSeconds);
    try (OutputStream out = writer.fs().create(file(writer), true)) {
      for (long done = 0; done < bytes; done += chunk.length) {
        out.write(chunk, 0, (int) Math.min(chunk.length, bytes - done));
        step.advance(chunk.length);
      }
    }
    return watch.stop(bytes);
  }

  private Figures.Round read(Contestant reader, String name, int round) throws IOException {
    byte[] into = new byte[CHUNK_BYTES];
    try (Progress.Step step = step(name, reader.coderName(), round)) {
      Stopwatch watch = Stopwatch.start(cluster::cpuSeconds);
      long done = 0;
      try (InputStream in = reader.fs().open(file(reader))) {
        for (int n = in.read(into); n >= 0; n = in.read(into)) {
          // One byte in a chunk costs nothing and notices a shift or a hole.
          if (into[0] != chunk[(int) (done % CHUNK_BYTES)]) {
            throw new DemoException("Wrong bytes in " + file(reader) + " at " + done);
          }
          done += n;
          step.advance(n);
        }
      }
      if (done != bytes) {
        throw new DemoException(
            "Wrong length of " + file(reader) + ": " + done + " bytes, should be " + bytes);
      }
      Figures.Round timed = watch.stop(bytes);
      step.succeeded();
      return timed;
    }
  }

  private void delete(Contestant writer) throws IOException {
    BlockGroups groups =
        BlockGroups.of(writer.fs(), Collections.singletonList(file(writer)), shape);
    writer.fs().delete(file(writer), false);
    long started = System.nanoTime();
    while (ReplicaFiles.find(cluster.storage()).holdsAnyOf(groups)) {
      if (System.nanoTime() - started > DELETE_NANOS) {
        throw new IOException(
            "Cannot go on: blocks of the deleted " + file(writer) + " are still on the disks after "
                + TimeUnit.NANOSECONDS.toSeconds(DELETE_NANOS) + " s");
      }
      Outage.pause();
    }
  }

  private Path file(Contestant contestant) {
    return new Path(contestant.directory(), "bench");
  }

  private Progress.Step step(String name, String coder, int round) {
    String which = round < 0 ? "warm-up" : round + 1 + " of " + rounds;
    return progress.step(name + ", " + coder + ", " + which, bytes);
  }
}
