// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentMethod;

class AccessControlTest {
  private static UserGroupInformation user(String name, String... groups) {
    return UserGroupInformation.createUserForTesting(name, groups);
  }

  private static AccessControl callers() throws IOException {
    Configuration conf = new Configuration(false);
    conf.set("dfs.permissions.superusergroup", "wheel");
    conf.set("dfs.cluster.administrators", "dora admins");
    // Callers are checked even if file permissions are disabled.
    conf.setBoolean("dfs.permissions.enabled", false);
    return new AccessControl(conf, new BlockPoolTokenSecretManager());
  }

  @Test
  void superusersAreServed() throws Exception {
    AccessControl callers = callers();
    assertThatCode(() -> callers.check(UserGroupInformation.getCurrentUser()))
        .doesNotThrowAnyException();
    String own = UserGroupInformation.getCurrentUser().getShortUserName();
    assertThatCode(() -> callers.check(user(own, "users"))).doesNotThrowAnyException();
    assertThatCode(() -> callers.check(user("carol", "wheel"))).doesNotThrowAnyException();
    assertThatCode(() -> callers.check(user("dora", "users"))).doesNotThrowAnyException();
    assertThatCode(() -> callers.check(user("erin", "admins"))).doesNotThrowAnyException();
  }

  @Test
  void othersAreNot() throws Exception {
    AccessControl callers = callers();
    for (UserGroupInformation other :
        new UserGroupInformation[] {
          user("alice", "users"), user("bob"), user("wheel", "users"), user("admins", "dora")
        }) {
      refused(
          AgentException.Kind.DENIED,
          "Cannot serve user " + other.getUserName() + ": it is neither",
          () -> callers.check(other));
    }
  }

  /** Readers of a superuser's blocks have tokens in that superuser's name. */
  @Test
  void tokensDoNotMakeSuperusers() throws Exception {
    AccessControl callers = callers();
    UserGroupInformation holder = user("carol", "wheel");
    holder.setAuthenticationMethod(AuthenticationMethod.TOKEN);
    refused(AgentException.Kind.DENIED, "not a block token", () -> callers.check(holder));
    holder.addTokenIdentifier(token("carol"));
    TokenGrant grant = callers.check(holder);
    refused(
        AgentException.Kind.DENIED, "not enough for 'link'", () -> grant.check(AgentMethod.LINK));
    refused(
        AgentException.Kind.DENIED,
        "does not allow writing block 1",
        () -> grant.check(AgentMethod.ENCODE));

    user("alice", "users");
    UserGroupInformation other = user("block-token");
    other.setAuthenticationMethod(AuthenticationMethod.TOKEN);
    other.addTokenIdentifier(token("alice"));
    refused(AgentException.Kind.DENIED, "user alice: it is neither", () -> callers.check(other));
  }

  private static BlockTokenIdentifier token(String user) {
    return new BlockTokenIdentifier(
        user, "pool", 1, EnumSet.of(AccessMode.READ), null, null, false);
  }
}
