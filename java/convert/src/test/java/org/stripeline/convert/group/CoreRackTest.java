// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Test;

/** Tests the selection of hosts for the maps of groups. */
class CoreRackTest {
  private static LocatedBlock block(long id, String... places) {
    DatanodeInfo[] nodes =
        Arrays.stream(places)
            .map(
                place ->
                    new DatanodeInfo.DatanodeInfoBuilder()
                        .setHostName(place)
                        .setIpAddr("127.0.0.1")
                        .setNetworkLocation("/" + place.charAt(0))
                        .build())
            .toArray(DatanodeInfo[]::new);
    return new LocatedBlock(new ExtendedBlock("pool", id), nodes);
  }

  private static List<String> hosts(List<LocatedBlock> group) {
    return CoreRack.of(group).hosts();
  }

  @Test
  void isTheRackOfMostBlocksAndNotOfMostReplicas() {
    List<LocatedBlock> group =
        List.of(block(1, "a1", "a2", "b1"), block(2, "a1", "a2", "b2"), block(3, "c1", "b1", "c2"));
    assertThat(hosts(group)).containsExactly("b1", "b2");
  }

  @Test
  void takesTheFirstByNameOfEqualOnes() {
    assertThat(hosts(List.of(block(1, "c1", "a1", "a2")))).containsExactly("a1", "a2");
  }

  @Test
  void namesFewHostsAndNoneWhereThereAreNone() {
    String[] many = new String[20];
    Arrays.setAll(many, i -> "a" + i);
    assertThat(hosts(List.of(block(1, many)))).hasSize(CoreRack.HOSTS_MAX);
    assertThat(hosts(List.of(block(1)))).isEmpty();
    assertThat(hosts(Collections.emptyList())).isEmpty();
  }
}
