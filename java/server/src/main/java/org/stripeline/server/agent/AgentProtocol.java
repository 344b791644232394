// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import java.io.IOException;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSelector;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.KerberosInfo;
import org.apache.hadoop.security.token.TokenInfo;

/**
 * What travels to an agent, through the IPC server of its DataNode.
 *
 * <p>There is one call, whose method and arguments are text, so that a driver and an agent of
 * different versions can tell each other what they do not know, instead of failing to read each
 * other. It is {@code Text} since Hadoop's engine cuts a {@code String} after 21,845 characters.
 */
@ProtocolInfo(protocolName = AgentProtocol.NAME, protocolVersion = 1)
@TokenInfo(BlockTokenSelector.class)
@KerberosInfo(serverPrincipal = DFSConfigKeys.DFS_DATANODE_KERBEROS_PRINCIPAL_KEY)
public interface AgentProtocol {
  /** The name under which the DataNode's IPC server knows it: this interface's. */
  String NAME = "org.stripeline.server.agent.AgentProtocol";

  /** The number of the methods and messages below; a change that old ones cannot take adds 1. */
  int NUMBER = 1;

  /**
   * Calls a method.
   *
   * @param method a name of {@link AgentMethod}
   * @param arguments a JSON object
   * @return a JSON object with either {@code answer} or {@code error} of {@code kind} and {@code
   *     message}
   * @throws IOException if there is no telling the caller in that form
   */
  Text call(Text method, Text arguments) throws IOException;
}
