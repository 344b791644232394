// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

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
 * Decides which users may call an agent: the user that runs the DataNodes, and the superusers of
 * HDFS. Holders of a block token of such a user may make the calls that {@link TokenGrant} allows.
 *
 * <p>Agents access replicas regardless of the owners of files. The check therefore applies even if
 * file permissions are disabled ({@code dfs.permissions.enabled}), unlike for Hadoop's own calls.
 */
final class AccessControl {
  private final String ownUser;
  private final String superGroup;
  private final AccessControlList administrators;
  private final BlockPoolTokenSecretManager keys;

  /**
   * Reads the settings; the current user is the DataNode's.
   *
   * @param keys verifies block tokens
   */
  AccessControl(Configuration conf, BlockPoolTokenSecretManager keys) throws IOException {
    this.keys = keys;
    // Other DataNodes use principals of the same service on other hosts, with the same short name.
    ownUser = UserGroupInformation.getCurrentUser().getShortUserName();
    superGroup =
        conf.get(
            DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_KEY,
            DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_DEFAULT);
    administrators = new AccessControlList(conf.get(DFSConfigKeys.DFS_ADMIN, " "));
  }

  /** Checks the user of the call that this thread serves. */
  TokenGrant check() throws IOException {
    UserGroupInformation caller = Server.getRemoteUser();
    if (caller == null) {
      throw new AgentException(AgentException.Kind.DENIED, "Cannot serve a call without a user");
    }
    return check(caller);
  }

  /**
   * Refuses users without access.
   *
   * @return the rights of a caller that authenticated by token; null for callers with all rights
   */
  TokenGrant check(UserGroupInformation caller) throws AgentException {
    if (caller.getRealAuthenticationMethod() == AuthenticationMethod.TOKEN) {
      // Readers of a superuser's blocks have tokens in that superuser's name, so the user name
      // alone is not enough.
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
        // Other users write block groups too, but must not use the agent's resources.
        check(UserGroupInformation.createRemoteUser(token.getUserId()));
        return new TokenGrant(token, keys);
      }
    }
    throw refusal(caller, "its token is not a block token");
  }

  private static AgentException refusal(UserGroupInformation caller, String reason) {
    return new AgentException(
        AgentException.Kind.DENIED, "Cannot serve user " + caller.getUserName() + ": " + reason);
  }
}
