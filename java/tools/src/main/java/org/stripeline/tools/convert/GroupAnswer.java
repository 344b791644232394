// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import com.google.gson.Gson;
import org.stripeline.server.agent.EncodeResult;

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

  GroupAnswer(int number) {
    this.number = number;
  }

  static GroupAnswer failed(GroupOrder order, String reason) {
    GroupAnswer answer = new GroupAnswer(order.number);
    answer.error = reason;
    return answer;
  }

  static GroupAnswer parse(String json) {
    return GSON.fromJson(json, GroupAnswer.class);
  }

  String toJson() {
    return GSON.toJson(this);
  }
}
