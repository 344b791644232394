// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One request and its answer, each one line of JSON on a separate loopback connection.
 *
 * <p>Every request carries the token of the run directory, which only its owner can read: other
 * users of the machine can connect to the port but cannot control the cluster.
 */
final class ControlMessage {
  /** Metrics may be NaN, which strict JSON does not support. */
  static final Gson GSON = new GsonBuilder().serializeSpecialFloatingPointValues().create();

  /** Maximum length of a line; a status of 200 DataNodes is about 60 KiB. */
  static final int LINE_BYTES_MAX = 4 << 20;

  private ControlMessage() {}

  /** A request. */
  static final class Request {
    String token;
    String command;
    List<String> arguments = new ArrayList<>();

    static Request of(String token, String command, String... arguments) {
      Request request = new Request();
      request.token = token;
      request.command = command;
      request.arguments.addAll(Arrays.asList(arguments));
      return request;
    }
  }

  /** An answer: a result, or the text of an error. */
  static final class Answer {
    JsonElement result;
    String error;

    static Answer of(Object result) {
      Answer answer = new Answer();
      answer.result = GSON.toJsonTree(result);
      return answer;
    }

    static Answer failure(String text) {
      Answer answer = new Answer();
      answer.error = text;
      return answer;
    }
  }
}
