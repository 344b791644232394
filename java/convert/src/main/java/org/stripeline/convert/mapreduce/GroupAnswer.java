// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import com.google.gson.Gson;
import java.io.IOException;
import java.util.List;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BadReplica;
import org.stripeline.agent.EncodeResult;
import org.stripeline.convert.job.Reasons;

/** What a map has done: one line of JSON in its job's output. */
final class GroupAnswer {
  private static final Gson GSON = new Gson();

  /** Number of the order within its job. */
  final int number;

  /** Path of the part that was written. */
  String part;

  /** What the agent has done. */
  EncodeResult encoded;

  /** Why nothing came of it, else null. */
  String error;

  /** Of what kind that is if it was an agent that failed, else null. */
  AgentException.Kind agentError;

  /** Replicas that the agent found to be bad, or null. */
  List<BadReplica> bad;

  GroupAnswer(int number) {
    this.number = number;
  }

  static GroupAnswer failed(GroupOrder order, IOException cause) {
    GroupAnswer answer = new GroupAnswer(order.number);
    answer.error = Reasons.of(cause);
    if (cause instanceof AgentException) {
      answer.agentError = ((AgentException) cause).kind();
      answer.bad = ((AgentException) cause).bad();
    }
    return answer;
  }

  /** What its driver throws for it. */
  IOException failure() {
    if (bad != null && !bad.isEmpty()) {
      return new AgentException(error, bad);
    }
    return agentError == null ? new IOException(error) : new AgentException(agentError, error);
  }

  static GroupAnswer parse(String json) {
    return GSON.fromJson(json, GroupAnswer.class);
  }

  String toJson() {
    return GSON.toJson(this);
  }
}
