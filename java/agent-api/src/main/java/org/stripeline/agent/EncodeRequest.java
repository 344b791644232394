// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A request to encode one block group. Replicas of its data are read once, window by window; parity
 * is computed, checked and sent, together with the data blocks that could not be linked.
 */
public final class EncodeRequest {
  /** The block pool of all blocks. */
  public final String pool;

  /** The code's name in Hadoop's schemas: rs, rs-legacy or xor. */
  public final String codec;

  /** Data units of the code, k. A group may have fewer blocks; the missing ones count as zeros. */
  public final int dataUnits;

  /** Parity units of the code, m. */
  public final int parityUnits;

  /**
   * The rack of the agent that executes the request, see {@link AgentNode#rack}; used for counters.
   */
  public final String rack;

  /** Data blocks to read, in order of data units, 1 to k; only the last may be short. */
  public final List<Source> data;

  /**
   * Targets of the m parity blocks, in order of parity units, each as long as the first data block.
   */
  public final List<Target> parity;

  /** Data blocks to send because they could not be linked; may be empty. */
  public final List<Send> sends;

  /** Data blocks that were linked; each is verified on its DataNode. May be empty. */
  public final List<Kept> kept;

  /** Maximum total bytes per second that the task reads, sends and verifies; 0 for no limit. */
  public final long bytesPerSecond;

  /** Bytes of a unit that are coded at a time, up to the agent's setting; 0 for that setting. */
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

  /** One data block, and the DataNodes with its replicas. */
  public static final class Source {
    /** The block. */
    public final AgentBlock block;

    /** DataNodes with replicas, nearest first; if one fails, the next is tried. At least one. */
    public final List<AgentNode> nodes;

    /** Creates a source. */
    public Source(AgentBlock block, List<AgentNode> nodes) {
      this.block = block;
      this.nodes = frozen(nodes);
    }
  }

  /** One internal block to be written. */
  public static final class Target {
    /** The internal block with its final length. */
    public final AgentBlock block;

    /** The DataNode that receives it; an agent must run there. */
    public final AgentNode node;

    /** The storage type, a name of Hadoop's {@code StorageType} such as DISK. */
    public final String storageType;

    /** The storage on that DataNode, or the empty string to let the DataNode choose. */
    public final String storageId;

    /** Creates a target. */
    public Target(AgentBlock block, AgentNode node, String storageType, String storageId) {
      this.block = block;
      this.node = node;
      this.storageType = storageType;
      this.storageId = storageId;
    }
  }

  /** A data block that is sent while it is read. */
  public static final class Send {
    /** The data unit, an index into {@link EncodeRequest#data}. */
    public final int unit;

    /** The internal block that it becomes, of the same length. */
    public final Target target;

    /** Creates a request to send one data unit. */
    public Send(int unit, Target target) {
      this.unit = unit;
      this.target = target;
    }
  }

  /** A data block that is an internal block already, through a link to a replica of the source. */
  public static final class Kept {
    /** The data unit, an index into {@link EncodeRequest#data}. */
    public final int unit;

    /** The internal block that the link has created, of the same length. */
    public final AgentBlock block;

    /** The DataNode that has the replica and the link. */
    public final AgentNode node;

    /** Creates a request to verify one link. */
    public Kept(int unit, AgentBlock block, AgentNode node) {
      this.unit = unit;
      this.block = block;
      this.node = node;
    }
  }

  /** Builds a request; limits that are not set do not apply, and lists are empty. */
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

    /** Begins a request for blocks of a pool, and a code with k data and m parity units. */
    public Builder(String pool, String codec, int dataUnits, int parityUnits) {
      this.pool = pool;
      this.codec = codec;
      this.dataUnits = dataUnits;
      this.parityUnits = parityUnits;
    }

    /** Sets the rack of the agent that executes the request. */
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

    /** Sets the maximum bytes per second. */
    public Builder bytesPerSecond(long most) {
      this.bytesPerSecond = most;
      return this;
    }

    /** Sets the bytes of a unit that are coded at a time. */
    public Builder windowBytes(int bytes) {
      this.windowBytes = bytes;
      return this;
    }

    /** Returns the request. The agent validates it. */
    public EncodeRequest build() {
      return new EncodeRequest(this);
    }
  }
}
