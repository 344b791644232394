// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

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

  /** Sets all fields. */
  public AgentInfo(int protocol, String version, String hadoop, String uuid, String coder) {
    this.protocol = protocol;
    this.version = version;
    this.hadoop = hadoop;
    this.uuid = uuid;
    this.coder = coder;
  }
}
