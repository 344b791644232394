// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.stripeline.agent.AgentException;

/**
 * Who may call an agent: the user as whom the DataNodes run, and the superusers of HDFS; and, for
 * what {@link TokenGrant} says, whoever has a block token of one of these.
 *
 * <p>Agents touch replicas whosever files they belong to, so this also holds where the permissions
 * of files are switched off ({@code dfs.permissions.enabled}), unlike for Hadoop's own calls.
 */
final class AccessControl {
  private final String ownUser;
  private final String superGroup;
  private final AccessControlList administrators;
  private final BlockPoolTokenSecretManager keys;

  /**
   * Reads the settings; the current user is the DataNode's.
   *
   * @param keys what block tokens are checked with
   */
  AccessControl(Configuration conf, BlockPoolTokenSecretManager keys) throws IOException {
    this.keys = keys;
    // Peers are other hosts' principals of the same service: their short names agree.
    ownUser = UserGroupInformation.getCurrentUser().getShortUserName();
    superGroup =
        conf.get(
            DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_KEY,
            DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_DEFAULT);
    administrators = new AccessControlList(conf.get(DFSConfigKeys.DFS_ADMIN, " "));
  }

  /** Looks at the user whose call this thread serves. */
  TokenGrant check() throws IOException {
    UserGroupInformation caller = Server.getRemoteUser();
    if (caller == null) {
      throw new AgentException(
          AgentException.Kind.DENIED, "Cannot serve a call of which the server names no user");
    }
    return check(caller);
  }

  /**
   * Refuses a user unless it is one of these.
   *
   * @return what the user may ask for who showed a token; null for those who may ask for all
   */
  TokenGrant check(UserGroupInformation caller) throws AgentException {
    if (caller.getRealAuthenticationMethod() == AuthenticationMethod.TOKEN) {
      // Whoever may read a block of a superuser has a token in a superuser's name.
      return grant(caller);
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
    return null;
  }

  private TokenGrant grant(UserGroupInformation caller) throws AgentException {
    for (TokenIdentifier shown : caller.getTokenIdentifiers()) {
      if (shown instanceof BlockTokenIdentifier) {
        BlockTokenIdentifier token = (BlockTokenIdentifier) shown;
        // Others write block groups too, and are not to take the agent's time.
        check(UserGroupInformation.createRemoteUser(token.getUserId()));
        return new TokenGrant(token, keys);
      }
    }
    throw refusal(caller, "it showed a token that is not one of a block");
  }

  private static AgentException refusal(UserGroupInformation caller, String reason) {
    return new AgentException(
        AgentException.Kind.DENIED, "Cannot serve user " + caller.getUserName() + ": " + reason);
  }
}
