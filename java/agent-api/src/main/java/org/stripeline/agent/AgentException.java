// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** An agent cannot do what it was asked for, or cannot be asked. The kind says what to do. */
public final class AgentException extends IOException {
  private static final long serialVersionUID = 1;

  private final Kind kind;
  private final transient List<BadReplica> bad;

  /** Says what cannot be done and why. */
  public AgentException(Kind kind, String message) {
    this(kind, message, null, Collections.emptyList());
  }

  /** Says that replicas were found to be bad, and which. */
  public AgentException(String message, List<BadReplica> bad) {
    this(Kind.CORRUPT, message, null, bad);
  }

  /** Says what cannot be done and what caused it. */
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

  /** Returns why something failed, in words: some exceptions only have a name. */
  public static String reason(Throwable why) {
    return why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
  }

  /** Returns whether something failed since a replica is not what it was said to be. */
  public static boolean isChange(Throwable why) {
    return why instanceof AgentException && ((AgentException) why).kind == Kind.CHANGED;
  }

  /** Why an agent did not do it. Names travel between versions: they are never changed. */
  public enum Kind {
    /** The DataNode does not answer: ask later, or another. */
    UNREACHABLE,
    /** The DataNode answers but runs no agent, or its Hadoop lacks what an agent needs. */
    NO_AGENT,
    /** The caller is no superuser of this cluster. */
    DENIED,
    /** The request is wrong, or not known to this version: asking again will not help. */
    BAD_REQUEST,
    /** Too much is asked at once: ask later. */
    BUSY,
    /** There is no such task: it never was, its result was not asked for in time, or a restart. */
    UNKNOWN_TASK,
    /** A replica is not what it was said to be: look at the file again. */
    CHANGED,
    /** The bytes of replicas are wrong: use others. A task names the replicas. */
    CORRUPT,
    /** It was tried and failed. */
    FAILED,
    /** The NameNode does not tell, or does not know yet, what the agent needs: ask later. */
    NOT_READY
  }
}
