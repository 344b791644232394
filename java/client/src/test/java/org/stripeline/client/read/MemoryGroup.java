// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;

/** A block group in memory, whose internal blocks fail as the test sets. */
final class MemoryGroup implements BlockGroup {
  /** Counts nothing. */
  static final Tally UNCOUNTED =
      new Tally() {
        @Override
        public void fetched(int bytes, boolean shortCircuit, int distance, long millis) {}

        @Override
        public void decoded(long millis) {}
      };

  final byte[] data;
  final GroupGeometry geometry;
  final boolean direct;
  final boolean[] dead;
  final boolean[] absent;
  final boolean[] hung;

  /** For each internal block, offsets whose 512-byte chunk fails its checksum. */
  final TreeSet<Long>[] flips;

  /** The length to which each internal block is truncated. */
  final long[] cut;

  final AtomicInteger openReaders = new AtomicInteger();
  final AtomicInteger opens = new AtomicInteger();
  final AtomicIntegerArray opensOfUnit;

  /** The number of bytes for which readers were opened. */
  final AtomicLong asked = new AtomicLong();

  final AtomicInteger refreshes = new AtomicInteger();
  final CountDownLatch released = new CountDownLatch(1);

  /** The number of calls of {@link #node} before the one that throws. */
  final AtomicInteger nodeCalls = new AtomicInteger(-1);

  /** The maximum number of bytes that a reader returns at once. */
  int portion = Integer.MAX_VALUE;

  volatile String nameNode = "memory";

  /** The action of the NameNode when it is asked for locations. */
  volatile Runnable found;

  /** Appended to the names of DataNodes. */
  volatile String place = "";

  volatile String name = "/memory, block group 1";

  /** The disk that holds the internal block on each DataNode. */
  volatile String disk = "disk 0";

  /** Runs at each read from an internal block. */
  volatile WhenReading whenReading = unit -> {};

  /** Runs before each decode. */
  volatile Runnable whenDecoding = () -> {};

  /** Receives the inputs of each decode that is issued. */
  volatile Consumer<ByteBuffer[]> whenIssuing = inputs -> {};

  /** Whether decodes run on threads of their own, as on a device. */
  volatile boolean decodesAside;

  /** Whether those decodes fail. */
  volatile boolean deviceFails;

  /** Thrown by each decode, unless null. */
  volatile Error decodeError;

  /** The number of further decodes that fail for lack of memory. */
  final AtomicInteger decodesWithoutMemory = new AtomicInteger();

  private final byte[][] units;
  private final ErasureCodec codec;

  @SuppressWarnings({"unchecked", "rawtypes"})
  MemoryGroup(int dataUnits, int parityUnits, int cell, int length, boolean direct, long seed)
      throws IOException {
    this.direct = direct;
    geometry = new GroupGeometry(dataUnits, parityUnits, cell, length, false);
    data = new byte[length];
    new Random(seed).nextBytes(data);
    codec = ErasureCodec.create(Code.RS, dataUnits, parityUnits);
    int count = dataUnits + parityUnits;
    opensOfUnit = new AtomicIntegerArray(count);
    dead = new boolean[count];
    absent = new boolean[count];
    hung = new boolean[count];
    cut = new long[count];
    Arrays.fill(cut, Long.MAX_VALUE);
    flips = new TreeSet[count];
    units = new byte[count][];
    for (int unit = 0; unit < count; unit++) {
      flips[unit] = new TreeSet<>();
      units[unit] = new byte[(int) geometry.unitBytes(unit)];
    }
    for (int at = 0; at < length; at++) {
      units[geometry.unitOf(at)][(int) geometry.offsetInUnit(at)] = data[at];
    }
    encode(dataUnits, parityUnits);
  }

  private void encode(int dataUnits, int parityUnits) throws IOException {
    int width = units[dataUnits].length;
    ByteBuffer[] in = new ByteBuffer[dataUnits];
    ByteBuffer[] out = new ByteBuffer[parityUnits];
    for (int unit = 0; unit < dataUnits; unit++) {
      in[unit] = ByteBuffer.wrap(Arrays.copyOf(units[unit], width));
    }
    for (int unit = 0; unit < parityUnits; unit++) {
      out[unit] = ByteBuffer.wrap(units[dataUnits + unit]);
    }
    codec.encode(in, out);
  }

  @Override
  public String node(int unit) {
    if (nodeCalls.getAndDecrement() == 0) {
      throw new IllegalStateException("node");
    }
    return absent[unit] ? null : "node" + unit + place;
  }

  @Override
  public String storage(int unit) {
    return absent[unit] ? null : disk + " of node" + unit + place;
  }

  @Override
  public UnitReader open(int unit, long from, long to) throws IOException {
    opens.incrementAndGet();
    opensOfUnit.incrementAndGet(unit);
    if (dead[unit]) {
      throw new ConnectException("node" + unit + ": refused");
    }
    if (from < 0 || to > units[unit].length || from > to) {
      throw new IllegalArgumentException("unit " + unit + " from " + from + " to " + to);
    }
    openReaders.incrementAndGet();
    asked.addAndGet(to - from);
    return new Reader(unit, from, to);
  }

  @Override
  public boolean mayInterruptOpen(int unit) {
    return true;
  }

  @Override
  public void corrupt(int unit, String node) {}

  @Override
  public String nameNode() {
    return nameNode;
  }

  @Override
  public void refresh() {
    refreshes.incrementAndGet();
    if (found != null) {
      found.run();
    }
  }

  @Override
  public CompletableFuture<?> issueDecode(ByteBuffer[] inputs, int[] erased, ByteBuffer[] outputs) {
    if (!decodesAside) {
      return null;
    }
    whenIssuing.accept(inputs);
    CompletableFuture<Void> decoded = new CompletableFuture<>();
    Runnable device =
        () -> {
          try {
            if (deviceFails) {
              throw new IOException("no rail is left");
            }
            decode(inputs, erased, outputs);
            decoded.complete(null);
          } catch (IOException | RuntimeException | Error e) {
            decoded.completeExceptionally(e);
          }
        };
    new Thread(device, "device").start();
    return decoded;
  }

  @Override
  public void decode(ByteBuffer[] inputs, int[] erased, ByteBuffer[] outputs) throws IOException {
    whenDecoding.run();
    if (decodeError != null) {
      throw decodeError;
    }
    if (decodesWithoutMemory.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new OutOfMemoryError("Direct buffer memory");
    }
    codec.decode(inputs, erased, outputs);
  }

  @Override
  public boolean prefersDirectBuffers() {
    return direct;
  }

  @Override
  public String name() {
    return name;
  }

  /** An action with the number of an internal block. */
  interface WhenReading {
    void accept(int unit) throws InterruptedException;
  }

  private final class Reader implements UnitReader {
    private final int unit;
    private final String node;
    private final long to;
    private long at;
    private boolean closed;

    Reader(int unit, long from, long to) {
      this.unit = unit;
      this.node = "node" + unit + place;
      this.at = from;
      this.to = to;
    }

    @Override
    public void read(ByteBuffer target) throws IOException {
      try {
        whenReading.accept(unit);
        if (hung[unit]) {
          released.await();
        }
      } catch (InterruptedException e) {
        throw new InterruptedIOException("interrupted");
      }
      int length = Math.min(target.remaining(), portion);
      if (at + length > to) {
        throw new IllegalStateException("read beyond what was opened");
      }
      if (at + length > cut[unit]) {
        throw new IOException("node" + unit + ": the block ends early");
      }
      Long flip = flips[unit].ceiling(at / 512 * 512);
      if (flip != null && flip < (at + length + 511) / 512 * 512) {
        throw new CorruptUnitException("node" + unit + ": checksum at " + flip, null);
      }
      target.put(units[unit], (int) at, length);
      at += length;
    }

    @Override
    public void skip(long bytes) {
      at += bytes;
    }

    @Override
    public long end() {
      return to;
    }

    @Override
    public String node() {
      return node;
    }

    @Override
    public boolean isShortCircuit() {
      return false;
    }

    @Override
    public int networkDistance() {
      return 0;
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        openReaders.decrementAndGet();
      }
    }
  }

  /** Reads through the buffers of a window. */
  static byte[] readThrough(SequentialWindow window, int from, int to) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(to - from);
    for (int at = from; at < to; ) {
      ByteBuffer part = window.at(at, to - at).bytesAt(at);
      part.limit(Math.min(part.limit(), part.position() + to - at));
      at += part.remaining();
      target.put(part);
    }
    return target.array();
  }
}
