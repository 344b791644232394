// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.impl.DynamicIOStatisticsBuilder;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.hdfs.DFSUtilClient.CorruptedBlocks;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.hdfs.util.IOUtilsClient;
import org.stripeline.client.Decoders;
import org.stripeline.client.StackRoom;
import org.stripeline.client.read.GroupKnowledge;
import org.stripeline.client.read.GroupReader;
import org.stripeline.client.read.PositionalRun;
import org.stripeline.client.read.RangeRead;
import org.stripeline.client.read.ReusableReader;
import org.stripeline.client.read.SequentialWindow;
import org.stripeline.client.read.Tally;
import org.stripeline.client.read.UnitReader;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;
import org.stripeline.client.read.shared.ReadCounters;

/**
 * Reads a striped file through Stripeline's pipeline; each read returns correct bytes or throws.
 * Hadoop's code opens the file and provides block locations, the file's length and statistics.
 */
class StripelineInputStream extends DFSStripedInputStream implements IOStatisticsSource {
  private static final int GROUPS_REMEMBERED = 64;

  private final StripelineDFSClient client;
  private final ReadContext context;
  private final ErasureCodingPolicy policy;
  private final Decoders decoders;
  private final SequentialWindow window;
  private final StripelinePackets packets;
  private final ReadCounters counters = new ReadCounters(ReadContext.counters());

  /** What is known of each block group. Guarded by itself. */
  private final Map<ExtendedBlock, GroupKnowledge> knowledge = new LinkedHashMap<>();

  /** Each adds a replica that was found corrupt and is not yet reported. */
  private final Queue<Consumer<CorruptedBlocks>> corrupt = new ConcurrentLinkedQueue<>();

  /** A reader that a positional read left open for a read that continues at its end. */
  private final AtomicReference<ReusableReader> reusableReader = new AtomicReference<>();

  private final PositionalRun run = new PositionalRun();

  /** The reader that the window entered last. */
  private volatile GroupReader entered;

  /** The readers of positional reads in progress. */
  private final Set<GroupReader> positional = ConcurrentHashMap.newKeySet();

  /** Whether a thread that holds the monitor is reading at the stream's position. */
  private volatile boolean isReading;

  /**
   * The message of the exception that further reads throw, or null while the stream is readable.
   */
  private volatile String ended;

  StripelineInputStream(
      StripelineDFSClient client,
      String src,
      boolean verifyChecksum,
      ErasureCodingPolicy policy,
      LocatedBlocks blocks)
      throws IOException {
    super(client, src, verifyChecksum, policy, blocks);
    this.client = client;
    this.context = client.readContext();
    this.policy = policy;
    this.decoders = new Decoders(client.getConfiguration(), policy);
    this.window = new SequentialWindow(context, new Counting());
    this.packets = new StripelinePackets(client);
  }

  /** Returns the read counters of this stream under the names of {@link ReadCount}. */
  @Override
  public IOStatistics getIOStatistics() {
    DynamicIOStatisticsBuilder statistics = IOStatisticsBinding.dynamicIOStatistics();
    for (ReadCount what : ReadCount.values()) {
      statistics.withLongFunctionCounter(what.statisticName(), name -> counters.get(what));
    }
    return statistics.build();
  }

  Decoders decoders() {
    return decoders;
  }

  StripelinePackets packets() {
    return packets;
  }

  /**
   * Opens an internal block: with Stripeline's packet reader over TCP, otherwise with Hadoop's
   * readers.
   */
  UnitReader openUnit(LocatedBlock block, DNAddrPair node, long from, long to) throws IOException {
    // The lock of this field is held during calls to the NameNode, for which block reads must not
    // wait. The object is immutable, and every read takes the lock before it requests blocks.
    CachingStrategy caching = cachingStrategy;
    StripelineUnitRequest request =
        new StripelineUnitRequest(src, block, node, from, to, verifyChecksum, caching);
    UnitReader ours = decoders.direct().preferDirectBuffer() ? packets.open(request) : null;
    if (ours != null) {
      return ours;
    }
    BlockReader theirs =
        getBlockReader(block, from, to - from, node.addr, node.storageType, node.info);
    return new StripelineUnitReader(theirs, node.info.getXferAddr(), to);
  }

  /**
   * Returns the block as a block group. Throws if it is a plain block, or a group of another
   * policy, because the file was converted while this stream was open.
   */
  LocatedStripedBlock striped(LocatedBlock block) throws IOException {
    return CodedGroups.require(block, policy, src);
  }

  void noteCorrupt(ExtendedBlock block, DatanodeInfo node) {
    corrupt.add(found -> found.addCorruptedBlock(block, node));
  }

  @Override
  protected synchronized int readWithStrategy(ReaderStrategy strategy) throws IOException {
    isReading = true;
    window.begin();
    try {
      checkUsable();
      maybeRegisterBlockRefresh();
      long left = getFileLength() - pos;
      if (left <= 0) {
        return -1;
      }
      if (pos > blockEnd || !window.isOpen()) {
        StackRoom.require();
        enterGroup();
      }
      // In a snapshot of a file that was open, the last group is longer than the file.
      int wanted = (int) Math.min(Math.min(strategy.getTargetLength(), left), blockEnd - pos + 1);
      return copy(strategy, wanted);
    } finally {
      isReading = false;
      window.end();
      if (ended != null) {
        giveUpReaders();
      }
      reportCorrupt();
    }
  }

  /**
   * Copies bytes of the current group from the window.
   *
   * @return how many, which is less than wanted if the others cannot be read: callers take the
   *     position to be unchanged after an exception, and the next read throws it
   */
  private int copy(ReaderStrategy strategy, int wanted) throws IOException {
    int done = 0;
    try {
      while (done < wanted) {
        long offset = pos - currentLocatedBlock.getStartOffset();
        ByteBuffer bytes = window.at(offset, wanted - done).bytesAt(offset);
        int copied = strategy.readFromBuffer(bytes, Math.min(wanted - done, bytes.remaining()));
        done += copied;
        pos += copied;
      }
    } catch (IOException e) {
      if (done == 0) {
        throw e;
      }
      DFSClient.LOG.debug("A read of {} ends at {} after a failure", src, pos, e);
    }
    return done;
  }

  private void enterGroup() throws IOException {
    LocatedBlock group = groupAt(pos);
    GroupReader reader = new GroupReader(context, knowledgeOf(group), counters);
    window.enter(reader);
    entered = reader;
    checkNotEnded();
    currentLocatedBlock = group;
    blockEnd = group.getStartOffset() + group.getBlockSize() - 1;
  }

  /** Returns the block group that contains the byte at {@code position} of the file. */
  LocatedBlock groupAt(long position) throws IOException {
    LocatedBlock group = getBlockAt(position);
    long end = group.getStartOffset() + group.getBlockSize();
    if (position < group.getStartOffset() || position >= end) {
      throw new EOFException(
          "Cannot read " + src + " at " + position + ": no block group is there");
    }
    return group;
  }

  private GroupKnowledge knowledgeOf(LocatedBlock group) throws IOException {
    boolean isOpen = isOpen(group);
    synchronized (knowledge) {
      GroupKnowledge known = knowledge.get(group.getBlock());
      if (known == null || known.groupBytes() != group.getBlockSize() || known.isOpen() != isOpen) {
        known =
            new GroupKnowledge(
                new StripelineBlockGroup(this, policy, striped(group)),
                policy.getNumDataUnits(),
                policy.getNumParityUnits(),
                policy.getCellSize(),
                group.getBlockSize(),
                isOpen,
                context.ticker());
        if (knowledge.size() >= GROUPS_REMEMBERED) {
          knowledge.remove(knowledge.keySet().iterator().next());
        }
        knowledge.put(group.getBlock(), known);
      } else if (((StripelineBlockGroup) known.group()).update(striped(group))) {
        // dfs.client.refresh.read-block-locations.ms has caused new locations to be fetched.
        known.forgive();
      }
      return known;
    }
  }

  /**
   * Returns whether a group may have more bytes than {@code group} says: if the NameNode does not
   * call the last group complete, Hadoop takes the length of its first internal block instead.
   */
  private boolean isOpen(LocatedBlock group) throws IOException {
    long start = group.getStartOffset();
    synchronized (infoLock) {
      // The group may have been completed since it was looked up; its length there stays.
      return start >= getLocatedBlocks().getFileLength()
          || getBlockAt(start).getBlockSize() != group.getBlockSize();
    }
  }

  /**
   * Overrides the method of Hadoop up to 3.4; the overload below overrides that of Hadoop 3.5.
   * Neither can have an {@code @Override} annotation.
   */
  protected void fetchBlockByteRange(
      LocatedBlock block, long start, long end, ByteBuffer buffer, CorruptedBlocks corruptedBlocks)
      throws IOException {
    StackRoom.require();
    checkUsable();
    // The given block may be older than the known locations, or of a file that replaced this one.
    LocatedBlock group = getBlockAt(striped(block).getStartOffset());
    if (group.getStartOffset() != block.getStartOffset()) {
      throw PlainInputStream.replaced(src);
    }
    long position = group.getStartOffset() + start;
    long positionAfter = group.getStartOffset() + end + 1;
    long ahead = run.next(position, positionAfter);
    GroupKnowledge known = knowledgeOf(group);
    ReusableReader left = reusableReader.getAndSet(null);
    GroupReader reader = null;
    if (left != null) {
      if (left.serves(known, position)) {
        reader = left.reader();
      } else {
        left.reader().close();
      }
    }
    if (reader == null) {
      reader = new GroupReader(context, known, counters);
    }
    boolean keep = false;
    positional.add(reader);
    try {
      checkNotEnded();
      long openTo = Math.min(group.getBlockSize(), end + 1 + ahead);
      new RangeRead(reader, new Counting()).read(start, end + 1, openTo, buffer);
      keep = openTo > end + 1;
    } finally {
      positional.remove(reader);
      if (keep) {
        leaveOpen(new ReusableReader(reader, positionAfter));
      } else {
        reader.close();
      }
      takeCorrupt(corruptedBlocks);
    }
  }

  /** Same as the method above, with the parameter that Hadoop 3.5 has added. */
  protected void fetchBlockByteRange(
      LocatedBlock block,
      long start,
      long end,
      ByteBuffer buffer,
      CorruptedBlocks corruptedBlocks,
      Map<InetSocketAddress, List<IOException>> exceptions)
      throws IOException {
    fetchBlockByteRange(block, start, end, buffer, corruptedBlocks);
  }

  /**
   * Overrides the method of Hadoop 3.4 and later; without {@code @Override}, because Hadoop 3.3
   * lacks it.
   */
  public void readVectored(
      List<? extends FileRange> ranges,
      IntFunction<ByteBuffer> allocate,
      Consumer<ByteBuffer> release)
      throws IOException {
    new VectoredRead(this, Objects.requireNonNull(release)).read(ranges, allocate);
  }

  @Override
  public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate)
      throws IOException {
    readVectored(ranges, allocate, buffer -> {});
  }

  /** Returns a reader for a positional read; the caller closes it with {@link #closeReader}. */
  GroupReader openReader(LocatedBlock group) throws IOException {
    GroupReader reader = new GroupReader(context, knowledgeOf(group), counters);
    positional.add(reader);
    if (ended != null) {
      closeReader(reader);
      throw new IOException(ended);
    }
    return reader;
  }

  void closeReader(GroupReader reader) {
    positional.remove(reader);
    reader.close();
  }

  Tally tally() {
    return new Counting();
  }

  ReadContext context() {
    return context;
  }

  /** Replaces the reader that is left open, which may be null. */
  private void leaveOpen(ReusableReader next) {
    ReusableReader old = reusableReader.getAndSet(next);
    if (old != null) {
      old.reader().close();
    }
    if (next != null && ended != null) {
      leaveOpen(null);
    }
  }

  void checkUsable() throws IOException {
    dfsClient.checkOpen();
    checkNotEnded();
  }

  private void checkNotEnded() throws IOException {
    String message = ended;
    if (message != null) {
      throw new IOException(message);
    }
  }

  /** Ends all reads, including those in progress on other threads. */
  private void end(String message) {
    ended = message;
    GroupReader reader = entered;
    if (reader != null) {
      reader.abort(message);
    }
    positional.forEach(each -> each.abort(message));
  }

  /** Closes the readers of the stream; called with the monitor held. */
  private void giveUpReaders() {
    blockEnd = -1;
    window.close();
    leaveOpen(null);
  }

  /**
   * Releases connections and buffers when the client is closed, after which nothing can be read;
   * this covers streams that the program did not close. A thread that is reading releases them
   * itself when it wakes up, so this method does not wait for any thread.
   */
  void clientClosed() {
    end("Filesystem closed");
    if (!isReading) {
      synchronized (this) {
        giveUpReaders();
      }
    } else {
      leaveOpen(null);
    }
  }

  /**
   * Reports the replicas that the pipeline found corrupt; called on a thread that may call the
   * NameNode.
   */
  void reportCorrupt() {
    if (corrupt.isEmpty()) {
      return;
    }
    CorruptedBlocks blocks = new CorruptedBlocks();
    takeCorrupt(blocks);
    reportCheckSumFailure(blocks, getCurrentBlockLocationsLength(), true);
  }

  private void takeCorrupt(CorruptedBlocks into) {
    for (Consumer<CorruptedBlocks> found; (found = corrupt.poll()) != null; ) {
      found.accept(into);
    }
  }

  @Override
  public synchronized void seek(long target) throws IOException {
    if (target > getFileLength()) {
      throw new EOFException("Cannot seek after EOF");
    }
    if (target < 0) {
      throw new EOFException("Cannot seek to negative offset");
    }
    if (closed.get()) {
      throw new IOException("Stream is closed!");
    }
    boolean staysInGroup =
        window.isOpen() && target <= blockEnd && target >= currentLocatedBlock.getStartOffset();
    if (!staysInGroup) {
      StackRoom.require();
      window.close();
      blockEnd = -1;
    }
    pos = target;
  }

  @Override
  protected void closeCurrentBlockReaders() {
    super.closeCurrentBlockReaders();
    giveUpReaders();
  }

  /** Closes the stream; a read that is waiting on another thread fails at once. */
  @Override
  public void close() throws IOException {
    StackRoom.require();
    end("Stream closed");
    client.forget(this);
    synchronized (this) {
      try {
        super.close();
      } finally {
        giveUpReaders();
        decoders.close();
        reportCorrupt();
      }
    }
  }

  /** Counts fetched bytes on the thread that reads, as Hadoop does. */
  private final class Counting implements Tally {
    @Override
    public void fetched(int bytes, boolean shortCircuit, int networkDistance, long millis) {
      IOUtilsClient.updateReadStatistics(readStatistics, bytes, shortCircuit, networkDistance);
      ReadStatisticsCompat.update(dfsClient, networkDistance, bytes, millis);
      dfsClient.updateFileSystemECReadStats(bytes);
    }

    @Override
    public void decoded(long millis) {
      readStatistics.addErasureCodingDecodingTime(millis);
    }
  }
}
