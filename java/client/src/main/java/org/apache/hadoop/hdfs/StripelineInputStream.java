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
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.stripeline.client.read.GroupKnowledge;
import org.stripeline.client.read.GroupReader;
import org.stripeline.client.read.PositionalRun;
import org.stripeline.client.read.RangeRead;
import org.stripeline.client.read.ReadContext;
import org.stripeline.client.read.ReadCount;
import org.stripeline.client.read.ReadCounters;
import org.stripeline.client.read.Segment;
import org.stripeline.client.read.SequentialWindow;
import org.stripeline.client.read.UnitReader;

/**
 * Reads a striped file through our pipeline: each read gives the right bytes or throws. Opening,
 * block locations, the file's length and statistics are Hadoop's.
 */
class StripelineInputStream extends DFSStripedInputStream implements IOStatisticsSource {
  private static final int GROUPS_REMEMBERED = 64;

  private final StripelineDFSClient client;
  private final ReadContext context;
  private final ErasureCodingPolicy policy;
  private final RawErasureDecoder decoder;
  private final SequentialWindow window;
  private final StripelinePackets packets;
  private final ReadCounters counters = new ReadCounters(ReadContext.counters());

  /** Guarded by itself; block group id to what is known of it. */
  private final Map<ExtendedBlock, GroupKnowledge> knowledge = new LinkedHashMap<>();

  private final Queue<CorruptReplica> corrupt = new ConcurrentLinkedQueue<>();

  /** Readers that a positional read has left open for one that goes on where it ended. */
  private final AtomicReference<ReusableReader> reusableReader = new AtomicReference<>();

  private final PositionalRun run = new PositionalRun();

  /** The reader that the window was given last. */
  private volatile GroupReader entered;

  /** Readers of positional reads that are under way. */
  private final Set<GroupReader> positional = ConcurrentHashMap.newKeySet();

  /** Whether a thread reads at the stream's position; it holds the monitor then. */
  private volatile boolean isReading;

  /** Why there is nothing more to read, null while there is. */
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
    this.decoder =
        CodecUtil.createRawDecoder(
            client.getConfiguration(),
            policy.getCodecName(),
            new ErasureCoderOptions(policy.getNumDataUnits(), policy.getNumParityUnits()));
    this.window = new SequentialWindow(context, new Counting());
    this.packets = new StripelinePackets(client);
  }

  /** What this stream has read, by the names of {@link ReadCount}. */
  @Override
  public IOStatistics getIOStatistics() {
    DynamicIOStatisticsBuilder statistics = IOStatisticsBinding.dynamicIOStatistics();
    for (ReadCount what : ReadCount.values()) {
      statistics.withLongFunctionCounter(what.statisticName(), name -> counters.get(what));
    }
    return statistics.build();
  }

  RawErasureDecoder decoder() {
    return decoder;
  }

  StripelinePackets packets() {
    return packets;
  }

  /**
   * Opens an internal block: over TCP with our packet reader, in all other ways with Hadoop's
   * readers.
   */
  UnitReader openUnit(LocatedBlock block, DNAddrPair node, long from, long to) throws IOException {
    // Its lock is held during calls of the NameNode, for which reads of blocks must not wait. The
    // object does not change, and every read takes the lock before it asks for blocks.
    CachingStrategy caching = cachingStrategy;
    StripelineUnitRequest request =
        new StripelineUnitRequest(src, block, node, from, to, verifyChecksum, caching);
    UnitReader ours = decoder.preferDirectBuffer() ? packets.open(request) : null;
    if (ours != null) {
      return ours;
    }
    BlockReader theirs =
        getBlockReader(block, from, to - from, node.addr, node.storageType, node.info);
    return new StripelineUnitReader(theirs, node.info.getXferAddr(), to);
  }

  /**
   * Asks the NameNode for the group that begins there, without the lock of the stream, which all
   * its reads need.
   */
  LocatedStripedBlock fetchGroup(long startOffset) throws IOException {
    LocatedBlocks blocks = dfsClient.getLocatedBlocks(src, startOffset, 1);
    if (blocks == null || blocks.locatedBlockCount() == 0) {
      throw new IOException("Cannot find " + src + " at " + startOffset);
    }
    return striped(blocks.get(0));
  }

  /** A file that was converted back to replication while this stream was open has plain blocks. */
  private LocatedStripedBlock striped(LocatedBlock block) throws IOException {
    if (!(block instanceof LocatedStripedBlock)) {
      throw PlainInputStream.replaced(src);
    }
    return (LocatedStripedBlock) block;
  }

  void noteCorrupt(ExtendedBlock block, DatanodeInfo node) {
    corrupt.add(new CorruptReplica(block, node));
  }

  @Override
  protected synchronized int readWithStrategy(ReaderStrategy strategy) throws IOException {
    isReading = true;
    window.begin();
    try {
      checkUsable();
      maybeRegisterBlockRefresh();
      if (pos >= getFileLength()) {
        return -1;
      }
      if (pos > blockEnd || !window.isOpen()) {
        enterGroup();
      }
      int wanted = (int) Math.min(strategy.getTargetLength(), blockEnd - pos + 1);
      int done = 0;
      while (done < wanted) {
        long offset = pos - currentLocatedBlock.getStartOffset();
        ByteBuffer bytes = window.at(offset, wanted - done).bytesAt(offset);
        int copied = strategy.readFromBuffer(bytes, Math.min(wanted - done, bytes.remaining()));
        done += copied;
        pos += copied;
      }
      return done;
    } finally {
      isReading = false;
      window.end();
      if (ended != null) {
        giveUpReaders();
      }
      reportCorrupt();
    }
  }

  private void enterGroup() throws IOException {
    LocatedBlock group = groupAt(pos);
    long end = group.getStartOffset() + group.getBlockSize();
    GroupReader reader = new GroupReader(context, knowledgeOf(group), counters);
    window.enter(reader);
    entered = reader;
    checkNotEnded();
    currentLocatedBlock = group;
    blockEnd = end - 1;
  }

  /** Returns the block group that has the byte at that position of the file. */
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
    synchronized (knowledge) {
      GroupKnowledge known = knowledge.get(group.getBlock());
      if (known == null || known.groupBytes() != group.getBlockSize()) {
        known =
            new GroupKnowledge(
                new StripelineBlockGroup(this, policy, striped(group)),
                policy.getNumDataUnits(),
                policy.getNumParityUnits(),
                policy.getCellSize(),
                group.getBlockSize());
        if (knowledge.size() >= GROUPS_REMEMBERED) {
          knowledge.remove(knowledge.keySet().iterator().next());
        }
        knowledge.put(group.getBlock(), known);
      } else if (((StripelineBlockGroup) known.group()).update(striped(group))) {
        // dfs.client.refresh.read-block-locations.ms has new locations fetched.
        known.forgive();
      }
      return known;
    }
  }

  /** Overrides Hadoop's up to 3.4; from 3.5 on the one below does. Neither can say so. */
  protected void fetchBlockByteRange(
      LocatedBlock block, long start, long end, ByteBuffer buffer, CorruptedBlocks corruptedBlocks)
      throws IOException {
    checkUsable();
    // The list of blocks in hand may be older than what the stream knows by now.
    LocatedBlock group = getBlockAt(block.getStartOffset());
    long position = group.getStartOffset() + start;
    long positionAfter = group.getStartOffset() + end + 1;
    long ahead = run.next(position, positionAfter);
    ReusableReader left = reusableReader.getAndSet(null);
    GroupReader reader = null;
    if (left != null) {
      if (left.serves(group.getBlock(), position)) {
        reader = left.reader;
      } else {
        left.reader.close();
      }
    }
    if (reader == null) {
      reader = new GroupReader(context, knowledgeOf(group), counters);
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
        leaveOpen(new ReusableReader(reader, group.getBlock(), positionAfter));
      } else {
        reader.close();
      }
      for (CorruptReplica found; (found = corrupt.poll()) != null; ) {
        corruptedBlocks.addCorruptedBlock(found.block, found.node);
      }
    }
  }

  /** The same with the parameter that Hadoop 3.5 has added. */
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

  /** Overrides Hadoop's from 3.4 on, which cannot be said for the sake of 3.3. */
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

  /** Returns a reader for a positional read, to be closed by {@link #closeReader}. */
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

  Segment.Tally tally() {
    return new Counting();
  }

  ReadContext context() {
    return context;
  }

  private void leaveOpen(ReusableReader next) {
    ReusableReader old = reusableReader.getAndSet(next);
    if (old != null) {
      old.reader.close();
    }
    if (ended != null) {
      closeReusableReader();
    }
  }

  private void closeReusableReader() {
    ReusableReader old = reusableReader.getAndSet(null);
    if (old != null) {
      old.reader.close();
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

  /** Ends all reads, those of other threads that are under way too. */
  private void end(String message) {
    ended = message;
    GroupReader reader = entered;
    if (reader != null) {
      reader.abort(message);
    }
    positional.forEach(each -> each.abort(message));
  }

  /** Called with the monitor held. */
  private void giveUpReaders() {
    blockEnd = -1;
    window.close();
    closeReusableReader();
  }

  /**
   * Called when the client is closed, after which nothing can be read: gives up connections and
   * buffers, also where the program forgets to close its streams. A thread that reads does that
   * itself when it is woken, so this waits for no thread.
   */
  void clientClosed() {
    end("Filesystem closed");
    if (!isReading) {
      synchronized (this) {
        giveUpReaders();
      }
    } else {
      closeReusableReader();
    }
  }

  /** Reports what the pipeline has found corrupt, on a thread that may call the NameNode. */
  void reportCorrupt() {
    if (corrupt.isEmpty()) {
      return;
    }
    CorruptedBlocks blocks = new CorruptedBlocks();
    for (CorruptReplica found; (found = corrupt.poll()) != null; ) {
      blocks.addCorruptedBlock(found.block, found.node);
    }
    reportCheckSumFailure(blocks, getCurrentBlockLocationsLength(), true);
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
    pos = target;
    if (!staysInGroup) {
      window.close();
      blockEnd = -1;
    }
  }

  @Override
  protected void closeCurrentBlockReaders() {
    super.closeCurrentBlockReaders();
    giveUpReaders();
  }

  /** Closes the stream; a read that waits in another thread fails at once. */
  @Override
  public void close() throws IOException {
    end("Stream closed");
    client.forget(this);
    synchronized (this) {
      try {
        super.close();
      } finally {
        giveUpReaders();
        decoder.release();
        reportCorrupt();
      }
    }
  }

  /** Counts what was fetched, as Hadoop does: on the thread that reads. */
  private final class Counting implements Segment.Tally {
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

  private static final class CorruptReplica {
    final ExtendedBlock block;
    final DatanodeInfo node;

    CorruptReplica(ExtendedBlock block, DatanodeInfo node) {
      this.block = block;
      this.node = node;
    }
  }

  private static final class ReusableReader {
    final GroupReader reader;
    final ExtendedBlock block;
    final long position;

    ReusableReader(GroupReader reader, ExtendedBlock block, long position) {
      this.reader = reader;
      this.block = block;
      this.position = position;
    }

    boolean serves(ExtendedBlock wanted, long from) {
      return block.equals(wanted) && position == from;
    }
  }
}
