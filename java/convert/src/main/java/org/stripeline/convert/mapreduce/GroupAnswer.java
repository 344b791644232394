// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import com.google.gson.Gson;
import java.io.IOException;
import java.util.List;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BadReplica;
import org.stripeline.agent.EncodeResult;
import org.stripeline.convert.job.Reasons;

/** The result of a map: one line of JSON in the output of its MapReduce job. */
final class GroupAnswer {
  private static final Gson GSON = new Gson();

  /** Number of the order in its MapReduce job. */
  final int number;

  /** Path of the part that was written. */
  String part;

  /** Result of the agent. */
  EncodeResult encoded;

  /** Reason for a failure, or null. */
  String error;

  /** Kind of the failure if an agent failed, or null. */
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

  /** Returns the exception for the driver. */
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
