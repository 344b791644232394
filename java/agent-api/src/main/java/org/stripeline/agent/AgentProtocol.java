// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSelector;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.KerberosInfo;
import org.apache.hadoop.security.token.TokenInfo;
import org.apache.hadoop.thirdparty.protobuf.BytesValue;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/**
 * What travels to an agent, through the IPC server of its DataNode.
 *
 * <p>There is one call, whose request and reply are JSON, so that a driver and an agent of
 * different versions can tell each other what they do not know, instead of failing to read each
 * other. The JSON is carried in a message of protobuf's own, so no code has to be generated.
 */
@ProtocolInfo(protocolName = AgentProtocol.NAME, protocolVersion = AgentProtocol.CALL_VERSION)
@TokenInfo(BlockTokenSelector.class)
@KerberosInfo(serverPrincipal = DFSConfigKeys.DFS_DATANODE_KERBEROS_PRINCIPAL_KEY)
public interface AgentProtocol {
  /** The name under which the DataNode's IPC server knows it: this interface's. */
  String NAME = "org.stripeline.agent.AgentProtocol";

  /**
   * The version of the call below, as Hadoop's RPC knows it. Where it differs, agents cannot even
   * be asked about themselves, so only another form of the call changes it.
   */
  long CALL_VERSION = 2;

  /** The number of the methods and their messages; a change that old ones cannot take adds 1. */
  int NUMBER = 3;

  /**
   * Calls a method.
   *
   * @param controller not used
   * @param request a JSON object with {@code method}, a name of {@link AgentMethod}, and {@code
   *     arguments}, an object
   * @return a JSON object with either {@code answer} or {@code error} of {@code kind} and {@code
   *     message}
   * @throws ServiceException if the call did not get a reply of that form; the cause says why
   */
  BytesValue call(RpcController controller, BytesValue request) throws ServiceException;
}
