// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
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
 * Writes a striped file by the pipeline of {@link StripePipeline}. What the base class does chunk
 * by chunk on the caller's thread is done here stripe by stripe, most of it on other threads; what
 * it does about failures, generation stamps, block groups and closing is its own code still.
 *
 * <p>Locks: {@code collecting} guards the stripe that takes user bytes; the monitor of this object
 * guards what Hadoop's does, and is never held while waiting for room in the window. A thread that
 * has both took {@code collecting} first. The thread that sends takes only the monitor, so that
 * {@link #abort()} can always interrupt it.
 */
class StripelineOutputStream extends DFSStripedOutputStream {
  /** After so many checksums' bytes a block group is allocated, as the base class does it. */
  private static final int GROUP_CHUNKS = 9;

  /**
   * Small writes check whether the stream has failed only after this many bytes. The base class
   * checks after {@link #GROUP_CHUNKS} checksums' bytes.
   */
  private static final int UNCHECKED_BYTES = 512;

  private final Object collecting = new Object();
  private final WriteSettings settings;
  private final StripeLayout layout;
  private final StripeEncoder stripeEncoder;
  private final StripeSender sender;
  private final StripePipeline pipeline;
  private final SyncRefusal sync;

  /** Null if late DataNodes are waited for. */
  private final LateStreamers late;

  /** The base class' own cells, all null but during close. */
  private final ByteBuffer[] baseCells;

  private final long groupSize;

  // Guarded by collecting.
  private Stripe current;
  private long collected;

  /** Up to here, bytes only have to be put into the current cell. */
  private long uncheckedEnd;

  private boolean finished;
  private boolean told;

  /** Guarded by the monitor of this object. */
  private boolean helpersReleased;

  /**
   * The stripe that is not full, if the file ends with one: kept until the stream is closed.
   * Changed under collecting.
   */
  private volatile Stripe last;

  /** Creates a stream for a new file. */
  StripelineOutputStream(
      StripelineDFSClient client,
      String src,
      HdfsFileStatus stat,
      EnumSet<CreateFlag> flag,
      Progressable progress,
      DataChecksum checksum,
      String[] favoredNodes,
      WriteSettings settings)
      throws IOException {
    this(client, src, flag, progress, null, stat, checksum, favoredNodes, settings);
  }

  /** Creates a stream that appends block groups to a file; {@code last} is null for a new one. */
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
    sender = new StripeSender(this);
    pipeline = new StripePipeline(src, settings, layout, resources, stripeEncoder, sender);
    sync = client.syncRefusal();
    late = settings.slowNanos() == 0 ? null : new LateStreamers(this, layout, settings.slowNanos());
    baseCells = WriteCompat.takeCellBuffers(this);
  }

  @Override
  protected synchronized void start() {
    try {
      super.start();
      if (late != null) {
        late.start();
      }
    } catch (RuntimeException | Error e) {
      // For want of threads, say: those that run must not stay.
      try {
        abort();
      } catch (IOException notAborted) {
        e.addSuppressed(notAborted);
      }
      throw e;
    }
  }

  /** Called when a block group is allocated, before anything of it is sent. */
  void groupOpened() {
    if (late != null) {
      late.groupOpened(layout.units());
    }
  }

  /** Returns what looks after late DataNodes, or null. */
  LateStreamers late() {
    return late;
  }

  /** Returns the block group that the last stripe sent belongs to, or null. */
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

  /** Sends full stripes first; those that hold the monitor have seen to that. */
  @Override
  void flushAllInternals() throws IOException {
    if (!Thread.holdsLock(this)) {
      awaitSent();
    }
    super.flushAllInternals();
  }

  /** Queues what has been collected, but for the parity of a stripe that is not full. */
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
    }
    super.enqueueAllCurrentPackets();
  }

  private void awaitSent() throws IOException {
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
      if (collected < uncheckedEnd && current != null) {
        current.putNext((byte) value);
        collected++;
        return;
      }
      checkWritable();
      Stripe stripe = stripeToFill();
      try {
        stripe.put((byte) value);
      } catch (IOException e) {
        throw failed(e);
      }
      collected(1);
      uncheckedEnd = collected + unchecked();
    }
  }

  /** Returns how many bytes more neither fill a cell nor have a block group allocated. */
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
   *     bytesTransferred} is 0, nothing of {@code bytes} is written and writing can go on, unless
   *     the file is encrypted. Otherwise the stream has failed
   */
  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    synchronized (collecting) {
      boolean isUnchecked = length <= uncheckedEnd - collected && current != null;
      if (!isUnchecked) {
        checkWritable();
      }
      if (offset < 0 || length < 0 || offset > bytes.length - length) {
        throw new ArrayIndexOutOfBoundsException();
      }
      if (isUnchecked) {
        current.putNext(bytes, offset, length);
        collected += length;
        return;
      }
      int done = 0;
      try {
        while (done < length) {
          int count = put(stripeToFill(), bytes, offset + done, length - done);
          done += count;
          collected(count);
        }
      } catch (InterruptedIOException e) {
        e.bytesTransferred = done;
        if (done > 0 || getFileEncryptionInfo() != null) {
          // A BufferedOutputStream would write the part that was taken again. Hadoop's stream that
          // encrypts would not write again what was not taken.
          failed(e);
        }
        throw e;
      } catch (RuntimeException | Error e) {
        // Part may have been taken, and nothing says how much.
        failed(new IOException(cannotWrite() + e, e));
        throw e;
      }
      uncheckedEnd = collected + unchecked();
    }
  }

  private int put(Stripe stripe, byte[] bytes, int offset, int length) throws IOException {
    try {
      return stripe.put(bytes, offset, length);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Part of what was written is lost, so that nothing may follow it. */
  private IOException failed(IOException cause) {
    uncheckedEnd = 0;
    pipeline.fail(cause);
    return told(cause);
  }

  private Stripe stripeToFill() throws IOException {
    try {
      if (current == null) {
        current = pipeline.acquire(collected % groupSize == 0);
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
      } else if (current.size() >= GROUP_CHUNKS * bytesPerChecksum) {
        pipeline.openGroup(current);
      }
    } catch (IOException e) {
      throw told(e);
    }
  }

  private void checkWritable() throws IOException {
    dfsClient.checkOpen();
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

  /** Called when all streamers are closed: the next stripe that is sent would fail, too late. */
  private void failAsStreamersHave() throws IOException {
    // Sending may have closed them; then its failure says why.
    awaitSent();
    try {
      checkClosed();
    } catch (IOException e) {
      pipeline.fail(named(e));
      throw told(pipeline.failure());
    }
  }

  /** Returns an exception that names what has failed where Hadoop's only counts it. */
  IOException named(IOException failure) {
    return namesFile(failure) ? failure : FailedUnits.named(this, layout, failure);
  }

  private boolean namesFile(IOException failure) {
    String message = failure.getMessage();
    return message != null && message.startsWith(cannotWrite());
  }

  /** Returns how messages of this stream's failures begin. */
  String cannotWrite() {
    return "Cannot write " + getSrc() + ": ";
  }

  /** The first to learn of a failure gets the exception itself, with its type. */
  private IOException told(IOException failure) {
    if (failure != pipeline.failure()) {
      return failure;
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
    // Full stripes are on their way already; a part of one would be no safer on the way.
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
      if (!finished) {
        finished = true;
        try {
          finishPipeline();
        } catch (IOException e) {
          pipeline.fail(e);
          failure = told(e);
        }
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
      // Hadoop's close does not throw all that it has seen: not a ClosedChannelException.
      throw failure;
    }
  }

  private void finishPipeline() throws IOException {
    IOException failure = pipeline.failure();
    if (failure != null) {
      throw failure;
    }
    if (closed) {
      // Aborted; the base class knows why.
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

  /** Closes the streamers without completing the file, and lets the base class know why. */
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

  private void releaseAll() throws IOException {
    releaseStripes();
    synchronized (this) {
      releaseHelpers();
    }
  }

  private void releaseStripes() {
    synchronized (collecting) {
      if (current != null) {
        current.release();
        current = null;
      }
      if (last != null) {
        last.release();
        last = null;
      }
    }
  }

  /** Called with the monitor held. */
  private void releaseHelpers() throws IOException {
    if (!helpersReleased) {
      helpersReleased = true;
      if (late != null) {
        late.stop();
      }
      stripeEncoder.close();
      WriteCompat.releaseHelpers(this);
    }
  }

  /**
   * The base class closes as it does after its own writing; the bytes of the last stripe are queued
   * already.
   */
  @Override
  protected synchronized void closeImpl() throws IOException {
    // Released once the stream is closed.
    Stripe partial = closed ? null : last;
    if (partial != null) {
      // It pads the cells of a partial stripe, byte by byte, before it encodes them: these look
      // padded. They are of memory that the stream has, so that closing waits for none.
      int padded = partial.length(layout.dataUnits());
      for (int i = 0; i < baseCells.length; i++) {
        baseCells[i] = partial.data(0, padded, 0);
      }
    }
    try {
      super.closeImpl();
    } catch (IOException e) {
      throw named(e);
    } finally {
      clearBaseCells();
    }
  }

  private void clearBaseCells() {
    for (int i = 0; i < baseCells.length; i++) {
      baseCells[i] = null;
    }
  }

  /** Parity is queued with the data of its stripe. */
  @Override
  void writeParityCells() {
    clearBaseCells();
  }

  @Override
  void setClosed() {
    // Hadoop's pool must not get what is not its own.
    clearBaseCells();
    super.setClosed();
  }

  @Override
  void abort() throws IOException {
    boolean first = !closed;
    if (first) {
      pipeline.fail(new IOException(cannotWrite() + "the stream was aborted, its lease lost"));
    }
    try {
      super.abort();
    } finally {
      if (first) {
        releaseStripes();
        synchronized (this) {
          releaseHelpers();
        }
      }
    }
  }
}
