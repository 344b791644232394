// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.stripeline.client.StackRoom;
import org.stripeline.client.WriteMode;
import org.stripeline.natives.Ticker;

/**
 * Moves the stripes of one stream through collecting, encoding and sending, in file order. The
 * {@link WriteMode} determines the threads:
 *
 * <ul>
 *   <li>blocking: the collecting thread encodes and sends.
 *   <li>non-blocking: encoder threads encode; the collecting thread sends encoded stripes during
 *       its calls. If it makes no call for a while, a thread of the stream sends them, so that
 *       parity does not wait for the user.
 *   <li>functional-partitioned: encoder threads encode, a thread of the stream sends.
 * </ul>
 *
 * <p>{@link #acquire}, {@link #submit} and {@link #finish} are for the collecting thread, one call
 * at a time. Any thread may call {@link #fail} at any time; all stripes in the pipeline are then
 * released and never sent.
 */
public final class StripePipeline {
  /** How long an encoded stripe waits for the user's thread in non-blocking mode. */
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final WriteMode mode;
  private final Ticker ticker;
  private final EncodeStage encoding;
  private final StripeSink sink;
  private final StripeWindow window;
  private final WriteStatistics statistics;
  private final String name;

  /** The failure if no other can be created: without one, the file would lack a stripe. */
  private final IOException unspecified;

  /** Held by the thread that sends. */
  private final ReentrantLock sending = new ReentrantLock();

  private final Object lock = new Object();
  // The fields below are guarded by lock.
  private final ArrayDeque<Stripe> queue = new ArrayDeque<>();
  private int groupsToOpen;
  private boolean nextGroupOpen;
  private int unsent;
  private boolean finishing;
  private Thread thread;

  /** Changed with the lock held; read without it, because every call of the user reads it. */
  private volatile IOException failure;

  /** Creates a pipeline; threads start when they are needed. */
  public StripePipeline(
      String name,
      WriteSettings settings,
      StripeLayout layout,
      WriteResources resources,
      StripeEncoder encoder,
      StripeSink sink) {
    this.name = name;
    this.mode = settings.mode();
    this.ticker = resources.ticker();
    this.sink = sink;
    this.statistics = WriteStatistics.shared();
    this.encoding = new EncodeStage(encoder, resources, statistics, this::hasFailed, this::encoded);
    this.unspecified = new IOException("Cannot write " + name + ": the JVM has no memory");
    this.window = new StripeWindow(layout, resources.pool(), settings.stripes(layout), statistics);
    statistics.opened();
  }

  /**
   * Returns an empty stripe to collect into, waiting until the window has room.
   *
   * @param opensGroup whether a new block group begins with it
   * @throws InterruptedIOException if interrupted while waiting; the pipeline remains usable
   * @throws IOException if the pipeline has failed
   */
  public Stripe acquire(boolean opensGroup) throws IOException {
    return window.acquire(opensGroup);
  }

  /**
   * Requests the block group that begins with this stripe, unless none does or it was requested
   * before.
   */
  public void openGroup(Stripe stripe) throws IOException {
    if (stripe.takeGroupToOpen()) {
      requestGroup();
    }
  }

  private void requestGroup() throws IOException {
    if (mode == WriteMode.FUNCTIONAL_PARTITIONED) {
      synchronized (lock) {
        throwFailure();
        groupsToOpen++;
        startThread();
        lock.notifyAll();
      }
      return;
    }
    try {
      // The stripes of the previous group are sent first.
      sendAll();
      sending.lock();
      try {
        sink.openGroup();
      } finally {
        sending.unlock();
      }
    } catch (IOException e) {
      fail(e);
      throw e;
    } catch (RuntimeException | Error e) {
      throw failed("send", e);
    }
  }

  /**
   * Accepts a stripe that holds at least one byte; the caller must not use it afterwards. If it
   * throws, the pipeline has failed and the bytes of the stripe are lost.
   */
  public void submit(Stripe stripe) throws IOException {
    boolean open = false;
    try {
      StackRoom.require();
      openGroup(stripe);
      stripe.prepareToSend();
      open = true;
    } catch (IOException e) {
      fail(e);
      throw e;
    } catch (RuntimeException | Error e) {
      throw failed("send", e);
    } finally {
      if (!open) {
        stripe.release();
      }
    }
    if (mode == WriteMode.BLOCKING) {
      encodeAndSend(stripe);
      return;
    }
    // The encoder's reference, taken before a failure can release the queue.
    stripe.retain();
    enqueue(stripe);
    encoding.begin(stripe);
    throwFailure();
    if (mode == WriteMode.NON_BLOCKING) {
      try {
        sendEncoded();
      } catch (IOException e) {
        fail(e);
        throw e;
      }
    }
  }

  private void enqueue(Stripe stripe) throws IOException {
    boolean done = false;
    try {
      synchronized (lock) {
        throwFailure();
        startThread();
        queue.add(stripe);
        unsent++;
        done = true;
      }
    } finally {
      if (!done) {
        stripe.release();
        stripe.release();
      }
    }
  }

  /** Fails the pipeline because of an Error or a programming error; returns its failure. */
  public IOException failed(String what, Throwable cause) {
    IOException told = unspecified;
    try {
      told = new IOException("Cannot " + what + " a stripe of " + name + ": " + cause, cause);
    } catch (RuntimeException | Error e) {
      // There is no memory to describe the cause.
    }
    fail(told);
    return told;
  }

  private void encodeAndSend(Stripe stripe) throws IOException {
    try {
      encoding.encode(stripe);
      sending.lock();
      try {
        sink.send(stripe);
      } finally {
        sending.unlock();
      }
    } catch (IOException e) {
      fail(e);
      throw e;
    } catch (RuntimeException | Error e) {
      throw failed("encode or send", e);
    } finally {
      stripe.release();
    }
  }

  /** Passes a stripe on; any thread may call this, with why the stripe is not encoded or null. */
  private void encoded(Stripe stripe, Throwable why) {
    try {
      if (why instanceof IOException) {
        fail((IOException) why);
      } else if (why != null) {
        failed("encode", why);
      } else if (!hasFailed()) {
        synchronized (lock) {
          stripe.setEncoded();
          lock.notifyAll();
        }
      }
    } finally {
      stripe.release();
    }
  }

  /** Opens groups and sends stripes; runs on the thread of the stream. */
  private void run() {
    try {
      while (awaitWork()) {
        sending.lock();
        try {
          if (mustOpenGroup()) {
            sink.openGroup();
            groupOpened();
          } else {
            sendEncoded();
          }
        } finally {
          sending.unlock();
        }
      }
    } catch (IOException e) {
      fail(e);
    } catch (InterruptedException e) {
      fail(new InterruptedIOException("Interrupted while sending " + name));
    } catch (RuntimeException | Error e) {
      failed("send", e);
    } finally {
      synchronized (lock) {
        thread = null;
        lock.notifyAll();
      }
      releaseQueue();
    }
  }

  /** Waits for work; returns false when all work is done or the pipeline has failed. */
  private boolean awaitWork() throws InterruptedException {
    synchronized (lock) {
      while (failure == null) {
        Stripe head = queue.peek();
        if (mustOpenGroup(head)) {
          return true;
        }
        if (head != null && head.isEncoded()) {
          awaitGrace(head);
          return failure == null;
        }
        if (head == null && finishing) {
          return false;
        }
        lock.wait();
      }
      return false;
    }
  }

  private void awaitGrace(Stripe head) throws InterruptedException {
    if (mode != WriteMode.NON_BLOCKING) {
      return;
    }
    long end = ticker.nanos() + GRACE_NANOS;
    long left = GRACE_NANOS;
    while (left > 0 && failure == null && !finishing && queue.peek() == head) {
      ticker.timedWait(lock, left);
      left = end - ticker.nanos();
    }
  }

  /** Returns whether the next group was requested and no stripe of the previous group is queued. */
  private boolean mustOpenGroup(Stripe head) {
    return groupsToOpen > 0 && !nextGroupOpen && (head == null || head.opensGroup());
  }

  private boolean mustOpenGroup() {
    synchronized (lock) {
      return mustOpenGroup(queue.peek());
    }
  }

  private void groupOpened() {
    synchronized (lock) {
      groupsToOpen--;
      nextGroupOpen = true;
      lock.notifyAll();
    }
  }

  /** Sends the stripes at the head of the queue that are encoded. */
  private void sendEncoded() throws IOException {
    sending.lock();
    try {
      Stripe head;
      while ((head = takeEncoded()) != null) {
        try {
          sink.send(head);
        } catch (RuntimeException | Error e) {
          throw failed("send", e);
        } finally {
          head.release();
        }
        synchronized (lock) {
          unsent--;
          lock.notifyAll();
        }
      }
    } finally {
      sending.unlock();
    }
  }

  private Stripe takeEncoded() throws IOException {
    synchronized (lock) {
      throwFailure();
      Stripe head = queue.peek();
      if (head == null || !head.isEncoded() || mustOpenGroup(head)) {
        return null;
      }
      queue.remove();
      if (head.opensGroup()) {
        nextGroupOpen = false;
      }
      lock.notifyAll();
      return head;
    }
  }

  /** Sends all queued stripes, waiting for the encoders. */
  private void sendAll() throws IOException {
    while (true) {
      sendEncoded();
      synchronized (lock) {
        Stripe head = queue.peek();
        if (head == null) {
          return;
        }
        try {
          while (failure == null && queue.peek() == head && !head.isEncoded()) {
            lock.wait();
          }
        } catch (InterruptedException e) {
          throw interrupted(e);
        }
      }
    }
  }

  /**
   * Waits until all submitted stripes are sent, and ends the thread of the stream.
   *
   * @throws IOException the failure of the pipeline; an interrupt also fails it
   */
  public void finish() throws IOException {
    try {
      if (mode == WriteMode.NON_BLOCKING) {
        sendAll();
      }
      synchronized (lock) {
        finishing = true;
        lock.notifyAll();
        while (thread != null && failure == null) {
          lock.wait();
        }
        throwFailure();
      }
    } catch (InterruptedException e) {
      IOException told = interrupted(e);
      fail(told);
      throw told;
    } catch (IOException e) {
      fail(e);
      throw e;
    }
  }

  /** Waits until the group of the bytes collected last is open, or the pipeline has failed. */
  public void awaitGroup() throws InterruptedException {
    synchronized (lock) {
      while (failure == null && groupsToOpen > 0 && thread != Thread.currentThread()) {
        lock.wait();
      }
    }
  }

  /**
   * Waits until all stripes submitted so far are sent and the group after them is open, or the
   * pipeline has failed.
   */
  public void awaitSent() throws InterruptedException {
    synchronized (lock) {
      while (failure == null && unsent + groupsToOpen > 0 && thread != Thread.currentThread()) {
        lock.wait();
      }
    }
  }

  private IOException interrupted(InterruptedException cause) {
    InterruptedIOException told = new InterruptedIOException("Interrupted while writing " + name);
    told.initCause(cause);
    return told;
  }

  /** Makes all current and later calls fail, and releases the queued stripes. */
  public void fail(IOException cause) {
    Thread sender;
    synchronized (lock) {
      if (failure == null) {
        failure = cause;
        statistics.failed();
      }
      sender = thread;
      lock.notifyAll();
    }
    window.fail(cause);
    if (sender != null && sender != Thread.currentThread()) {
      sender.interrupt();
    }
    releaseQueue();
  }

  private void releaseQueue() {
    while (true) {
      Stripe stripe;
      synchronized (lock) {
        if (failure == null) {
          return;
        }
        stripe = queue.poll();
      }
      if (stripe == null) {
        return;
      }
      stripe.release();
    }
  }

  /** Returns the failure of the pipeline, or null. */
  public IOException failure() {
    return failure;
  }

  /** Returns the number of stripes that are collected, encoded or not yet acknowledged. */
  public int occupied() {
    return window.occupied();
  }

  private boolean hasFailed() {
    return failure() != null;
  }

  private void throwFailure() throws IOException {
    if (failure != null) {
      throw failure;
    }
  }

  /** Starts the thread of the stream if it is not running; called with the lock held. */
  private void startThread() throws IOException {
    if (thread == null) {
      Thread starting = new Thread(this::run, "stripeline-sender for " + name);
      starting.setDaemon(true);
      try {
        starting.start();
      } catch (OutOfMemoryError e) {
        throw failed("send", e);
      }
      thread = starting;
    }
  }
}
