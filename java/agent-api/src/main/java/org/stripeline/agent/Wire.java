// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import com.google.gson.JsonParseException;
import com.google.gson.stream.JsonReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.BytesValue;

/**
 * Encodes requests and replies as JSON in UTF-8. Received messages are first scanned without
 * recursion and within limits, so that converting them to objects afterwards can neither overflow
 * the stack nor take much more memory than the message itself.
 */
public final class Wire {
  /**
   * Maximum bytes of a request. 10,000 links have about 2 MB, and a group of 16 blocks with 512
   * replicas each, the default limit of HDFS, about 3 MB.
   */
  public static final int REQUEST_MAX = 4 << 20;

  /** Maximum blocks to link or unlink in one call; callers split larger lists. */
  public static final int BLOCKS_MAX = 10_000;

  /** Maximum depth of nested objects and arrays; an encode request has 7. */
  public static final int DEPTH_MAX = 16;

  /** Maximum characters of a string. */
  static final int TEXT_MAX = 64 << 10;

  /** Maximum number of values of any type; 10,000 links have 90,000. */
  public static final int VALUES_MAX = 200_000;

  private static final String METHOD = "method";
  private static final String ARGUMENTS = "arguments";

  private Wire() {}

  /** Encodes a request. */
  static BytesValue request(AgentMethod method, Object arguments) {
    return bytes(new Messages.Request(method.wireName(), arguments));
  }

  /** Encodes a reply. */
  public static BytesValue reply(Messages.Envelope envelope) {
    return bytes(envelope);
  }

  private static BytesValue bytes(Object message) {
    return BytesValue.newBuilder()
        .setValue(ByteString.copyFromUtf8(Messages.JSON.toJson(message)))
        .build();
  }

  /** Refuses a request that is too large, or is not valid JSON within the limits. */
  public static void check(BytesValue request) throws AgentException {
    int size = request.getValue().size();
    if (size > REQUEST_MAX) {
      throw refusal("it has " + size + " bytes; at most " + REQUEST_MAX + " are read");
    }
    try {
      walk(reader(request), TEXT_MAX, VALUES_MAX);
    } catch (IOException | RuntimeException e) {
      throw malformed(e);
    }
  }

  /** Returns the method name of a request that has been checked. */
  public static String method(BytesValue request) throws AgentException {
    String method = read(request, METHOD, String.class);
    if (method == null) {
      throw refusal("it names no method");
    }
    return method;
  }

  /** Decodes the arguments of a request that has been checked. */
  public static <T> T arguments(BytesValue request, Class<T> type) throws AgentException {
    T arguments = read(request, ARGUMENTS, type);
    if (arguments == null) {
      throw refusal("there are no arguments");
    }
    return arguments;
  }

  /**
   * Decodes a reply, whose error messages can be long.
   *
   * @throws JsonParseException if it is not a valid reply
   */
  public static Messages.Envelope envelope(BytesValue reply) {
    try {
      walk(reader(reply), Integer.MAX_VALUE, Integer.MAX_VALUE);
      return Messages.JSON.getAdapter(Messages.Envelope.class).read(reader(reply));
    } catch (IOException | IllegalStateException e) {
      throw new JsonParseException(e);
    }
  }

  private static <T> T read(BytesValue request, String field, Class<T> type) throws AgentException {
    try {
      JsonReader in = reader(request);
      in.beginObject();
      while (in.hasNext()) {
        if (in.nextName().equals(field)) {
          return Messages.JSON.getAdapter(type).read(in);
        }
        in.skipValue();
      }
      return null;
    } catch (IOException | RuntimeException e) {
      throw malformed(e);
    }
  }

  /** Returns a strict JSON reader, unlike the lenient one of {@code Gson.fromJson}. */
  private static JsonReader reader(BytesValue message) {
    return new JsonReader(
        new InputStreamReader(message.getValue().newInput(), StandardCharsets.UTF_8));
  }

  private static void walk(JsonReader in, int textMax, int valuesMax) throws IOException {
    int depth = 0;
    for (int values = 0; ; ) {
      switch (in.peek()) {
        case BEGIN_ARRAY:
          in.beginArray();
          depth++;
          values++;
          break;
        case BEGIN_OBJECT:
          in.beginObject();
          depth++;
          values++;
          break;
        case END_ARRAY:
          in.endArray();
          depth--;
          break;
        case END_OBJECT:
          in.endObject();
          depth--;
          break;
        case NAME:
          checkText(in.nextName(), textMax);
          break;
        case END_DOCUMENT:
          return;
        case STRING:
          checkText(in.nextString(), textMax);
          values++;
          break;
        default:
          in.skipValue();
          values++;
          break;
      }
      if (depth > DEPTH_MAX) {
        throw new IOException("more than " + DEPTH_MAX + " nested objects and arrays");
      }
      if (values > valuesMax) {
        throw new IOException("more than " + valuesMax + " values");
      }
    }
  }

  private static void checkText(String text, int most) throws IOException {
    if (text.length() > most) {
      throw new IOException(
          "a text of " + text.length() + " characters; at most " + most + " are read");
    }
  }

  private static AgentException malformed(Exception why) {
    return refusal("its form is invalid: " + AgentException.reason(why));
  }

  private static AgentException refusal(String why) {
    return new AgentException(AgentException.Kind.BAD_REQUEST, "Cannot read the request: " + why);
  }
}
