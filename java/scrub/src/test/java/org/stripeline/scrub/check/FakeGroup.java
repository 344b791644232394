// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.natives.fingerprint.Fingerprint;
import org.stripeline.natives.fingerprint.FingerprintFunction;

/** A group whose replicas are arrays, with DataNodes that answer as tests want. */
public final class FakeGroup implements GroupAccess {
  public static final int WINDOW = 1024;
  public static final CheckSettings SETTINGS = new CheckSettings(7, 2, WINDOW, 0);
  static final long STAMP = 1001;

  /** When the group was written, in ms since 1970. */
  public static final long WRITTEN = 1_700_000_000_000L;

  private static final long GROUP_ID = -1024;
  private static final FingerprintFunction FUNCTION = new FingerprintFunction(7, 2, WINDOW);

  /** A call of a test instead of an answer from the bytes; null for the answer from the bytes. */
  public interface Answer {
    BlockFingerprints to(FingerprintRequest request) throws IOException;
  }

  /** The replicas, which tests damage. */
  public final Map<Copy, byte[]> bytes = new LinkedHashMap<>();

  /** When replicas were modified, in ms since 1970, if that is not {@link #WRITTEN}. */
  public final Map<Copy, Long> modified = new HashMap<>();

  /** Offsets of chunks with wrong checksums. */
  public final Map<Copy, Long> badChunks = new HashMap<>();

  /** Windows that one call returns at most. */
  int windowsPerCall = 10;

  boolean isOpen;
  GroupLocations.Unnamed unnamed = GroupLocations.Unnamed.NONE;
  String rackProblem;
  public boolean isGone;

  /** Called before locations are read: the number of times before. */
  public final Map<Integer, Runnable> beforeLocate = new HashMap<>();

  /** Called before bytes are read to confirm damage. */
  Runnable beforeRead = () -> {};

  int reads;
  int pauses;

  private final Layout layout;
  private final int replicas;
  private final long groupBytes;
  private final Map<String, Deque<Answer>> answers = new HashMap<>();
  private int locates;

  private FakeGroup(Layout layout, int replicas, long groupBytes) {
    this.layout = layout;
    this.replicas = replicas;
    this.groupBytes = groupBytes;
  }

  public static FakeGroup replicated(int replicas, int length) {
    FakeGroup group = new FakeGroup(Layout.replicated(), replicas, length);
    byte[] content = random(length);
    for (int i = 0; i < replicas; i++) {
      group.put(0, i, content);
    }
    return group;
  }

  /** Creates a group as HDFS writes it: zeros count where blocks of the last stripe are shorter. */
  public static FakeGroup striped(Layout layout, long groupBytes) throws IOException {
    FakeGroup group = new FakeGroup(layout, 1, groupBytes);
    int longest = (int) layout.unitBytes(0, groupBytes);
    byte[][] data = new byte[layout.dataUnits()][];
    byte[][] parity = new byte[layout.units() - layout.dataUnits()][longest];
    for (int i = 0; i < data.length; i++) {
      data[i] = Arrays.copyOf(random((int) layout.unitBytes(i, groupBytes)), longest);
    }
    try (ErasureCodec codec = layout.codec()) {
      codec.encode(data, new int[data.length], parity, new int[parity.length], longest);
    }
    for (int unit = 0; unit < layout.units(); unit++) {
      byte[] whole = unit < data.length ? data[unit] : parity[unit - data.length];
      int length = (int) layout.unitBytes(unit, groupBytes);
      if (length > 0) {
        group.put(unit, unit, Arrays.copyOf(whole, length));
      }
    }
    return group;
  }

  private static byte[] random(int length) {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    return content;
  }

  /** Adds a replica of a unit on a DataNode. */
  public Copy put(int unit, int node, byte[] content) {
    DatanodeInfo where =
        new DatanodeInfo.DatanodeInfoBuilder()
            .setDatanodeUuid("node" + node)
            .setIpAddr("10.0.0." + node)
            .setHostName("node" + node)
            .setXferPort(9866)
            .setIpcPort(9867)
            .build();
    long length = layout.unitBytes(unit, groupBytes);
    Copy copy = new Copy(unit, where, new AgentBlock(GROUP_ID + unit, STAMP, length));
    bytes.put(copy, content.clone());
    return copy;
  }

  /** Returns a replica of a unit, the first one by default. */
  public Copy copy(int unit, int number) {
    List<Copy> own = new ArrayList<>();
    bytes.keySet().stream().filter(copy -> copy.unit == unit).forEach(own::add);
    return own.get(number);
  }

  public Copy copy(int unit) {
    return copy(unit, 0);
  }

  /** Changes a byte. */
  public void damage(Copy copy, int offset) {
    bytes.get(copy)[offset] ^= 0x40;
  }

  /** Determines the next answers of a DataNode for a replica. */
  public void answer(Copy copy, int times, Answer answer) {
    for (int i = 0; i < times; i++) {
      answers.computeIfAbsent(copy.node.getDatanodeUuid(), any -> new ArrayDeque<>()).add(answer);
    }
  }

  /** Returns an answer without fingerprints. */
  public static Answer outcome(BlockFingerprints.Outcome outcome, long stamp, long length) {
    return request -> {
      BlockFingerprints.Builder builder = new BlockFingerprints.Builder(request);
      builder.replica(stamp, length);
      return builder.end(outcome, "as the test wants");
    };
  }

  @Override
  public synchronized GroupLocations locate() {
    Runnable change = beforeLocate.get(locates++);
    if (change != null) {
      change.run();
    }
    Block block = new Block(GROUP_ID, groupBytes, STAMP);
    return isGone
        ? null
        : new GroupLocations(
            "pool", block, layout, replicas, isOpen, unnamed, new ArrayList<>(bytes.keySet()));
  }

  @Override
  public BlockFingerprints fingerprint(DatanodeInfo node, FingerprintRequest request)
      throws IOException {
    Answer answer;
    synchronized (this) {
      Deque<Answer> next = answers.get(node.getDatanodeUuid());
      answer = next == null ? null : next.poll();
    }
    return answer == null ? ofBytes(node, request) : answer.to(request);
  }

  /** Answers from the bytes, as an agent does. */
  synchronized BlockFingerprints ofBytes(DatanodeInfo node, FingerprintRequest request) {
    for (Map.Entry<Copy, byte[]> one : bytes.entrySet()) {
      Copy copy = one.getKey();
      if (copy.block.id == request.block.id
          && copy.node.getDatanodeUuid().equals(node.getDatanodeUuid())) {
        return fingerprints(copy, one.getValue(), request);
      }
    }
    return new BlockFingerprints.Builder(request)
        .end(BlockFingerprints.Outcome.ABSENT, "no replica");
  }

  private BlockFingerprints fingerprints(Copy copy, byte[] content, FingerprintRequest request) {
    BlockFingerprints.Builder builder = new BlockFingerprints.Builder(request);
    builder.replica(STAMP, content.length);
    builder.modified(modified.getOrDefault(copy, WRITTEN));
    if (content.length != request.block.length) {
      return builder.end(BlockFingerprints.Outcome.DIFFERENT, "another length");
    }
    Long bad = badChunks.get(copy);
    Fingerprint fingerprint = new Fingerprint(FUNCTION);
    int count = Math.min(windowsPerCall, request.windows);
    for (long window = request.firstWindow; window < request.firstWindow + count; window++) {
      int from = (int) Math.min(content.length, window * WINDOW);
      int to = Math.min(content.length, from + WINDOW);
      fingerprint.update(ByteBuffer.wrap(content, from, to - from));
      builder.fingerprint(fingerprint.take());
      if (bad != null && bad / WINDOW == window) {
        builder.badChunk(window, bad);
      }
    }
    return builder.end(BlockFingerprints.Outcome.READ, "");
  }

  @Override
  public synchronized byte[] read(Copy copy, long offset, int length) throws IOException {
    reads++;
    beforeRead.run();
    if (!bytes.containsKey(copy)) {
      throw new IOException("Cannot read " + copy + ": absent");
    }
    return Arrays.copyOfRange(bytes.get(copy), (int) offset, (int) offset + length);
  }

  @Override
  public String rackProblem(GroupLocations group) {
    return rackProblem;
  }

  @Override
  public synchronized void pause(int round) {
    pauses++;
  }
}
