// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import java.util.List;

/** Arguments and answers of the protocol's methods, as JSON. Unknown fields are ignored. */
final class Messages {
  /** Reads and writes them; null fields are left out. */
  static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

  private Messages() {}

  /** Arguments of {@code link}. */
  static final class LinkCall {
    final String pool;
    final List<Link> links;

    LinkCall(String pool, List<Link> links) {
      this.pool = pool;
      this.links = links;
    }
  }

  /** Answer of {@code link}. */
  static final class LinkAnswer {
    final List<Linked> linked;

    LinkAnswer(List<Linked> linked) {
      this.linked = linked;
    }
  }

  /** Arguments of {@code unlink}. */
  static final class UnlinkCall {
    final String pool;
    final List<AgentBlock> blocks;

    /** The task that takes back what it has written; null removes whatever is there. */
    final String writer;

    UnlinkCall(String pool, List<AgentBlock> blocks, String writer) {
      this.pool = pool;
      this.blocks = blocks;
      this.writer = writer;
    }
  }

  /** Arguments of {@code reserve}. */
  static final class ReserveCall {
    final String pool;
    final AgentBlock block;

    /** The task that is about to write the block: any text that only it has. */
    final String writer;

    ReserveCall(String pool, AgentBlock block, String writer) {
      this.pool = pool;
      this.block = block;
      this.writer = writer;
    }
  }

  /** Answer of {@code unlink}. */
  static final class UnlinkAnswer {
    final int removed;

    UnlinkAnswer(int removed) {
      this.removed = removed;
    }
  }

  /** Arguments of {@code checksum}. */
  static final class ChecksumCall {
    final String pool;
    final AgentBlock block;
    final long offset;

    /** How many to read; 0 stands for all from the offset on. */
    final long bytes;

    final boolean sync;

    ChecksumCall(String pool, AgentBlock block, long offset, long bytes, boolean sync) {
      this.pool = pool;
      this.block = block;
      this.offset = offset;
      this.bytes = bytes;
      this.sync = sync;
    }
  }

  /** Arguments of {@code claim}. */
  static final class ClaimCall {
    final String pool;
    final AgentBlock block;

    ClaimCall(String pool, AgentBlock block) {
      this.pool = pool;
      this.block = block;
    }
  }

  /** Arguments of {@code encode}. */
  static final class EncodeCall {
    /** Any text that is only used once: a call that is repeated begins no second task. */
    final String ticket;

    final EncodeRequest request;

    EncodeCall(String ticket, EncodeRequest request) {
      this.ticket = ticket;
      this.request = request;
    }
  }

  /** Arguments of {@code poll}, answer of {@code encode}. */
  static final class TaskCall {
    final long task;
    final long patienceMillis;

    TaskCall(long task, long patienceMillis) {
      this.task = task;
      this.patienceMillis = patienceMillis;
    }
  }

  /** Arguments of {@code cancel}: a task, or a ticket and all that begin with it. */
  static final class CancelCall {
    final long task;
    final String ticket;

    CancelCall(long task, String ticket) {
      this.task = task;
      this.ticket = ticket;
    }
  }

  /** Answer of {@code cancel}. */
  static final class CancelAnswer {
    /** The tasks of the ticket; they may take some seconds to end. */
    final List<Long> tasks;

    CancelAnswer(List<Long> tasks) {
      this.tasks = tasks;
    }
  }

  /** What is sent, whatever the method. */
  static final class Request {
    final String method;
    final Object arguments;

    Request(String method, Object arguments) {
      this.method = method;
      this.arguments = arguments;
    }
  }

  /** What comes back, whatever the method. */
  static final class Envelope {
    final JsonElement answer;
    final Failure error;

    Envelope(JsonElement answer, Failure error) {
      this.answer = answer;
      this.error = error;
    }
  }

  /** An {@link AgentException} on its way. */
  static final class Failure {
    final String kind;
    final String message;

    Failure(String kind, String message) {
      this.kind = kind;
      this.message = message;
    }
  }

  /** Nothing. */
  static final class Empty {}
}
