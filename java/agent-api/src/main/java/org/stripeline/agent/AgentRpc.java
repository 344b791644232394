// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;

/** Selects the Hadoop RPC engine for {@link AgentProtocol}. */
public final class AgentRpc {
  private AgentRpc() {}

  /**
   * Sets the engine of the protocol, for client or server, to the one that the DataNode's own
   * protocols use. The agent must never require another engine: a server parses requests of every
   * loaded engine, on all its ports and before it has authorized the caller.
   */
  public static void use(Configuration conf) {
    RPC.setProtocolEngine(conf, AgentProtocol.class, ProtobufRpcEngine2.class);
  }
}
