// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.util.DataChecksum;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.BadReplica;
import org.stripeline.agent.BlockChecksum;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.natives.Ticker;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;

/**
 * Encodes one group. Several windows are processed concurrently: one thread per data block reads,
 * the caller's thread codes and checks, and one thread per target sends.
 */
final class GroupEncoder {
  private static final Logger LOG = LoggerFactory.getLogger(GroupEncoder.class);

  /** Time for streams to end by themselves, so that receivers see an orderly end. */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Time for interrupted streams to end; only a hanging disk takes longer. Tests shorten it. */
  static volatile long endNanos = TimeUnit.SECONDS.toNanos(30);

  private final TaskContext context;
  private final EncodeRequest request;
  private final String name;
  private final String writer = UUID.randomUUID().toString();
  private final RateLimiter limiter;
  private final int windowBytes;
  private final long length;
  private final List<SourceReader> sources = new ArrayList<>();
  private final List<TargetWriter> targets = new ArrayList<>();
  private final List<StreamThread> sourceThreads = new ArrayList<>();
  private final List<StreamThread> targetThreads = new ArrayList<>();
  private final List<ReplicaCheck> checks = new ArrayList<>();
  private final List<StreamThread> checkThreads = new ArrayList<>();

  /** The thread to interrupt on cancellation; null during clean-up. */
  private Thread runner;

  private boolean cancelled;

  /** Creates an encoder; {@code request} has been checked. */
  GroupEncoder(
      TaskContext context,
      EncodeRequest request,
      String name,
      TransferCounters counters,
      RateLimiter limiter) {
    this.context = context;
    this.request = request;
    this.name = name;
    this.limiter = limiter;
    this.length = request.data.get(0).block.length;
    int most = context.settings.window;
    int wanted = request.windowBytes == 0 ? most : Math.min(request.windowBytes, most);
    this.windowBytes = (int) Math.min(wanted, length);
    int ahead = context.settings.windows + 2;
    EncodeRequest.Kept[] kept = new EncodeRequest.Kept[request.data.size()];
    request.kept.forEach(link -> kept[link.unit] = link);
    for (int unit = 0; unit < kept.length; unit++) {
      sources.add(new SourceReader(context, request, unit, kept[unit], counters, limiter));
      sourceThreads.add(new StreamThread(name + "-read-" + sources.size(), ahead));
      checks.add(new ReplicaCheck(context, request, unit, kept[unit], limiter));
      checkThreads.add(new StreamThread(name + "-check-" + checks.size(), 2));
    }
    for (EncodeRequest.Target target : request.parity) {
      addTarget(target, counters, ahead);
    }
    for (EncodeRequest.Send send : request.sends) {
      addTarget(send.target, counters, ahead);
    }
  }

  private void addTarget(EncodeRequest.Target target, TransferCounters counters, int ahead) {
    targets.add(new TargetWriter(context, request, target, writer, counters, limiter));
    targetThreads.add(new StreamThread(name + "-send-" + targets.size(), ahead));
  }

  /** Returns the total bytes that {@link #run} reads and sends. */
  static long totalBytes(EncodeRequest request) {
    long total = 0;
    for (EncodeRequest.Source source : request.data) {
      total += source.block.length;
    }
    for (EncodeRequest.Target target : request.parity) {
      total += target.block.length;
    }
    for (EncodeRequest.Send send : request.sends) {
      total += send.target.block.length;
    }
    return total;
  }

  /** Checksums of the written blocks and of the kept ones. */
  static final class Verified {
    final List<BlockChecksum> written = new ArrayList<>();
    final List<BlockChecksum> kept = new ArrayList<>();
  }

  /**
   * Encodes the group, and returns the checksums of all blocks on disk. After a failure, no sent
   * block is left on the targets, or a suppressed exception names those that may be.
   *
   * @throws AgentException of kind CORRUPT with the replicas if any are bad
   */
  Verified run() throws IOException, InterruptedException {
    List<EncodeWindow> windows = new ArrayList<>();
    Throwable failure = null;
    try (ErasureCodec codec =
        ErasureCodec.create(Code.of(request.codec), request.dataUnits, request.parityUnits)) {
      begin();
      List<Future<?>> claims = askClaims();
      try {
        openTargets();
        takeWindows(windows);
        encode(codec, windows);
      } catch (AgentException e) {
        if (!e.bad().isEmpty()) {
          refuseWithOutvoted(e.bad(), claims);
        }
        throw e;
      }
      getAll(claims);
      return finish();
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      failure = e;
      throw e;
    } finally {
      end(windows, failure);
    }
  }

  private synchronized void begin() throws InterruptedException {
    if (cancelled) {
      throw new InterruptedException("cancelled before it began");
    }
    runner = Thread.currentThread();
  }

  /** Makes {@link #run} end soon, with an exception unless it is about to return. */
  synchronized void cancel() {
    cancelled = true;
    limiter.end();
    if (runner != null) {
      runner.interrupt();
    }
  }

  private List<Future<?>> askClaims() {
    List<Future<?>> asked = new ArrayList<>();
    for (int unit = 0; unit < checks.size(); unit++) {
      ReplicaCheck check = checks.get(unit);
      asked.add(
          checkThreads
              .get(unit)
              .give(
                  () -> {
                    check.askClaims();
                    return null;
                  }));
    }
    return asked;
  }

  private void openTargets() throws IOException, InterruptedException {
    List<Future<DataChecksum>> kinds = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      kinds.add(sourceThreads.get(i).give(sources.get(i)::checksum));
    }
    List<Future<?>> opened = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      // A sent block keeps its checksum type, on which the checksum of the file depends.
      int unit = i < request.parityUnits ? 0 : request.sends.get(i - request.parityUnits).unit;
      DataChecksum kind = get(kinds.get(unit));
      TargetWriter target = targets.get(i);
      opened.add(
          targetThreads
              .get(i)
              .give(
                  () -> {
                    target.open(kind);
                    return null;
                  }));
    }
    for (Future<?> one : opened) {
      get(one);
    }
  }

  private void takeWindows(List<EncodeWindow> windows) {
    long count = Math.min(context.settings.windows, (length - 1) / windowBytes + 1);
    for (int i = 0; i < count; i++) {
      EncodeWindow window =
          new EncodeWindow(
              context.buffers, request.data.size(), request.dataUnits, request.parityUnits);
      windows.add(window);
      window.take();
    }
  }

  private void encode(ErasureCodec codec, List<EncodeWindow> windows)
      throws IOException, InterruptedException {
    Deque<EncodeWindow> reading = new ArrayDeque<>();
    Deque<EncodeWindow> sending = new ArrayDeque<>();
    // If there are enough windows, one may still be sent while the next one is coded.
    int lag = windows.size() >= 3 ? 1 : 0;
    long begun = 0;
    for (EncodeWindow window : windows) {
      begun = read(window, begun);
      reading.add(window);
    }
    while (!reading.isEmpty()) {
      EncodeWindow window = reading.poll();
      window.awaitReads();
      code(codec, window);
      send(window);
      sending.add(window);
      while (begun < length && sending.size() > lag) {
        EncodeWindow next = sending.poll();
        next.awaitSends();
        begun = read(next, begun);
        reading.add(next);
      }
    }
    for (EncodeWindow window : sending) {
      window.awaitSends();
    }
  }

  private long read(EncodeWindow window, long begun) {
    int bytes = (int) Math.min(windowBytes, length - begun);
    window.begin(bytes);
    for (int i = 0; i < sources.size(); i++) {
      SourceReader source = sources.get(i);
      ByteBuffer into = window.view(i);
      window.reading(
          sourceThreads
              .get(i)
              .give(
                  () -> {
                    source.fill(into);
                    return null;
                  }));
    }
    return begun + bytes;
  }

  private void code(ErasureCodec codec, EncodeWindow window) throws IOException {
    codec.encode(window.data(), window.parity());
    int wrong = codec.verify(window.all());
    if (wrong >= 0) {
      throw new AgentException(
          AgentException.Kind.FAILED,
          "Cannot encode "
              + request.data.get(0).block
              + " and others: parity "
              + wrong
              + " does not match its data; the memory or the coder of this node is faulty");
    }
  }

  private void send(EncodeWindow window) {
    for (int i = 0; i < targets.size(); i++) {
      boolean isParity = i < request.parityUnits;
      int unit = isParity ? request.dataUnits + i : request.sends.get(i - request.parityUnits).unit;
      TargetWriter target = targets.get(i);
      ByteBuffer from = window.view(unit);
      window.sending(
          targetThreads
              .get(i)
              .give(
                  () -> {
                    target.write(from);
                    return null;
                  }));
    }
  }

  private Verified finish() throws IOException, InterruptedException {
    for (SourceReader source : sources) {
      source.checkUnchanged();
    }
    requireAgreement();
    List<Future<BlockChecksum>> keptReads = new ArrayList<>();
    for (EncodeRequest.Kept link : request.kept) {
      ReplicaCheck check = checks.get(link.unit);
      BlockChecksum encoded = sources.get(link.unit).read();
      keptReads.add(checkThreads.get(link.unit).give(() -> check.readKept(encoded)));
    }
    List<Future<BlockChecksum>> finished = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      finished.add(targetThreads.get(i).give(targets.get(i)::finish));
    }
    Verified verified = new Verified();
    List<BadReplica> bad = new ArrayList<>();
    for (int i = 0; i < keptReads.size(); i++) {
      BlockChecksum there = get(keptReads.get(i));
      verified.kept.add(there);
      if (there == null) {
        bad.add(checks.get(request.kept.get(i).unit).badKept());
      }
    }
    refuse(bad);
    for (Future<BlockChecksum> one : finished) {
      verified.written.add(get(one));
    }
    return verified;
  }

  /** Checks that the encoded data agrees with the checksums of the replicas. */
  private void requireAgreement() throws AgentException {
    List<BadReplica> bad = new ArrayList<>();
    for (int unit = 0; unit < checks.size(); unit++) {
      ReplicaCheck check = checks.get(unit);
      for (AgentNode node : check.contradicted(sources.get(unit).readAsClaim())) {
        bad.add(check.bad(node));
      }
    }
    refuse(bad);
  }

  private static void refuse(List<BadReplica> bad) throws AgentException {
    if (!bad.isEmpty()) {
      throw new AgentException("Cannot encode a group with bad replicas: " + bad, bad);
    }
  }

  private static void getAll(List<Future<?>> claims) throws IOException, InterruptedException {
    for (Future<?> one : claims) {
      get(one);
    }
  }

  /**
   * Refuses replicas that cannot be read, and replicas of the same blocks that are outvoted by the
   * checksums of the majority. The next plan excludes the unreadable replicas, whose checksums may
   * be correct; without their votes, the wrong replicas could win.
   */
  private void refuseWithOutvoted(List<BadReplica> found, List<Future<?>> claims)
      throws IOException, InterruptedException {
    getAll(claims);
    List<BadReplica> bad = new ArrayList<>(found);
    for (BadReplica one : found) {
      ReplicaCheck check = checks.get(one.unit);
      check.outvoted().forEach(node -> bad.add(check.bad(node)));
    }
    refuse(bad);
  }

  /** Waits for a result, and rethrows the exception of the other thread. */
  static <T> T get(Future<T> work) throws IOException, InterruptedException {
    try {
      return work.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof IOException) {
        throw (IOException) cause;
      }
      throw new IOException("Cannot continue: " + AgentException.reason(cause), cause);
    }
  }

  /**
   * Ends all threads and connections and releases the buffers. After a failure, also removes the
   * replicas.
   */
  private void end(List<EncodeWindow> windows, Throwable failure) {
    synchronized (this) {
      runner = null;
      // The interrupt has served its purpose, and would make the following clean-up fail.
      Thread.interrupted();
    }
    limiter.end();
    sources.forEach(SourceReader::stop);
    if (endThreads()) {
      release(windows);
    } else {
      releaseLater(windows);
    }
    if (failure != null) {
      rollBack(failure);
    }
    targets.forEach(TargetWriter::close);
  }

  private void release(List<EncodeWindow> windows) {
    sources.forEach(SourceReader::close);
    windows.forEach(EncodeWindow::give);
  }

  /**
   * Releases files and buffers once hanging threads have ended. An open replica would otherwise
   * prevent the removal of its volume, for example after a disk failure.
   */
  private void releaseLater(List<EncodeWindow> windows) {
    Thread last =
        new Thread(
            () -> {
              for (List<StreamThread> threads :
                  Arrays.asList(targetThreads, sourceThreads, checkThreads)) {
                while (!awaitEnds(threads, endNanos)) {
                  LOG.debug("Threads of {} still hang", name);
                }
              }
              release(windows);
            },
            name + "-release");
    last.setDaemon(true);
    last.start();
  }

  private boolean endThreads() {
    sourceThreads.forEach(StreamThread::interrupt);
    checkThreads.forEach(StreamThread::interrupt);
    // Interrupting would close the connection at once, and hide what the receiver does then.
    targetThreads.forEach(StreamThread::end);
    if (!awaitEnds(targetThreads, GRACE_NANOS)) {
      targetThreads.forEach(StreamThread::interrupt);
      targets.forEach(TargetWriter::close);
    }
    if (awaitEnds(targetThreads, endNanos)
        && awaitEnds(sourceThreads, endNanos)
        && awaitEnds(checkThreads, endNanos)) {
      return true;
    }
    LOG.warn("Threads of {} hang; their files and buffers stay in use until they end", name);
    return false;
  }

  private static boolean awaitEnds(List<StreamThread> threads, long nanos) {
    long start = Ticker.SYSTEM.nanos();
    try {
      for (StreamThread thread : threads) {
        if (!thread.awaitEnd(Math.max(0, nanos - (Ticker.SYSTEM.nanos() - start)))) {
          return false;
        }
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Returns a time longer than a call to another agent, which may be busy. */
  private long rollBackNanos() {
    long call = TimeUnit.MILLISECONDS.toNanos(context.settings.timeoutMillis);
    return 2 * (call + endNanos) + GRACE_NANOS;
  }

  /** Rolls back all targets concurrently, since those that do not answer take long. */
  private void rollBack(Throwable failure) {
    int millis = (int) TimeUnit.NANOSECONDS.toMillis(GRACE_NANOS);
    List<Future<?>> ends = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      TargetWriter target = targets.get(i);
      StreamThread thread = new StreamThread(name + "-take-back-" + (i + 1), 1);
      ends.add(
          thread.give(
              () -> {
                target.rollBack(millis);
                return null;
              }));
      thread.finish();
    }
    long start = Ticker.SYSTEM.nanos();
    for (Future<?> end : ends) {
      try {
        end.get(
            Math.max(0, rollBackNanos() - (Ticker.SYSTEM.nanos() - start)), TimeUnit.NANOSECONDS);
      } catch (ExecutionException | TimeoutException | InterruptedException e) {
        Throwable why = e instanceof ExecutionException ? e.getCause() : e;
        LOG.warn("Cannot remove the blocks that were sent", why);
        failure.addSuppressed(
            e instanceof TimeoutException
                ? new IOException("A target's disk or agent hangs; its block was not removed")
                : why);
      }
    }
  }
}
