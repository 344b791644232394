// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentNode;

class AgentCompatTest {
  private static final String LOCAL = AgentNode.class.getName();

  @Test
  void thisHadoopHasAllMembers() {
    assertThat(AgentCompat.missing()).isEmpty();
  }

  @Test
  void missingMembersAreNamed() {
    assertThat(AgentCompat.missing("org.apache.hadoop.NoSuchClass", "int x"))
        .containsExactly("org.apache.hadoop.NoSuchClass");
    assertThat(
            AgentCompat.missing(
                LOCAL,
                "int ipcPort",
                "long transferPort",
                "DatanodeInfo toDatanodeInfo()",
                "DatanodeInfo toDatanodeInfo(int)"))
        .containsExactly(
            LOCAL + ": long transferPort", LOCAL + ": DatanodeInfo toDatanodeInfo(int)");
  }
}
