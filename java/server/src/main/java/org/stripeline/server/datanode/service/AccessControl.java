// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.stripeline.agent.AgentException;

/**
 * Decides which users may call an agent: the user that runs the DataNodes, and the superusers of
 * HDFS. Callers that authenticated with a token are refused regardless of its owner.
 *
 * <p>Agents access replicas regardless of the owners of files. The check therefore applies even if
 * file permissions are disabled ({@code dfs.permissions.enabled}), unlike for Hadoop's own calls.
 */
final class AccessControl {
  private final String ownUser;
  private final String superGroup;

  /** Reads the settings; the current user is the DataNode's. */
  AccessControl(Configuration conf) throws IOException {
    // Other DataNodes use principals of the same service on other hosts, with the same short name.
    ownUser = UserGroupInformation.getCurrentUser().getShortUserName();
    superGroup =
        conf.get(
            DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_KEY,
            DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_DEFAULT);
  }

  /** Checks the user of the call that this thread serves. */
  void check() throws IOException {
    UserGroupInformation caller = Server.getRemoteUser();
    if (caller == null) {
      throw new AgentException(AgentException.Kind.DENIED, "Cannot serve a call without a user");
    }
    check(caller);
  }

  /** Refuses users without access. */
  void check(UserGroupInformation caller) throws AgentException {
    if (caller.getRealAuthenticationMethod() == AuthenticationMethod.TOKEN) {
      // The IPC server accepts block tokens, and readers of a superuser's blocks have some in that
      // superuser's name.
      throw refusal(caller, "it authenticated with a token, which gives no right to call agents");
    }
    if (!caller.getShortUserName().equals(ownUser)
        && !Arrays.asList(caller.getGroupNames()).contains(superGroup)) {
      throw refusal(caller, "it is neither " + ownUser + " nor in group " + superGroup);
    }
  }

  private static AgentException refusal(UserGroupInformation caller, String reason) {
    return new AgentException(
        AgentException.Kind.DENIED, "Cannot serve user " + caller.getUserName() + ": " + reason);
  }
}
