// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.apache.hadoop.security.authorize.AccessControlList;

/**
 * Who may call an agent: the user as whom the DataNodes run, and the superusers of HDFS.
 *
 * <p>Agents touch replicas whosever files they belong to, so this also holds where the permissions
 * of files are switched off ({@code dfs.permissions.enabled}), unlike for Hadoop's own calls.
 */
final class Callers {
  private final String ownUser;
  private final String superGroup;
  private final AccessControlList administrators;

  /** Reads the settings; the current user is the DataNode's. */
  Callers(Configuration conf) throws IOException {
    // Peers are other hosts' principals of the same service: their short names agree.
    ownUser = UserGroupInformation.getCurrentUser().getShortUserName();
    superGroup =
        conf.get(
            DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_KEY,
            DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_DEFAULT);
    administrators = new AccessControlList(conf.get(DFSConfigKeys.DFS_ADMIN, " "));
  }

  /** Refuses the user whose call this thread serves, unless it is one of these. */
  void check() throws IOException {
    UserGroupInformation caller = Server.getRemoteUser();
    check(caller == null ? UserGroupInformation.getCurrentUser() : caller);
  }

  /** Refuses a user unless it is one of these. */
  void check(UserGroupInformation caller) throws AgentException {
    if (caller.getRealAuthenticationMethod() == AuthenticationMethod.TOKEN) {
      // The DataNode also lets in whoever holds a block token, which every reader of a block does.
      throw refusal(caller, "it showed a token; log in with a ticket");
    }
    if (!caller.getShortUserName().equals(ownUser)
        && !Arrays.asList(caller.getGroupNames()).contains(superGroup)
        && !administrators.isUserAllowed(caller)) {
      throw refusal(
          caller,
          "it is neither "
              + ownUser
              + " nor in group "
              + superGroup
              + " nor in "
              + DFSConfigKeys.DFS_ADMIN);
    }
  }

  private static AgentException refusal(UserGroupInformation caller, String reason) {
    return new AgentException(
        AgentException.Kind.DENIED, "Cannot serve user " + caller.getUserName() + ": " + reason);
  }
}
