// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/** What an agent says of itself. */
public final class AboutAgent {
  /** The number of the protocol that it speaks, {@link AgentProtocol#NUMBER} for this one. */
  public final int protocol;

  /** The version of Stripeline. */
  public final String version;

  /** The version of Hadoop that it runs in. */
  public final String hadoop;

  /** The identity of its DataNode. */
  public final String uuid;

  /** What codes there: native or java, version, instruction set. */
  public final String coder;

  /** Says all of it. */
  public AboutAgent(int protocol, String version, String hadoop, String uuid, String coder) {
    this.protocol = protocol;
    this.version = version;
    this.hadoop = hadoop;
    this.uuid = uuid;
    this.coder = coder;
  }
}
