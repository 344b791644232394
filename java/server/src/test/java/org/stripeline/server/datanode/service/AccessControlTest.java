// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentException;

class AccessControlTest {
  private static UserGroupInformation user(String name, String... groups) {
    return UserGroupInformation.createUserForTesting(name, groups);
  }

  private static AccessControl callers() throws IOException {
    Configuration conf = new Configuration(false);
    conf.set("dfs.permissions.superusergroup", "wheel");
    // Hadoop shows these users its web pages, and gives them no rights to files.
    conf.set("dfs.cluster.administrators", "dora admins");
    // Callers are checked even if file permissions are disabled.
    conf.setBoolean("dfs.permissions.enabled", false);
    return new AccessControl(conf);
  }

  @Test
  void superusersAreServed() throws Exception {
    AccessControl callers = callers();
    assertThatCode(() -> callers.check(UserGroupInformation.getCurrentUser()))
        .doesNotThrowAnyException();
    String own = UserGroupInformation.getCurrentUser().getShortUserName();
    assertThatCode(() -> callers.check(user(own, "users"))).doesNotThrowAnyException();
    assertThatCode(() -> callers.check(user("carol", "wheel"))).doesNotThrowAnyException();
  }

  @Test
  void othersAreNot() throws Exception {
    AccessControl callers = callers();
    for (UserGroupInformation other :
        new UserGroupInformation[] {
          user("alice", "users"),
          user("bob"),
          user("wheel", "users"),
          user("dora", "users"),
          user("erin", "admins")
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
    refused(
        AgentException.Kind.DENIED,
        "Cannot serve user carol: it authenticated with a token",
        () -> callers.check(holder));
  }
}
