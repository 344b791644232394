// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.BadReplica;
import org.stripeline.placement.group.PlacementException;

class BadReplicasTest {
  private final BadReplicas bad = new BadReplicas();

  private String[] others(String... holders) throws PlacementException {
    DatanodeInfo[] nodes =
        Arrays.stream(holders)
            .map(uuid -> new DatanodeInfoBuilder().setDatanodeUuid(uuid).build())
            .toArray(DatanodeInfo[]::new);
    DatanodeInfo[] good = bad.others(0, new LocatedBlock(new ExtendedBlock("pool", 7), nodes));
    return Arrays.stream(good).map(DatanodeInfo::getDatanodeUuid).toArray(String[]::new);
  }

  private void found(String uuid) {
    assertThat(bad.add(Arrays.asList(new BadReplica(0, uuid)))).isTrue();
  }

  @Test
  void badReplicasAreNotUsed() throws Exception {
    assertThat(others("a", "b", "c")).containsExactly("a", "b", "c");
    found("b");
    assertThat(others("a", "b", "c")).containsExactly("a", "c");
  }

  @Test
  void laterReplicasAreUsedWhileNoneIsBad() throws Exception {
    others("a", "b", "c");
    assertThat(others("a", "d")).containsExactly("a", "d");
  }

  /** DataNodes in maintenance may have the right ones, and one that is left the wrong one. */
  @Test
  void replicasThatAreNotNamedAnyMoreKeepTheirVotes() throws Exception {
    others("a", "b", "c");
    assertThat(others("a")).containsExactly("a");
    assertThat(voters()).containsExactly("a", "b", "c");
    found("b");
    assertThat(voters()).containsExactly("a", "c");
  }

  private String[] voters() {
    return bad.voters(0).stream().map(DatanodeInfo::getDatanodeUuid).toArray(String[]::new);
  }

  /** HDFS replicates the one replica that it considers good, regardless of its bytes. */
  @Test
  void laterReplicasDoNotReplaceBadOnes() throws Exception {
    others("a", "b", "c");
    found("a");
    assertThat(others("b", "c", "d")).containsExactly("b", "c");
    found("b");
    found("c");
    assertThatThrownBy(() -> others("c", "d", "e"))
        .isInstanceOf(PlacementException.class)
        .hasMessageContaining("known to be correct");
  }
}
