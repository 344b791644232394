// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Clock;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException;
import org.apache.hadoop.ipc.RemoteException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.select.PathArguments;
import org.stripeline.convert.select.Preflight;
import org.stripeline.convert.service.Leader;
import org.stripeline.convert.service.StatusRecorder;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.DaemonThreads;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Terminal;

/**
 * Carries out the rules of a file, once or again and again. Each path of a rule is one job, as if
 * an operator had begun it; of several services with the same job directory only one does jobs.
 */
final class ConversionService {
  private static final Logger LOG = LoggerFactory.getLogger(ConversionService.class);
  private static final long LOOK_SECONDS = 10;

  /** Half of the time after which another service can take the lease of a silent client. */
  private static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** How often a wait looks at the clock, which an operator may set. */
  private static final long STEP_MS = 5000;

  /** Time until the next try if HDFS does not answer, unless the next pass begins earlier. */
  private static final long RETRY_MS = TimeUnit.MINUTES.toMillis(5);

  private final DistributedFileSystem fs;
  private final ServiceOptions options;
  private final String jobs;
  private final JobRunner runner;
  private final Consumer<String> printer;
  private final Clock clock;
  private final Ticker ticker;

  /** Guards {@link #isStopping}, and is notified when it changes. */
  private final Object changed = new Object();

  private boolean isStopping;

  /** Why this process no longer leads; null while it does. */
  private volatile IOException lost;

  /** When HDFS last answered this process; it led then, if it has begun to lead. */
  private volatile long ledAt;

  private volatile Leader leader;
  private final EarlierJobs earlierJobs;
  private StatusRecorder status;
  private List<Rule> rules;

  /** Does one job. */
  interface JobRunner {
    /**
     * Does a job or plans it, and prints its result.
     *
     * @param isOver tells the job to begin no more files
     * @return the exit status
     * @throws CommandException if the job cannot begin or continue
     */
    int run(JobSettings settings, String layoutText, JobObserver observer, BooleanSupplier isOver);
  }

  /**
   * Creates a service.
   *
   * @param jobs the directory of all jobs
   * @param printer prints messages for people
   * @param clock the time of day, for windows
   */
  ConversionService(
      DistributedFileSystem fs,
      ServiceOptions options,
      String jobs,
      JobRunner runner,
      Consumer<String> printer,
      Clock clock,
      Ticker ticker) {
    this.fs = fs;
    this.options = options;
    this.jobs = jobs;
    this.runner = runner;
    this.printer = printer;
    this.clock = clock;
    this.ticker = ticker;
    earlierJobs = new EarlierJobs(fs, jobs, printer, ticker);
  }

  /** Shows what each rule would do, and returns the exit status. */
  int plan() throws IOException {
    rules = RulesFile.read(options.file);
    int worst = ExitStatus.SOUND;
    List<Rule> earlier = new ArrayList<>();
    for (Rule rule : rules) {
      printer.accept(rule + (rule.isLeave ? " leaves its files as they are" : ":"));
      if (!rule.isLeave) {
        worst = ExitStatus.worse(worst, carryOut(rule, earlier, JobObserver.NONE, () -> false));
      }
      earlier.add(rule);
    }
    return worst;
  }

  /**
   * Carries out the rules until a signal ends the process, or once if the interval is 0.
   *
   * @return the exit status
   * @throws RefusedException if the rules cannot be read, or with an interval of 0 if another
   *     service works
   */
  int serve(long intervalMs) throws IOException {
    rules = RulesFile.read(options.file);
    try (EndBySignal armed = new EndBySignal(this::stop, () -> ledAt, printer, ticker)) {
      if (!lead(intervalMs > 0)) {
        return ExitStatus.SOUND;
      }
      try (Leader held = leader;
          StatusRecorder recorder = new StatusRecorder(fs, leader, jobs, options.file, clock)) {
        status = recorder;
        return work(intervalMs);
      }
    }
  }

  /** Ends the service after the files in progress. */
  void stop() {
    synchronized (changed) {
      isStopping = true;
      changed.notifyAll();
    }
  }

  private boolean isStopping() {
    synchronized (changed) {
      return isStopping;
    }
  }

  /** Takes the lease; returns false if the service is ended while it waits for it. */
  private boolean lead(boolean isPatient) throws IOException {
    ledAt = ticker.nanos();
    // Otherwise each pass would fail, for ever.
    Preflight.asSuperuser(fs.getClient());
    String told = null;
    while (!isStopping()) {
      String why = "Another service works; this one takes over when that ends";
      try {
        leader = Leader.take(fs, jobs);
        ledAt = ticker.nanos();
        if (leader != null) {
          return true;
        }
      } catch (RefusedException e) {
        throw e;
      } catch (IOException e) {
        if (told == null) {
          throw e;
        }
        // Such as a NameNode that is restarting; the configuration is known to be right.
        why = Reasons.cannot("take the lease, trying again", e);
      }
      if (!isPatient) {
        throw new RefusedException(
            "Cannot carry out " + options.file + ": another service with " + jobs + " works now");
      }
      if (!why.equals(told)) {
        printer.accept(why);
        told = why;
      }
      await(clock.millis() + TimeUnit.SECONDS.toMillis(LOOK_SECONDS));
    }
    return false;
  }

  private int work(long intervalMs) throws IOException {
    // Two threads, because a status cannot be recorded while DataNodes do not answer.
    ScheduledExecutorService looking =
        Executors.newScheduledThreadPool(2, DaemonThreads.named("stripeline-convert-service"));
    looking.scheduleWithFixedDelay(this::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    looking.scheduleWithFixedDelay(status::record, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    try {
      int worst = ExitStatus.SOUND;
      status.rules(names());
      do {
        long begun = clock.millis();
        int pass = pass(intervalMs > 0);
        if (intervalMs == 0) {
          // Usage errors mean that nothing was changed.
          boolean isChanged = pass == ExitStatus.USAGE && status.getFilesConverted() > 0;
          worst = isChanged ? ExitStatus.FAILED : pass;
        }
        if (intervalMs > 0 && !isStopping()) {
          long again = pass == ExitStatus.UNCHECKED ? clock.millis() + RETRY_MS : Long.MAX_VALUE;
          await(next(Math.min(begun + intervalMs, again)));
          reload();
        }
      } while (intervalMs > 0 && !isStopping());
      if (lost != null) {
        throw new IOException("another service can have the lease now: " + Reasons.of(lost), lost);
      }
      return worst;
    } finally {
      looking.shutdown();
      if (lost == null) {
        status.set(now -> now.state = "stopped");
      }
    }
  }

  private List<String> names() {
    return rules.stream().map(rule -> rule.name).collect(Collectors.toList());
  }

  /** Checks that this process still leads, and ends the service if another can lead. */
  private void requireLead() throws IOException {
    long asked = ticker.nanos();
    try {
      leader.require();
      ledAt = asked;
    } catch (IOException e) {
      IOException cause =
          e instanceof RemoteException ? ((RemoteException) e).unwrapRemoteException() : e;
      if (cause instanceof LeaseExpiredException || cause instanceof FileNotFoundException) {
        lost = cause;
        stop();
      }
      throw e;
    }
  }

  /** Checks that this process still leads. */
  private void look() {
    try {
      requireLead();
    } catch (IOException e) {
      LOG.debug("Cannot check the lease of this service now", e);
    } catch (RuntimeException e) {
      printer.accept("Cannot check the lease of this service: " + Reasons.of(new IOException(e)));
    }
  }

  /** Reads the rules again; if they are wrong, those of before stay in force. */
  private void reload() {
    String error = null;
    try {
      rules = RulesFile.read(options.file);
      status.rules(names());
    } catch (IOException | RuntimeException e) {
      error = Reasons.of(e) + "; the rules of before stay in force";
      printer.accept(error);
    }
    String last = error;
    status.set(now -> now.rulesError = last);
  }

  /** Does a pass. A service lives on if HDFS does not answer. */
  private int pass(boolean isService) throws IOException {
    try {
      return pass();
    } catch (IOException e) {
      if (lost == null && (!isService || e instanceof RefusedException)) {
        throw e;
      }
      printer.accept(Reasons.cannot("carry out the rules now", e));
      return ExitStatus.UNCHECKED;
    }
  }

  private int pass() throws IOException {
    status.set(
        now -> {
          now.passes++;
          now.state = "working";
          now.nextPassMs = null;
        });
    int worst = earlierJobs.settle(this::isStopping);
    List<Rule> earlier = new ArrayList<>();
    for (Rule rule : rules) {
      if (isStopping()) {
        break;
      }
      if (rule.isLeave) {
        status.leftOut(rule.name, "leaves its files as they are");
      } else if (!isOpen(rule)) {
        status.leftOut(rule.name, "outside its window " + rule.window);
      } else {
        worst = ExitStatus.worse(worst, perform(rule, earlier));
      }
      earlier.add(rule);
    }
    return worst;
  }

  private boolean isOpen(Rule rule) {
    return rule.window == null || rule.window.isOpen(ZonedDateTime.now(clock));
  }

  private int perform(Rule rule, List<Rule> earlier) throws IOException {
    long failedBefore = status.getFilesFailed();
    requireLead();
    printer.accept(rule + ":");
    status.begins(rule.name);
    int result = carryOut(rule, earlier, status, () -> isEnding() || !isOpen(rule));
    boolean isOver = isStopping() || !isOpen(rule);
    if (isOver && result == ExitStatus.FAILED && status.getFilesFailed() == failedBefore) {
      // What is left is not a failure: the next pass begins with it.
      result = ExitStatus.SOUND;
    }
    String how = result == ExitStatus.SOUND ? "done" : "exit status " + result;
    status.ended(rule.name, isStopping() ? "ended early" : isOver ? "its window ended" : how);
    return result;
  }

  /** Returns whether no more files may be begun by this process. */
  private boolean isEnding() {
    if (ticker.nanos() - ledAt > LEASE_NANOS) {
      // The process was stopped for a while, or HDFS did not answer: another service may lead.
      look();
    }
    return isStopping();
  }

  private int carryOut(
      Rule rule, List<Rule> earlier, JobObserver observer, BooleanSupplier isOver) {
    int worst = ExitStatus.SOUND;
    List<String> paths;
    try {
      paths = paths(rule);
    } catch (IOException e) {
      printer.accept(rule + ": " + Reasons.cannot("find its paths", e));
      return ExitStatus.UNCHECKED;
    }
    for (String path : paths) {
      if (isStopping()) {
        break;
      }
      try {
        worst =
            ExitStatus.worse(
                worst, runner.run(rule.job(path, earlier), rule.layoutText, observer, isOver));
      } catch (CommandException e) {
        printer.accept(rule + ": " + e.getMessage());
        if (e.exitStatus() != ExitStatus.USAGE || !isOver.getAsBoolean()) {
          worst = ExitStatus.worse(worst, e.exitStatus());
        }
      } catch (RuntimeException e) {
        // The other paths and rules do not depend on it.
        LOG.error("Cannot carry out {} on {}", rule, path, e);
        printer.accept(Terminal.oneLine(rule + ": Cannot convert " + path + ": " + e));
        worst = ExitStatus.worse(worst, ExitStatus.UNCHECKED);
      }
    }
    return worst;
  }

  private List<String> paths(Rule rule) throws IOException {
    List<String> found = new ArrayList<>();
    for (String path : rule.files.under) {
      try {
        found.addAll(PathArguments.expand(fs, path));
      } catch (RefusedException e) {
        // A directory of each month, for instance, which does not exist yet.
        printer.accept(rule + ": " + e.getMessage());
      }
    }
    return PathArguments.withoutNested(found);
  }

  /**
   * Returns when the next pass begins, which is earlier if a window opens before; one that is open
   * now is left aside until it opens again.
   */
  private long next(long regular) {
    long next = Math.max(regular, clock.millis());
    ZonedDateTime now = ZonedDateTime.now(clock);
    for (Rule rule : rules) {
      if (rule.window != null) {
        next = Math.min(next, clock.millis() + rule.window.untilOpening(now).toMillis());
      }
    }
    long time = next;
    status.set(
        at -> {
          at.state = "waiting";
          at.nextPassMs = time;
        });
    return next;
  }

  /** Waits until a time, unless the service is ended before. */
  private void await(long untilMs) {
    // By both clocks: that of the machine runs on while it sleeps, and may be put back.
    long ms = untilMs - clock.millis();
    long start = ticker.nanos();
    synchronized (changed) {
      for (long left = ms; left > 0 && !isStopping; ) {
        try {
          ticker.timedWait(changed, TimeUnit.MILLISECONDS.toNanos(Math.min(left, STEP_MS)));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          isStopping = true;
        }
        long waitedMs = TimeUnit.NANOSECONDS.toMillis(ticker.nanos() - start);
        left = Math.min(untilMs - clock.millis(), ms - waitedMs);
      }
    }
  }
}
