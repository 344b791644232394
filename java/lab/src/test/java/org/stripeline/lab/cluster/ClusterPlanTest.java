// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Collections;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.stripeline.lab.cluster.ClusterDirectory.Description;

class ClusterPlanTest {
  @Test
  void aNewClusterGetsTheDefaults() throws Exception {
    Description settled = plan(ClusterOptions.builder()).settle(null);

    assertThat(settled.datanodes).isEqualTo(9);
    assertThat(settled.racks).containsExactly("/rack1", "/rack2", "/rack3");
    assertThat(settled.port).isZero();
  }

  @Test
  void omittedOptionsComeFromTheDirectory() throws Exception {
    Description kept = kept();
    Description settled = plan(ClusterOptions.builder().webPort(7000)).settle(kept);

    assertThat(settled.datanodes).isEqualTo(5);
    assertThat(settled.racks).containsExactly("/a", "/b");
    assertThat(settled.port).isEqualTo(6000);
    assertThat(settled.webPort).isEqualTo(7000);
  }

  @Test
  void aClusterGrowsButDoesNotShrink() throws Exception {
    assertThat(plan(ClusterOptions.builder().datanodes(6)).settle(kept()).datanodes).isEqualTo(6);
    assertThatThrownBy(() -> plan(ClusterOptions.builder().datanodes(4)).settle(kept()))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("the directory holds 5 DataNodes, and fewer (4)");
  }

  @Test
  void everyDataNodeHasAnAddressAndItsRack() {
    Configuration conf = new Configuration(false);
    conf.setStrings(RackTable.RACKS_KEY, "/a", "/b");
    RackTable table = new RackTable();
    table.setConf(conf);

    assertThat(RackTable.address(1)).isEqualTo("127.0.0.11");
    assertThat(table.resolve(Arrays.asList("127.0.0.11", "127.0.0.12", "127.0.0.13")))
        .containsExactly("/a", "/b", "/a");
    assertThat(table.resolve(Arrays.asList("127.0.0.1", "10.0.0.1", "name")))
        .containsOnly("/default-rack");
    assertThat(table.resolve(Collections.emptyList())).isEmpty();
  }

  private static ClusterPlan plan(ClusterOptions.Builder options) {
    return ClusterPlan.of(options.build(), null);
  }

  private static Description kept() {
    Description kept = new Description();
    kept.datanodes = 5;
    kept.racks.addAll(Arrays.asList("/a", "/b"));
    kept.port = 6000;
    kept.webPort = 6001;
    return kept;
  }
}
