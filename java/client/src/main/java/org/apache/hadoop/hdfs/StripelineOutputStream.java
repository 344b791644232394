// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.Progressable;
import org.stripeline.client.write.Stripe;
import org.stripeline.client.write.StripeEncoder;
import org.stripeline.client.write.StripeEncoders;
import org.stripeline.client.write.StripeLayout;
import org.stripeline.client.write.StripePipeline;
import org.stripeline.client.write.WriteResources;
import org.stripeline.client.write.WriteSettings;

/**
 * Writes a striped file through a {@link StripePipeline}. The base class processes each chunk on
 * the caller's thread; this class processes whole stripes, mostly on other threads. Failures,
 * generation stamps, block groups and closing are still handled by the base class.
 *
 * <p>Locks: {@code collecting} guards the stripe that takes user bytes. The monitor of this object
 * guards the same state as in Hadoop and is never held while waiting for room in the window. A
 * thread that needs both locks takes {@code collecting} first. The sending thread takes only the
 * monitor, so that {@link #abort()} can always interrupt it.
 */
class StripelineOutputStream extends DFSStripedOutputStream {
  /** The number of checksum chunks after which a block group is allocated, as in the base class. */
  private static final int GROUP_CHUNKS = 9;

  /** The maximum bytes that small writes add between two checks whether the stream has failed. */
  private static final int UNCHECKED_BYTES = 512;

  /** The value of {@link #uncheckedEnd} during a write, and after a write that threw an Error. */
  private static final long WRITING = -1;

  /** Guards the stripe that takes user bytes; see the comment on locks of the class. */
  final Object collecting = new Object();

  private final WriteSettings settings;
  final StripeLayout layout;
  private final StripeEncoder stripeEncoder;
  final StripeSender sender;
  final StripePipeline pipeline;
  private final SyncRefusal sync;

  private final LateStreamers late;

  final long groupSize;

  // Guarded by collecting.
  Stripe current;
  long collected;

  /** Where the last block group began that follows a group that is not full; 0 at first. */
  long groupStart;

  /**
   * Below this offset, a byte needs no check and only goes into the current cell. {@link #WRITING}
   * while a write adds bytes. A StackOverflowError can end a write at any place and leave too
   * little stack to fail the stream; the next call finds this value and fails it.
   */
  private long uncheckedEnd;

  /** Whether close has begun to send the last stripe. */
  private boolean finished;

  /** Whether all stripes are sent, or the failure of the stream is recorded. */
  private boolean ended;

  private boolean told;

  /** Guarded by the monitor of this object. */
  private boolean helpersReleased;

  /**
   * The partial stripe at the end of the file, if there is one; kept until the stream is closed.
   * Changed only with {@code collecting} held.
   */
  private volatile Stripe last;

  /** Creates a stream that appends block groups to a file; {@code last} is null for a new file. */
  StripelineOutputStream(
      StripelineDFSClient client,
      String src,
      EnumSet<CreateFlag> flag,
      Progressable progress,
      LocatedBlock last,
      HdfsFileStatus stat,
      DataChecksum checksum,
      String[] favoredNodes,
      WriteSettings settings)
      throws IOException {
    super(client, src, flag, progress, last, stat, checksum, favoredNodes);
    Configuration conf = client.getConfiguration();
    ErasureCodingPolicy policy = stat.getErasureCodingPolicy();
    this.settings = settings;
    stripeEncoder =
        StripeEncoders.create(
            conf,
            policy.getCodecName(),
            policy.getNumDataUnits(),
            policy.getNumParityUnits(),
            getDataChecksum());
    layout =
        new StripeLayout(
            policy.getNumDataUnits(),
            policy.getNumParityUnits(),
            policy.getCellSize(),
            bytesPerChecksum,
            getChecksumSize(),
            stripeEncoder.prefersDirect());
    groupSize = blockSize * layout.dataUnits();
    WriteResources resources = WriteResources.shared(conf);
    sender = new StripeSender(this, resources.ticker());
    pipeline = new StripePipeline(src, settings, layout, resources, stripeEncoder, sender);
    sync = client.syncRefusal();
    late = new LateStreamers(this, layout, settings.slowNanos(), resources.ticker());
    WriteCompat.releaseCellBuffers(this);
  }

  @Override
  protected synchronized void start() {
    try {
      super.start();
      late.start();
    } catch (RuntimeException | Error e) {
      // For example, no more threads can be created; the streamers already started must stop.
      try {
        abort();
      } catch (IOException notAborted) {
        e.addSuppressed(notAborted);
      }
      throw e;
    }
  }

  /** Called when a block group is allocated, before any of its data is sent. */
  void groupOpened() {
    late.groupOpened(layout.units());
  }

  /** Returns the watcher of late DataNodes. */
  LateStreamers late() {
    return late;
  }

  /** Returns the block group of the stripe that was sent last, or null. */
  ExtendedBlock currentGroup() {
    return super.getBlock();
  }

  /** Returns the block group of the bytes written last, as the base class does, or null. */
  @Override
  ExtendedBlock getBlock() {
    if (!Thread.holdsLock(this)) {
      try {
        pipeline.awaitGroup();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return super.getBlock();
  }

  /** Waits until full stripes are sent; threads that hold the monitor have already done so. */
  @Override
  void flushAllInternals() throws IOException {
    if (!Thread.holdsLock(this)) {
      awaitSent();
    }
    WriteCompat.forgetFlushes(this);
    super.flushAllInternals();
  }

  /** Queues the collected bytes; a partial stripe is queued without parity. */
  @Override
  void enqueueAllCurrentPackets() throws IOException {
    if (!Thread.holdsLock(this)) {
      synchronized (collecting) {
        if (current != null && !finished) {
          pipeline.openGroup(current);
          awaitSent();
          sender.sendPart(current);
        }
      }
      awaitSent();
    }
    super.enqueueAllCurrentPackets();
  }

  void awaitSent() throws IOException {
    try {
      pipeline.awaitSent();
    } catch (InterruptedException e) {
      throw DFSUtilClient.toInterruptedIOException("Interrupted flushing " + getSrc(), e);
    }
  }

  DataChecksum.Type checksumType() {
    return getDataChecksum().getChecksumType();
  }

  WriteSettings settings() {
    return settings;
  }

  @Override
  public void write(int value) throws IOException {
    synchronized (collecting) {
      long end = uncheckedEnd;
      if (collected < end && current != null) {
        uncheckedEnd = WRITING;
        current.putNext((byte) value);
        collected++;
        uncheckedEnd = end;
        return;
      }
      checkWritable();
      uncheckedEnd = WRITING;
      try {
        put(stripeToFill(), (byte) value);
        collected(1);
        uncheckedEnd = collected + unchecked();
      } catch (IOException e) {
        uncheckedEnd = 0;
        throw e;
      } catch (RuntimeException | Error e) {
        torn(e);
        throw e;
      }
    }
  }

  /** Returns how many bytes can be added without filling a cell or allocating a block group. */
  private int unchecked() {
    if (current == null) {
      return 0;
    }
    int size = current.size();
    int groupStart = GROUP_CHUNKS * bytesPerChecksum;
    int most = size < groupStart ? groupStart - size - 1 : UNCHECKED_BYTES;
    return Math.min(Math.min(most, UNCHECKED_BYTES), current.room() - 1);
  }

  /**
   * {@inheritDoc}
   *
   * @throws InterruptedIOException if interrupted while the window has no room. If {@code
   *     bytesTransferred} is 0, no byte of {@code bytes} was written and writing can continue,
   *     unless the file is encrypted. Otherwise the stream has failed
   */
  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    synchronized (collecting) {
      long end = uncheckedEnd;
      boolean isUnchecked = length <= end - collected && current != null;
      if (!isUnchecked) {
        checkWritable();
      }
      if (offset < 0 || length < 0 || offset > bytes.length - length) {
        throw new ArrayIndexOutOfBoundsException();
      }
      uncheckedEnd = WRITING;
      if (isUnchecked) {
        current.putNext(bytes, offset, length);
        collected += length;
        uncheckedEnd = end;
        return;
      }
      int done = 0;
      try {
        while (done < length) {
          int count = put(stripeToFill(), bytes, offset + done, length - done);
          done += count;
          collected(count);
        }
        uncheckedEnd = collected + unchecked();
      } catch (InterruptedIOException e) {
        uncheckedEnd = 0;
        e.bytesTransferred = done;
        if (done > 0 || getFileEncryptionInfo() != null) {
          // A BufferedOutputStream would write the accepted part again. Hadoop's encrypting stream
          // would not write the rejected part again.
          failed(e);
        }
        throw e;
      } catch (IOException e) {
        uncheckedEnd = 0;
        throw e;
      } catch (RuntimeException | Error e) {
        torn(e);
        throw e;
      }
    }
  }

  private void put(Stripe stripe, byte value) throws IOException {
    try {
      stripe.put(value);
    } catch (IOException e) {
      throw notTaken(e);
    }
  }

  private int put(Stripe stripe, byte[] bytes, int offset, int length) throws IOException {
    try {
      return stripe.put(bytes, offset, length);
    } catch (IOException e) {
      throw notTaken(e);
    }
  }

  /**
   * Fails the stream unless an interrupt caused the exception: the stripe has not changed. A stripe
   * without bytes is released, because close and hsync would open a block group for it.
   */
  private IOException notTaken(IOException cause) throws IOException {
    if (!(cause instanceof InterruptedIOException)) {
      return failed(cause);
    }
    if (current.size() == 0) {
      releaseCurrent();
    }
    return cause;
  }

  /**
   * Fails the stream because part of the bytes of a write may have been accepted; how many is
   * unknown. The stripe is released by a later call, because releasing it here could overflow the
   * stack, too.
   */
  private void torn(Throwable cause) {
    pipeline.failed("write", cause);
    uncheckedEnd = 0;
  }

  /** Fails the stream: part of the written bytes is lost, so no more bytes may follow. */
  IOException failed(IOException cause) throws IOException {
    pipeline.fail(cause);
    uncheckedEnd = 0;
    return told(cause);
  }

  private Stripe stripeToFill() throws IOException {
    try {
      if (current == null) {
        current = pipeline.acquire((collected - groupStart) % groupSize == 0);
      }
      current.reserve();
    } catch (IOException e) {
      throw told(e);
    }
    return current;
  }

  private void collected(int count) throws IOException {
    collected += count;
    try {
      if (current.isFull()) {
        Stripe full = current;
        current = null;
        pipeline.submit(full);
      } else if (current.size() >= GROUP_CHUNKS * bytesPerChecksum && !opensGroupsLate()) {
        pipeline.openGroup(current);
      }
    } catch (IOException e) {
      throw told(e);
    }
  }

  /** Returns whether a group is allocated when its first stripe is full, or the file is closed. */
  boolean opensGroupsLate() {
    return false;
  }

  /** Returns whether a full group ends on its DataNodes when the next begins. */
  boolean endsGroupsLate() {
    return false;
  }

  void checkWritable() throws IOException {
    dfsClient.checkOpen();
    failIfTorn();
    IOException failure = pipeline.failure();
    if (failure != null) {
      throw told(failure);
    }
    if (finished || closed) {
      throw new ClosedChannelException();
    }
    if (isClosed()) {
      failAsStreamersHave();
    }
  }

  /** Fails the stream if a write threw an Error after an unknown number of its bytes. */
  private void failIfTorn() {
    if (uncheckedEnd == WRITING) {
      pipeline.fail(new IOException(cannotWrite() + "an earlier write ended with an Error"));
      uncheckedEnd = 0;
    }
  }

  /**
   * Throws when all streamers are closed; otherwise only a later stripe would fail, when it is
   * sent.
   */
  private void failAsStreamersHave() throws IOException {
    // Sending may have closed the streamers; then its failure is the cause.
    awaitSent();
    try {
      checkClosed();
    } catch (IOException e) {
      pipeline.fail(named(e));
      throw told(pipeline.failure());
    }
  }

  /** Returns an exception that names failed internal blocks; Hadoop's only counts them. */
  IOException named(IOException failure) {
    return namesFile(failure) ? failure : FailedUnits.named(this, layout, failure);
  }

  private boolean namesFile(IOException failure) {
    String message = failure.getMessage();
    return message != null && message.startsWith(cannotWrite());
  }

  /** Returns the prefix of the messages of this stream's failures. */
  String cannotWrite() {
    return "Cannot write " + getSrc() + ": ";
  }

  /**
   * Returns the exception to throw for a failure of the pipeline: the original exception with its
   * type the first time, an exception that wraps it after that.
   */
  private IOException told(IOException failure) throws IOException {
    if (failure != pipeline.failure()) {
      return failure;
    }
    releaseCurrent();
    if (getFileEncryptionInfo() != null) {
      // Hadoop's encrypting stream does not close this one if it cannot write its last bytes.
      terminate(failure);
      releaseAll();
    }
    if (told) {
      String message = failure.getMessage();
      return new IOException(namesFile(failure) ? message : cannotWrite() + message, failure);
    }
    told = true;
    return failure;
  }

  @Override
  public void flush() {
    // Full stripes are sent without a flush, and sending part of a stripe would not make it safer.
  }

  @Override
  public void hflush() {
    sync.called("hflush", getSrc());
  }

  @Override
  public void hsync() {
    sync.called("hsync", getSrc());
  }

  @Override
  public void hsync(EnumSet<SyncFlag> flags) {
    sync.called("hsync", getSrc());
  }

  @Override
  public boolean hasCapability(String capability) {
    return false;
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    synchronized (collecting) {
      if (!ended) {
        try {
          finishPipeline();
        } catch (IOException e) {
          pipeline.fail(e);
          failure = told(e);
        } catch (RuntimeException | Error e) {
          // The last stripe may be lost; a later close must not complete the file without it.
          torn(e);
          failure = pipeline.failure();
        }
        ended = true;
      } else if (!closed) {
        // An Error may have ended an earlier close before it closed the streamers.
        failure = pipeline.failure();
      }
    }
    try {
      if (failure != null) {
        terminate(failure);
      }
      super.close();
    } finally {
      releaseAll();
    }
    if (failure != null) {
      // Hadoop's close does not throw all exceptions that it has seen, for example no
      // ClosedChannelException.
      throw failure;
    }
  }

  private void finishPipeline() throws IOException {
    failIfTorn();
    if (finished) {
      throw new IOException(cannotWrite() + "an earlier close ended with an Error");
    }
    finished = true;
    IOException failure = pipeline.failure();
    if (failure != null) {
      throw failure;
    }
    if (closed) {
      // The stream was aborted; the base class has the cause.
      return;
    }
    dfsClient.checkOpen();
    if (current != null) {
      Stripe stripe = current;
      current = null;
      stripe.retain();
      last = stripe;
      pipeline.submit(stripe);
    }
    pipeline.finish();
  }

  /** Closes the streamers without completing the file, and records the cause in the base class. */
  private synchronized void terminate(IOException cause) throws IOException {
    if (!closed) {
      WriteCompat.setLastException(this, cause);
      try {
        closeThreads(true);
      } catch (IOException e) {
        DFSClient.LOG.debug("Closing the streamers of {}", getSrc(), e);
      }
    }
  }

  void releaseAll() throws IOException {
    releaseStripes();
    synchronized (this) {
      releaseHelpers();
    }
  }

  private void releaseStripes() {
    synchronized (collecting) {
      releaseCurrent();
      if (last != null) {
        last.release();
        last = null;
      }
    }
  }

  /** Releases the stripe that takes user bytes; called with {@code collecting} held. */
  private void releaseCurrent() {
    if (current != null) {
      current.release();
      current = null;
    }
  }

  /** Releases the encoder and the base class's helpers; called with the monitor held. */
  private void releaseHelpers() throws IOException {
    if (!helpersReleased) {
      helpersReleased = true;
      late.stop();
      stripeEncoder.close();
      WriteCompat.releaseHelpers(this);
    }
  }

  /** Closes the stream as the base class does; the bytes of the last stripe are already queued. */
  @Override
  protected synchronized void closeImpl() throws IOException {
    if (!isClosed()) {
      try {
        boolean isComplete = false;
        try {
          isComplete = currentGroup() != null && sender.endLastGroup(last);
        } finally {
          closeThreads(true);
        }
        if (!isComplete) {
          completeFile(currentGroup());
        }
        WriteCompat.logLostBlocks(this);
        return;
      } catch (IOException e) {
        // The base class throws it below, and recovers the lease if Hadoop is configured so. It
        // would ignore a ClosedChannelException, which an interrupted call can throw.
        boolean isIgnored = e instanceof ClosedChannelException;
        WriteCompat.setLastException(
            this, isIgnored ? new IOException(cannotWrite() + e, e) : named(e));
      } catch (RuntimeException | Error e) {
        // A second close must not return as if the file were complete.
        WriteCompat.setLastException(this, new IOException(cannotWrite() + e, e));
        throw e;
      } finally {
        setClosed();
      }
    }
    super.closeImpl();
  }

  @Override
  void abort() throws IOException {
    if (closed) {
      return;
    }
    pipeline.fail(new IOException(cannotWrite() + "the stream was aborted and its lease is lost"));
    try {
      super.abort();
    } finally {
      releaseAll();
    }
  }
}
