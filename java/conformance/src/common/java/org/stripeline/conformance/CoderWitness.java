// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import static net.bytebuddy.matcher.ElementMatchers.hasSuperType;
import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isPublic;
import static net.bytebuddy.matcher.ElementMatchers.nameMatches;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.not;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.matcher.ElementMatcher;

/**
 * Java agent that counts the {@code encode} and {@code decode} calls of a JVM by class of coder,
 * the streams of striped files that it opened by class, and the blocks for which our placement
 * policy selected DataNodes.
 *
 * <p>Hadoop falls back from one raw coder to the next and logs this at DEBUG level only, so a
 * passing test run does not prove that the intended coder was used. This agent instruments every
 * {@code RawErasureEncoder} and {@code RawErasureDecoder}, in any package and with any overridden
 * public methods, and writes its counts when the JVM ends. It changes no arguments and no results.
 *
 * <p>Output, one record per line, tab separated: {@code calls <operation> <class> <count>}, {@code
 * streams <read or write> <class> <count>}, {@code advised <count>} if our placement policy
 * selected DataNodes for blocks, {@code engine <native or java> <instruction set>} if our coder
 * published its bean, and {@code peak-rss-kib <number>}.
 */
public final class CoderWitness {
  private static final String ENCODER =
      "org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder";
  private static final String DECODER =
      "org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder";

  /** Encodes and computes checksums in one pass, without the interface of raw coders. */
  private static final String FUSED_ENCODER = "org.stripeline.client.write.FusedStripeEncoder";

  private static final Map<String, LongAdder> CALLS = new ConcurrentHashMap<>();
  private static final Map<String, LongAdder> STREAMS = new ConcurrentHashMap<>();

  /** Hadoop's streams of striped files, and ours. */
  private static final String STREAM_CLASSES =
      "org\\.apache\\.hadoop\\.hdfs\\.(DFSStriped|Stripeline|Durable)(In|Out)putStream";

  /** Selects the DataNodes of a block, or none, for our placement policy. */
  private static final String ADVISER = "org.apache.hadoop.hdfs.server.blockmanagement.EarStripes";

  private static final LongAdder ADVISED = new LongAdder();

  /**
   * Nesting depth of calls on this thread: overloads call each other, and only the outermost call
   * is counted.
   */
  private static final ThreadLocal<int[]> DEPTH = ThreadLocal.withInitial(() -> new int[1]);

  private CoderWitness() {}

  /**
   * Starts the agent.
   *
   * @param output file that receives the records when the JVM ends
   * @param instrumentation provided by the JVM
   */
  public static void premain(String output, Instrumentation instrumentation) {
    Path file = Paths.get(output).toAbsolutePath();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> write(file), "coder-witness"));
    // Resolving the supertypes of each of thousands of loaded classes would take seconds.
    ElementMatcher.Junction<TypeDescription> candidates =
        nameStartsWith("org.apache.hadoop.io.erasurecode.").or(nameStartsWith("org.stripeline."));
    install(
        instrumentation,
        candidates.and(hasSuperType(named(ENCODER))).or(named(FUSED_ENCODER)),
        "encode",
        EncodeAdvice.class);
    install(
        instrumentation,
        candidates.and(hasSuperType(named(DECODER))),
        "decode",
        DecodeAdvice.class);
    new AgentBuilder.Default()
        .with(AgentBuilder.Listener.StreamWriting.toSystemError().withErrorsOnly())
        .disableClassFormatChanges()
        .type(nameMatches(STREAM_CLASSES))
        .transform(
            (builder, type, loader, module, domain) ->
                builder.visit(Advice.to(OpenAdvice.class).on(isConstructor())))
        .type(named(ADVISER))
        .transform(
            (builder, type, loader, module, domain) ->
                builder.visit(Advice.to(PlaceAdvice.class).on(named("advise"))))
        .installOn(instrumentation);
  }

  private static void install(
      Instrumentation instrumentation,
      ElementMatcher<TypeDescription> coders,
      String method,
      Class<?> advice) {
    new AgentBuilder.Default()
        .with(AgentBuilder.Listener.StreamWriting.toSystemError().withErrorsOnly())
        .disableClassFormatChanges()
        .type(coders)
        .transform(
            (builder, type, loader, module, domain) ->
                builder.visit(
                    Advice.to(advice).on(named(method).and(isPublic()).and(not(isAbstract())))))
        .installOn(instrumentation);
  }

  /**
   * Records the start of a call. Public because instrumented code calls it.
   *
   * @param coder the coder called
   * @param operation {@code encode} or {@code decode}
   */
  public static void enter(Object coder, String operation) {
    int[] depth = DEPTH.get();
    if (depth[0]++ == 0) {
      CALLS
          .computeIfAbsent(operation + '\t' + coder.getClass().getName(), key -> new LongAdder())
          .increment();
    }
  }

  /** Records the end of a call. Public because instrumented code calls it. */
  public static void exit() {
    DEPTH.get()[0]--;
  }

  /**
   * Records that a stream was opened. Public because instrumented code calls it.
   *
   * @param stream the stream; the constructor of each of its classes reports it once
   * @param constructed the class of the constructor
   */
  public static void opened(Object stream, Class<?> constructed) {
    if (stream.getClass() == constructed) {
      String operation = stream instanceof java.io.InputStream ? "read" : "write";
      STREAMS
          .computeIfAbsent(operation + '\t' + constructed.getName(), key -> new LongAdder())
          .increment();
    }
  }

  /**
   * Records a decision of our placement policy about a block. Public because instrumented code
   * calls it.
   *
   * @param nodes the selected DataNodes; null if none
   */
  public static void placed(Object nodes) {
    if (nodes != null) {
      ADVISED.increment();
    }
  }

  /**
   * Returns how often each coder was called in this JVM so far.
   *
   * @param operation {@code encode} or {@code decode}
   * @return calls by simple class name of the coder; empty if the agent is not loaded
   */
  public static Map<String, Long> calls(String operation) {
    Map<String, Long> counts = new TreeMap<>();
    CALLS.forEach(
        (key, count) -> {
          if (key.startsWith(operation + '\t')) {
            counts.merge(key.replaceAll(".*[.\t]", ""), count.sum(), Long::sum);
          }
        });
    return counts;
  }

  private static void write(Path file) {
    List<String> lines = new ArrayList<>();
    new TreeMap<>(CALLS).forEach((key, count) -> lines.add("calls\t" + key + '\t' + count.sum()));
    new TreeMap<>(STREAMS)
        .forEach((key, count) -> lines.add("streams\t" + key + '\t' + count.sum()));
    if (ADVISED.sum() > 0) {
      lines.add("advised\t" + ADVISED.sum());
    }
    engine().ifPresent(lines::add);
    try {
      for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
        if (line.startsWith("VmHWM:")) {
          lines.add("peak-rss-kib\t" + line.replaceAll("[^0-9]", ""));
        }
      }
      Files.write(file, lines, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads our coder's bean by its name only, so that this class does not depend on the code under
   * test.
   */
  private static Optional<String> engine() {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    try {
      ObjectName bean = new ObjectName("Hadoop:service=Stripeline,name=Coder");
      return server.isRegistered(bean)
          ? Optional.of(
              "engine\t"
                  + server.getAttribute(bean, "Implementation")
                  + '\t'
                  + server.getAttribute(bean, "Isa"))
          : Optional.empty();
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Advice for {@code encode}. */
  public static final class EncodeAdvice {
    private EncodeAdvice() {}

    @Advice.OnMethodEnter
    static void enter(@Advice.This Object coder) {
      CoderWitness.enter(coder, "encode");
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class)
    static void exit() {
      CoderWitness.exit();
    }
  }

  /** Advice for {@code decode}. */
  public static final class DecodeAdvice {
    private DecodeAdvice() {}

    @Advice.OnMethodEnter
    static void enter(@Advice.This Object coder) {
      CoderWitness.enter(coder, "decode");
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class)
    static void exit() {
      CoderWitness.exit();
    }
  }

  /** Advice for the constructors of streams. */
  public static final class OpenAdvice {
    private OpenAdvice() {}

    @Advice.OnMethodExit
    static void exit(@Advice.This Object stream, @Advice.Origin Class<?> constructed) {
      CoderWitness.opened(stream, constructed);
    }
  }

  /** Advice for the decisions of our placement policy. */
  public static final class PlaceAdvice {
    private PlaceAdvice() {}

    @Advice.OnMethodExit
    static void exit(@Advice.Return Object nodes) {
      CoderWitness.placed(nodes);
    }
  }
}
