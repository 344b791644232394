// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Thrown if an agent cannot execute a request, or cannot be called. The kind determines the action
 * to take.
 */
public final class AgentException extends IOException {
  private static final long serialVersionUID = 1;

  private final Kind kind;
  private final transient List<BadReplica> bad;

  /** Creates an exception with a message that says what failed and why. */
  public AgentException(Kind kind, String message) {
    this(kind, message, null, Collections.emptyList());
  }

  /** Creates an exception for replicas that were found to be bad. */
  public AgentException(String message, List<BadReplica> bad) {
    this(Kind.CORRUPT, message, null, bad);
  }

  /** Creates an exception with a message that says what failed, and its cause. */
  public AgentException(Kind kind, String message, Throwable cause) {
    this(kind, message, cause, Collections.emptyList());
  }

  private AgentException(Kind kind, String message, Throwable cause, List<BadReplica> bad) {
    super(message, cause);
    this.kind = kind;
    this.bad = Collections.unmodifiableList(new ArrayList<>(bad));
  }

  /** Returns the replicas that must not be used; empty unless the kind is {@link Kind#CORRUPT}. */
  public List<BadReplica> bad() {
    return bad;
  }

  /** Returns the kind. */
  public Kind kind() {
    return kind;
  }

  /** Returns the message of an exception, or the name of its class if it has none. */
  public static String reason(Throwable why) {
    return why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
  }

  /** Returns whether something failed because a replica differs from its description. */
  public static boolean isChange(Throwable why) {
    return why instanceof AgentException && ((AgentException) why).kind == Kind.CHANGED;
  }

  /**
   * Why an agent did not execute a request. The names are part of the protocol and never change.
   */
  public enum Kind {
    /** The DataNode or a volume of it does not answer: retry later, or use another DataNode. */
    UNREACHABLE,
    /** The DataNode answers but runs no agent, or its Hadoop lacks features that an agent needs. */
    NO_AGENT,
    /** The caller is not a superuser of this cluster. */
    DENIED,
    /** The request is invalid, or unknown to this version: a retry will not help. */
    BAD_REQUEST,
    /** There are too many requests: retry later. */
    BUSY,
    /** There is no such task: it never existed, its result expired, or the agent was restarted. */
    UNKNOWN_TASK,
    /** A replica differs from its description: read the file's block locations again. */
    CHANGED,
    /** Replicas have wrong bytes: use others. A task names the replicas. */
    CORRUPT,
    /** The request was executed and failed. */
    FAILED,
    /** The NameNode does not provide what the agent needs, or does not have it yet: retry later. */
    NOT_READY,
    /** The agent is of a version without this method: upgrade it. Only clients detect this. */
    UNSUPPORTED
  }
}
