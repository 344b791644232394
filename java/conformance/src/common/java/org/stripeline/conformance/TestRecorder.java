// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes one line per test at its end, so that the results are kept if the JVM hangs or dies.
 *
 * <p>Format, tab separated: {@code passed|failed|skipped <Class#method> <milliseconds> <what
 * happened>}, and {@code end} when the whole plan ran. A class or engine that fails before its
 * tests also has a line. Inactive unless the property {@value #FILE} is set to the file.
 */
public final class TestRecorder implements TestExecutionListener {
  /** System property: the file to write. */
  public static final String FILE = "stripeline.conformance.tests";

  private static final int MESSAGE_CHARS_MAX = 400;

  private final Map<String, Long> startNanos = new ConcurrentHashMap<>();
  private Writer out;
  private TestPlan plan;

  @Override
  public void testPlanExecutionStarted(TestPlan testPlan) {
    plan = testPlan;
    String file = System.getProperty(FILE);
    if (file == null) {
      return;
    }
    try {
      out = Files.newBufferedWriter(Paths.get(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    startNanos.put(test.getUniqueId(), System.nanoTime());
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Long start = startNanos.remove(test.getUniqueId());
    String outcome;
    switch (result.getStatus()) {
      case SUCCESSFUL:
        if (!test.isTest()) {
          return;
        }
        outcome = "passed";
        break;
      case ABORTED:
        outcome = "skipped";
        break;
      default:
        outcome = "failed";
    }
    String what = result.getThrowable().map(Throwable::toString).orElse("");
    long millis = start == null ? 0 : (System.nanoTime() - start) / 1_000_000;
    record(outcome, nameOf(test), millis, what);
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    record("skipped", nameOf(test), 0, reason);
  }

  @Override
  public void testPlanExecutionFinished(TestPlan testPlan) {
    if (out == null) {
      return;
    }
    try {
      out.write("end\n");
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized void record(String outcome, String name, long millis, String what) {
    if (out == null) {
      return;
    }
    String line = what.replaceAll("\\s+", " ");
    if (line.length() > MESSAGE_CHARS_MAX) {
      line = line.substring(0, MESSAGE_CHARS_MAX);
    }
    try {
      out.write(outcome + '\t' + name + '\t' + millis + '\t' + line + '\n');
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns {@code Class#method}, with {@code [invocation]} if one method runs several times. */
  private String nameOf(TestIdentifier test) {
    String name = test.getUniqueId();
    TestSource source = test.getSource().orElse(null);
    if (source instanceof MethodSource) {
      // The class that was run, which for an inherited test differs from the declaring class.
      MethodSource method = (MethodSource) source;
      name = classOf(test, method.getClassName()) + '#' + method.getMethodName();
    } else if (source instanceof ClassSource) {
      name = ((ClassSource) source).getClassName();
    }
    String last = test.getUniqueIdObject().getLastSegment().getType();
    if (last.equals("test-template-invocation") || test.getDisplayName().endsWith("]")) {
      name += '[' + test.getDisplayName().replaceAll("^.*\\[(.*)\\]$", "$1") + ']';
    }
    return name;
  }

  private String classOf(TestIdentifier test, String fallback) {
    TestIdentifier at = test;
    while (true) {
      TestIdentifier parent = plan.getParent(at).orElse(null);
      if (parent == null) {
        return fallback;
      }
      TestSource source = parent.getSource().orElse(null);
      if (source instanceof ClassSource) {
        return ((ClassSource) source).getClassName();
      }
      at = parent;
    }
  }
}
