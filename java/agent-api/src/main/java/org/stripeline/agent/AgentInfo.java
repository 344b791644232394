// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import java.util.ArrayList;
import java.util.List;

/** The versions and identity that an agent reports. */
public final class AgentInfo {
  /** The number of the agent's protocol, {@link AgentProtocol#NUMBER} for this version. */
  public final int protocol;

  /** The version of Stripeline. */
  public final String version;

  /** The version of the Hadoop that the agent runs in. */
  public final String hadoop;

  /** The UUID of the agent's DataNode. */
  public final String uuid;

  /** The coder in use: native or java, version, instruction set. */
  public final String coder;

  /**
   * The names of the agent's methods. Null from agents that do not report them, which are older
   * than {@link AgentMethod#FINGERPRINT} and {@link AgentMethod#QUARANTINE} and have all others.
   */
  private final List<String> methods;

  /** Sets all fields; the agent has all methods of this version. */
  public AgentInfo(int protocol, String version, String hadoop, String uuid, String coder) {
    methods = new ArrayList<>();
    for (AgentMethod method : AgentMethod.values()) {
      methods.add(method.wireName());
    }
    this.protocol = protocol;
    this.version = version;
    this.hadoop = hadoop;
    this.uuid = uuid;
    this.coder = coder;
  }

  /** Returns whether the agent has a method. */
  public boolean has(AgentMethod method) {
    return methods == null
        ? method != AgentMethod.FINGERPRINT && method != AgentMethod.QUARANTINE
        : methods.contains(method.wireName());
  }
}
