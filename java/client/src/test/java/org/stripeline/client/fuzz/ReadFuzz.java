// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.StripedCluster;
import org.apache.hadoop.hdfs.StripelineFileSystem;
import org.apache.hadoop.test.GenericTestUtils;
import org.apache.hadoop.util.VersionInfo;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;

/**
 * Runs cases, each derived from a seed, on one cluster.
 *
 * <p>Usage as a program: {@code ReadFuzz [--fs=ours|stock] [--seed=N] [--cases=N] [--minutes=N]
 * [--keep-going=true|false]}. With {@code stock} it runs Hadoop's own client and counts its errors,
 * which shows that the cases detect errors; otherwise it exits with status 1 at the first finding.
 */
public final class ReadFuzz implements AutoCloseable {
  private static final long DEADLINE_SECONDS = 60;

  private final FuzzWorld world;
  private final Class<? extends DistributedFileSystem> client;
  private final PrintStream out;
  private final Map<Finding.Kind, Integer> findings = new TreeMap<>();
  private int cases;
  private long reads;
  private String slowStacks = "";

  /** Starts a cluster under {@code dir} for cases with that client. */
  public ReadFuzz(Path dir, Class<? extends DistributedFileSystem> client, PrintStream out)
      throws IOException {
    this.world = new FuzzWorld(dir);
    this.client = client;
    this.out = out;
  }

  /** Runs the program. */
  public static void main(String[] arguments) throws Exception {
    Map<String, String> options = new TreeMap<>();
    for (String argument : arguments) {
      String[] parts = argument.replaceFirst("^--", "").split("=", 2);
      options.put(parts[0], parts[1]);
    }
    boolean stock = "stock".equals(options.get("fs"));
    boolean keepGoing = Boolean.parseBoolean(options.getOrDefault("keep-going", "" + stock));
    long seed = Long.parseLong(options.getOrDefault("seed", "1"));
    long cases = Long.parseLong(options.getOrDefault("cases", "1000000000"));
    long minutes = Long.parseLong(options.getOrDefault("minutes", "10"));
    Path dir = Files.createTempDirectory("stripeline-fuzz");
    int status = 0;
    try (ReadFuzz fuzz =
        new ReadFuzz(
            dir, stock ? DistributedFileSystem.class : StripelineFileSystem.class, System.out)) {
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
      for (long i = 0; i < cases && System.nanoTime() < end; i++) {
        Finding finding = fuzz.run(seed + i);
        if (finding != null && !keepGoing) {
          status = 1;
          break;
        }
      }
      System.out.println(fuzz.summary());
    } finally {
      org.apache.commons.io.FileUtils.deleteQuietly(dir.toFile());
    }
    System.exit(status);
  }

  /** Returns the counts so far, in one line. */
  public String summary() {
    return client.getSimpleName()
        + " on Hadoop "
        + VersionInfo.getVersion()
        + ": "
        + cases
        + " cases, "
        + reads
        + " reads, findings "
        + findings
        + pipelineCounts();
  }

  /** Returns the counts of Stripeline's pipeline, which show that the faults were encountered. */
  private static String pipelineCounts() {
    StringBuilder text = new StringBuilder();
    for (ReadCount what : ReadCount.values()) {
      long count = ReadContext.counters().get(what);
      text.append(", ").append(what.metricName()).append(' ').append(count);
    }
    return text.toString();
  }

  /** Runs one case and returns the finding, or null. */
  public Finding run(long seed) throws Exception {
    FuzzCase fuzz = FuzzCase.of(seed);
    byte[] data = StripedCluster.bytes(fuzz.length(), seed);
    org.apache.hadoop.fs.Path file = world.write(fuzz, data);
    Finding finding = null;
    try (Saboteur saboteur = new Saboteur(world, fuzz, world.cluster().groups(file));
        DistributedFileSystem fs = world.client(client, fuzz.settings())) {
      boolean strict = client != DistributedFileSystem.class;
      CaseRun run = new CaseRun(fs, file, data, saboteur, strict);
      finding = runInTime(run, fuzz);
      cases++;
      reads += run.reads();
      if (finding != null) {
        findings.merge(finding.kind(), 1, Integer::sum);
        print(fuzz, saboteur, finding);
      }
    } finally {
      world.heal(file);
    }
    if (finding == null && !areBuffersBack()) {
      finding =
          new Finding(Finding.Kind.LEAK, ReadContext.usedBufferBytes() + " bytes of buffers", null);
      findings.merge(finding.kind(), 1, Integer::sum);
      out.println("FINDING " + fuzz + "\n" + finding + "\n" + again(fuzz));
    }
    return finding;
  }

  private Finding runInTime(CaseRun run, FuzzCase fuzz) throws Exception {
    ExecutorService thread =
        Executors.newSingleThreadExecutor(task -> new Thread(task, "fuzz-case-" + fuzz.seed()));
    try {
      Future<?> done =
          thread.submit(
              () -> {
                run.run(fuzz.steps());
                return null;
              });
      awaitNotingStacks(done, run);
      return null;
    } catch (TimeoutException e) {
      return new Finding(
          Finding.Kind.HANG, "a step not done after " + DEADLINE_SECONDS + " s\n" + stacks(), null);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Finding) {
        return (Finding) e.getCause();
      }
      return new Finding(Finding.Kind.NEEDLESS_FAILURE, "outside any step", e.getCause());
    } finally {
      thread.shutdownNow();
    }
  }

  /**
   * Waits for the end of a case; if a call takes long, records the stacks of the reading threads.
   */
  private void awaitNotingStacks(Future<?> done, CaseRun run) throws Exception {
    slowStacks = "";
    while (true) {
      try {
        done.get(FuzzWorld.SOCKET_TIMEOUT_MS / 8, TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException e) {
        if (run.stepMillis() > TimeUnit.SECONDS.toMillis(DEADLINE_SECONDS)) {
          throw e;
        }
        if (slowStacks.isEmpty() && run.stepMillis() > FuzzWorld.SOCKET_TIMEOUT_MS / 2) {
          slowStacks = stacks();
        }
      }
    }
  }

  /** Returns the stacks of the reading threads. */
  private static String stacks() {
    StringBuilder text = new StringBuilder();
    Thread.getAllStackTraces()
        .forEach(
            (thread, frames) -> {
              if (!isOfReaders(thread, frames)) {
                return;
              }
              text.append(thread.getName()).append(' ').append(thread.getState()).append('\n');
              for (StackTraceElement frame : frames) {
                text.append("    at ").append(frame).append('\n');
              }
            });
    return text.toString();
  }

  private static boolean isOfReaders(Thread thread, StackTraceElement[] frames) {
    if (thread.getName().startsWith("fuzz-")) {
      return true;
    }
    for (StackTraceElement frame : frames) {
      String name = frame.getClassName();
      if (name.contains(".stripeline.client.read.") || name.contains(".hdfs.Stripe")) {
        return true;
      }
    }
    return false;
  }

  private void print(FuzzCase fuzz, Saboteur saboteur, Finding finding) {
    out.println("FINDING " + fuzz);
    saboteur.faults().forEach(fault -> out.println("  done: " + fault));
    finding.printStackTrace(out);
    if (finding.kind() == Finding.Kind.SLOW) {
      out.println("half-way:\n" + slowStacks);
    }
    out.println(again(fuzz));
  }

  /**
   * Waits until all buffers are returned; reads that were given up end once the taps are cleared.
   */
  private static boolean areBuffersBack() throws InterruptedException {
    try {
      GenericTestUtils.waitFor(() -> ReadContext.usedBufferBytes() == 0, 5, 20_000);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  private static String again(FuzzCase fuzz) {
    return "again: mvn -f java/pom.xml -pl testkit,native,coder,client test -Dtest=ReadFuzzTest"
        + " -Dsurefire.failIfNoSpecifiedTests=false -Dhadoop.version="
        + VersionInfo.getVersion()
        + " -Dstripeline.fuzz.seed="
        + fuzz.seed()
        + " -Dstripeline.fuzz.cases=1";
  }

  @Override
  public void close() throws IOException {
    world.close();
  }
}
