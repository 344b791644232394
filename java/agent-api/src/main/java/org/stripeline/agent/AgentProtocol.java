// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.KerberosInfo;
import org.apache.hadoop.thirdparty.protobuf.BytesValue;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/**
 * The RPC protocol of an agent, served by the IPC server of its DataNode.
 *
 * <p>There is a single call, whose request and reply are JSON. A driver and an agent of different
 * versions can therefore report unknown methods and fields to each other, instead of failing to
 * parse each other's messages. The JSON is carried in one of protobuf's own message types, so no
 * code has to be generated.
 */
@ProtocolInfo(protocolName = AgentProtocol.NAME, protocolVersion = AgentProtocol.CALL_VERSION)
@KerberosInfo(serverPrincipal = DFSConfigKeys.DFS_DATANODE_KERBEROS_PRINCIPAL_KEY)
public interface AgentProtocol {
  /** The name of the protocol on the DataNode's IPC server, which is that of this interface. */
  String NAME = "org.stripeline.agent.AgentProtocol";

  /**
   * The version of the call below in Hadoop's RPC. Callers cannot even query the version of an
   * agent with another call version, so it only changes if the form of the call changes.
   */
  long CALL_VERSION = 2;

  /**
   * The version of the methods and messages; incremented by changes that older versions cannot
   * handle.
   */
  int NUMBER = 3;

  /**
   * Calls a method.
   *
   * @param controller not used
   * @param request a JSON object with {@code method}, a name of {@link AgentMethod}, and {@code
   *     arguments}, an object
   * @return a JSON object with either {@code answer} or {@code error} of {@code kind} and {@code
   *     message}
   * @throws ServiceException if the call did not get such a reply; the cause says why
   */
  BytesValue call(RpcController controller, BytesValue request) throws ServiceException;
}
