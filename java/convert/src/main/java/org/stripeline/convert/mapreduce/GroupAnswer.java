// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import com.google.gson.Gson;
import java.io.IOException;
import org.stripeline.convert.job.Reasons;

/** The result of a map: one line of JSON in the output of its MapReduce job. */
final class GroupAnswer {
  private static final Gson GSON = new Gson();

  /** Number of the order in its MapReduce job. */
  final int number;

  /** Path of the part that was written. */
  String part;

  /** Reason for a failure, or null. */
  String error;

  GroupAnswer(int number) {
    this.number = number;
  }

  static GroupAnswer failed(GroupOrder order, Exception cause) {
    GroupAnswer answer = new GroupAnswer(order.number);
    answer.error = Reasons.of(cause);
    return answer;
  }

  /** Returns the exception for the driver. */
  IOException failure() {
    return new IOException(error);
  }

  static GroupAnswer parse(String json) {
    return GSON.fromJson(json, GroupAnswer.class);
  }

  String toJson() {
    return GSON.toJson(this);
  }
}
