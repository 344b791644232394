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

    UnlinkCall(String pool, List<AgentBlock> blocks) {
      this.pool = pool;
      this.blocks = blocks;
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

    ChecksumCall(String pool, AgentBlock block) {
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

  /** Arguments of {@code poll} and {@code cancel}, answer of {@code encode}. */
  static final class TaskCall {
    final long task;
    final long patienceMillis;

    TaskCall(long task, long patienceMillis) {
      this.task = task;
      this.patienceMillis = patienceMillis;
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
