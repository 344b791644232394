// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One block group to be encoded: replicas of its data are read once, window by window, parity is
 * computed, checked and sent, and with it those data blocks that no link could adopt.
 */
public final class EncodeRequest {
  /** The block pool of all blocks. */
  public final String pool;

  /** The code's name as Hadoop's schemas have it: rs, rs-legacy or xor. */
  public final String codec;

  /** Data units of the code, k. A group may have fewer blocks; the others count as zeros. */
  public final int dataUnits;

  /** Parity units of the code, m. */
  public final int parityUnits;

  /** The rack of the agent that is asked, as {@link AgentNode#rack}; for the counts. */
  public final String rack;

  /** What to read, in order of data units, at least 1 and at most k; only the last may be short. */
  public final List<Source> data;

  /** Where parity goes, in order of parity units, exactly m, each as long as the first block. */
  public final List<Target> parity;

  /** Data blocks to be sent because they could not be adopted; may be empty. */
  public final List<Send> sends;

  /** Data blocks that links have adopted: each is verified where it is. May be empty. */
  public final List<Kept> kept;

  /** Most bytes a second that the task reads, sends and verifies, all together; 0 for no bound. */
  public final long bytesPerSecond;

  /** Bytes of a unit that are coded at once, at most what the agent is set to; 0 for that. */
  public final int windowBytes;

  private EncodeRequest(Builder builder) {
    pool = builder.pool;
    codec = builder.codec;
    dataUnits = builder.dataUnits;
    parityUnits = builder.parityUnits;
    rack = builder.rack;
    data = frozen(builder.data);
    parity = frozen(builder.parity);
    sends = frozen(builder.sends);
    kept = frozen(builder.kept);
    bytesPerSecond = builder.bytesPerSecond;
    windowBytes = builder.windowBytes;
  }

  private static <T> List<T> frozen(List<T> list) {
    return Collections.unmodifiableList(new ArrayList<>(list));
  }

  /** One data block and the DataNodes with replicas of it. */
  public static final class Source {
    /** The block. */
    public final AgentBlock block;

    /** Who has it, the nearest first; the next is asked where one fails. At least one. */
    public final List<AgentNode> nodes;

    /**
     * A token that lets read the block, as {@code Token.encodeToUrlString} has it; null for callers
     * who need none.
     */
    public final String token;

    /** Names a block and its places. */
    public Source(AgentBlock block, List<AgentNode> nodes) {
      this(block, nodes, null);
    }

    /** Names a block and its places, and shows a token for it. */
    public Source(AgentBlock block, List<AgentNode> nodes, String token) {
      this.block = block;
      this.nodes = frozen(nodes);
      this.token = token;
    }
  }

  /** One internal block to be written. */
  public static final class Target {
    /** The internal block with the length that it will have. */
    public final AgentBlock block;

    /** The DataNode that receives it; an agent must run there. */
    public final AgentNode node;

    /** The storage's type, a name of Hadoop's {@code StorageType} such as DISK. */
    public final String storageType;

    /** The storage on that DataNode, or the empty string if it may choose. */
    public final String storageId;

    /** Names a block and its place. */
    public Target(AgentBlock block, AgentNode node, String storageType, String storageId) {
      this.block = block;
      this.node = node;
      this.storageType = storageType;
      this.storageId = storageId;
    }
  }

  /** A data block that is sent as it is read. */
  public static final class Send {
    /** The data unit, an index into {@link EncodeRequest#data}. */
    public final int unit;

    /** The internal block that it becomes, of the same length. */
    public final Target target;

    /** Asks for one data unit to be sent. */
    public Send(int unit, Target target) {
      this.unit = unit;
      this.target = target;
    }
  }

  /** A data block that is an internal block already, by a link to a replica of the source. */
  public static final class Kept {
    /** The data unit, an index into {@link EncodeRequest#data}. */
    public final int unit;

    /** The internal block that the link has made, of the same length. */
    public final AgentBlock block;

    /** The DataNode that has the replica and the link. */
    public final AgentNode node;

    /** Asks for one link to be verified. */
    public Kept(int unit, AgentBlock block, AgentNode node) {
      this.unit = unit;
      this.block = block;
      this.node = node;
    }
  }

  /** Collects a request; what is not set has no bound or is empty. */
  public static final class Builder {
    private final String pool;
    private final String codec;
    private final int dataUnits;
    private final int parityUnits;
    private String rack = "";
    private final List<Source> data = new ArrayList<>();
    private final List<Target> parity = new ArrayList<>();
    private final List<Send> sends = new ArrayList<>();
    private final List<Kept> kept = new ArrayList<>();
    private long bytesPerSecond;
    private int windowBytes;

    /** Begins a request for blocks of that pool and a code of k data and m parity units. */
    public Builder(String pool, String codec, int dataUnits, int parityUnits) {
      this.pool = pool;
      this.codec = codec;
      this.dataUnits = dataUnits;
      this.parityUnits = parityUnits;
    }

    /** Says in which rack the asked agent is. */
    public Builder rack(String location) {
      this.rack = location;
      return this;
    }

    /** Adds the next data unit. */
    public Builder data(Source source) {
      data.add(source);
      return this;
    }

    /** Adds the next parity unit. */
    public Builder parity(Target target) {
      parity.add(target);
      return this;
    }

    /** Adds a data unit to be sent. */
    public Builder send(Send send) {
      sends.add(send);
      return this;
    }

    /** Adds a link to be verified. */
    public Builder kept(Kept link) {
      kept.add(link);
      return this;
    }

    /** Bounds the rate. */
    public Builder bytesPerSecond(long most) {
      this.bytesPerSecond = most;
      return this;
    }

    /** Sets the bytes of a unit that are coded at once. */
    public Builder windowBytes(int bytes) {
      this.windowBytes = bytes;
      return this;
    }

    /** Returns the request; the agent checks it. */
    public EncodeRequest build() {
      return new EncodeRequest(this);
    }
  }
}
