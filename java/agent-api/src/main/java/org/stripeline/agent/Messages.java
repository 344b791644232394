// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import java.util.List;

/** Arguments and results of the protocol's methods, in JSON. Unknown fields are ignored. */
public final class Messages {
  /** Converts messages from and to JSON; null fields are omitted. */
  public static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

  private Messages() {}

  /** Arguments of {@code link}. */
  public static final class LinkCall {
    public final String pool;
    public final List<Link> links;

    LinkCall(String pool, List<Link> links) {
      this.pool = pool;
      this.links = links;
    }
  }

  /** Result of {@code link}. */
  public static final class LinkAnswer {
    final List<Linked> linked;

    public LinkAnswer(List<Linked> linked) {
      this.linked = linked;
    }
  }

  /** Arguments of {@code unlink}. */
  public static final class UnlinkCall {
    public final String pool;
    public final List<AgentBlock> blocks;

    /**
     * The task that rolls back its own writes; null removes the replicas regardless of their
     * writer.
     */
    public final String writer;

    public UnlinkCall(String pool, List<AgentBlock> blocks, String writer) {
      this.pool = pool;
      this.blocks = blocks;
      this.writer = writer;
    }
  }

  /** Arguments of {@code reserve}. */
  public static final class ReserveCall {
    public final String pool;
    public final AgentBlock block;

    /** The task that is about to write the block: any text that is unique to it. */
    public final String writer;

    public ReserveCall(String pool, AgentBlock block, String writer) {
      this.pool = pool;
      this.block = block;
      this.writer = writer;
    }
  }

  /** Result of {@code unlink}. */
  public static final class UnlinkAnswer {
    final int removed;

    public UnlinkAnswer(int removed) {
      this.removed = removed;
    }
  }

  /** Arguments of {@code checksum}. */
  public static final class ChecksumCall {
    public final String pool;
    public final AgentBlock block;
    public final long offset;

    /** Number of bytes to read; 0 for all bytes from the offset. */
    public final long bytes;

    public final boolean sync;

    public ChecksumCall(String pool, AgentBlock block, long offset, long bytes, boolean sync) {
      this.pool = pool;
      this.block = block;
      this.offset = offset;
      this.bytes = bytes;
      this.sync = sync;
    }
  }

  /** Arguments of {@code claim}. */
  public static final class ClaimCall {
    public final String pool;
    public final AgentBlock block;

    ClaimCall(String pool, AgentBlock block) {
      this.pool = pool;
      this.block = block;
    }
  }

  /** Arguments of {@code quarantine}. */
  public static final class QuarantineCall {
    public final String pool;
    public final AgentBlock block;
    public final boolean remove;

    QuarantineCall(String pool, AgentBlock block, boolean remove) {
      this.pool = pool;
      this.block = block;
      this.remove = remove;
    }
  }

  /** Arguments of {@code encode}. */
  public static final class EncodeCall {
    /** Any text that is unique to the task: a repeated call with it begins no second task. */
    public final String ticket;

    public final EncodeRequest request;

    public EncodeCall(String ticket, EncodeRequest request) {
      this.ticket = ticket;
      this.request = request;
    }
  }

  /** Arguments of {@code poll}, result of {@code encode}. */
  public static final class TaskCall {
    public final long task;
    public final long waitMillis;

    public TaskCall(long task, long waitMillis) {
      this.task = task;
      this.waitMillis = waitMillis;
    }
  }

  /** Arguments of {@code cancel}: a task, or a prefix of tickets. */
  public static final class CancelCall {
    public final long task;
    public final String ticket;

    CancelCall(long task, String ticket) {
      this.task = task;
      this.ticket = ticket;
    }
  }

  /** Result of {@code cancel}. */
  public static final class CancelAnswer {
    /** The tasks of the ticket; they may take some seconds to end. */
    final List<Long> tasks;

    public CancelAnswer(List<Long> tasks) {
      this.tasks = tasks;
    }
  }

  /** A request for any method. */
  static final class Request {
    final String method;
    final Object arguments;

    Request(String method, Object arguments) {
      this.method = method;
      this.arguments = arguments;
    }
  }

  /** A reply of any method. */
  public static final class Envelope {
    final JsonElement answer;
    public final Failure error;

    public Envelope(JsonElement answer, Failure error) {
      this.answer = answer;
      this.error = error;
    }
  }

  /** The serialized form of an {@link AgentException}. */
  public static final class Failure {
    final String kind;
    public final String message;

    public Failure(String kind, String message) {
      this.kind = kind;
      this.message = message;
    }
  }

  /** An empty message. */
  public static final class Empty {}
}
