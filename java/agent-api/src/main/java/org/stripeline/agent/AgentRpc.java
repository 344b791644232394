// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;

/** Which of Hadoop's RPC engines carries {@link AgentProtocol}. */
public final class AgentRpc {
  private AgentRpc() {}

  /**
   * Sets the engine of the protocol, on either side, to the one that the DataNode's own protocols
   * use. The agent must never need another engine: a server reads the requests of every engine that
   * is loaded, on all its ports and before it knows whether the caller has any rights.
   */
  public static void use(Configuration conf) {
    RPC.setProtocolEngine(conf, AgentProtocol.class, ProtobufRpcEngine2.class);
  }
}
