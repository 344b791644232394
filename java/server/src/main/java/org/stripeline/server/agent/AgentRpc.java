// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RPC;

/** Which of Hadoop's RPC engines carries {@link AgentProtocol}. */
public final class AgentRpc {
  private AgentRpc() {}

  /**
   * Makes the engine for Writables that of the protocol, on either side, and loads it, without
   * which a server does not know how to read its calls. Hadoop has deprecated it and keeps it; its
   * other engine wants classes generated for the protobuf that it has shaded.
   */
  @SuppressWarnings("deprecation")
  public static void use(Configuration conf) {
    org.apache.hadoop.ipc.WritableRpcEngine.ensureInitialized();
    RPC.setProtocolEngine(
        conf, AgentProtocol.class, org.apache.hadoop.ipc.WritableRpcEngine.class);
  }
}
