// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.blockmanagement.EarPlacementPolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.EarStripedPlacementPolicy;
import org.junit.jupiter.api.Test;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.server.namenode.EarKeys;

/** Tests which rule for racks the settings of a NameNode mean for the groups of a file. */
class RackRulesTest {
  private static final CodeShape SHAPE = CodeShape.ofDataAndParity(6, 3);
  private static final int RACKS = 20;
  private static final String OF_HDFS = RackRule.even(SHAPE, RACKS).toString();

  private static Configuration placing(int blocksPerRack, int targetRacks) {
    Configuration conf = new Configuration(false);
    conf.set("dfs.block.replicator.classname", EarPlacementPolicy.class.getName());
    conf.set(EarKeys.DIRECTORIES, "/warm");
    conf.setInt(EarKeys.BLOCKS_PER_RACK, blocksPerRack);
    conf.setInt(EarKeys.TARGET_RACKS, targetRacks);
    return conf;
  }

  private static Configuration keeping(int blocksPerRack, int targetRacks) {
    Configuration conf = placing(blocksPerRack, targetRacks);
    conf.set("dfs.block.placement.ec.classname", EarStripedPlacementPolicy.class.getName());
    return conf;
  }

  private static String rule(RackRules rules, String file, int dataBlocks) {
    return rules.rule(file, SHAPE, dataBlocks, RACKS).toString();
  }

  @Test
  void whatTheNameNodeKeepsIsTheRuleOfFullGroupsInItsDirectories() {
    RackRules rules = RackRules.of(keeping(3, 4), false);
    assertThat(rule(rules, "/warm/a", 6)).isEqualTo("at most 3 per rack, 4 target racks");
    assertThat(rule(rules, "/warm/a", 5)).isEqualTo(OF_HDFS);
    assertThat(rule(rules, "/cold/a", 6)).isEqualTo(OF_HDFS);
    CodeShape other = CodeShape.ofDataAndParity(10, 4);
    assertThat(rules.rule("/warm/a", other, 10, RACKS).toString())
        .isEqualTo(RackRule.even(other, RACKS).toString());

    assertThat(rules.obstacle("/warm", SHAPE, RACKS)).isNull();
    assertThat(rules.describe("/warm", SHAPE, RACKS))
        .contains("at most 3 per rack, in 4 racks")
        .contains("instead of HDFS's own, by which a group is in 9 racks");
    assertThat(rules.describe("/", SHAPE, RACKS)).isNotNull();
    assertThat(rules.describe("/cold", SHAPE, RACKS)).isNull();
    assertThat(rules.obstacle("/warm", other, RACKS)).contains("another code");
  }

  @Test
  void otherwiseGroupsUseAsManyRacksAsHdfsWants() {
    RackRules rules = RackRules.of(placing(3, 4), false);
    assertThat(rule(rules, "/warm/a", 6)).isEqualTo("at most 3 per rack, spread");
    assertThat(rules.obstacle("/warm", SHAPE, RACKS))
        .contains("moves blocks until a group is in 9 racks")
        .contains("dfs.block.placement.ec.classname=" + EarStripedPlacementPolicy.class.getName());
    assertThat(rules.describe("/warm", SHAPE, RACKS))
        .isEqualTo(rules.obstacle("/warm", SHAPE, RACKS));
  }

  @Test
  void rulesThatImplyThatOfHdfsAreNotWorthAWord() {
    for (Configuration conf : new Configuration[] {placing(1, 0), keeping(1, 0), placing(0, 0)}) {
      RackRules rules = RackRules.of(conf, false);
      assertThat(rule(rules, "/warm/a", 6)).isEqualTo(OF_HDFS);
      assertThat(rules.describe("/warm", SHAPE, RACKS)).isNull();
    }
  }

  @Test
  void rulesThatRiskDataOrCannotBeFollowedAreNotFollowed() {
    RackRules crowded = RackRules.of(keeping(5, 2), false);
    assertThat(rule(crowded, "/warm/a", 6)).isEqualTo(OF_HDFS);
    assertThat(crowded.obstacle("/warm", SHAPE, RACKS)).contains("--allow-rack-loss");
    RackRules allowed = RackRules.of(keeping(5, 2), true);
    assertThat(rule(allowed, "/warm/a", 6)).isEqualTo("at most 5 per rack, 2 target racks");
    RackRules narrow = RackRules.of(keeping(1, 0), false);
    assertThat(narrow.rule("/warm/a", SHAPE, 6, 5).toString())
        .isEqualTo(RackRule.even(SHAPE, 5).toString());
    assertThat(narrow.obstacle("/warm", SHAPE, 5)).contains("5 racks do not hold a group");
  }

  @Test
  void nameNodesWithoutOurPolicyOrWithInvalidSettingsFollowHdfs() {
    Configuration stock = placing(3, 4);
    stock.unset("dfs.block.replicator.classname");
    assertThat(RackRules.of(stock, false)).isSameAs(RackRules.OF_HDFS);
    assertThat(RackRules.of(keeping(1, 4), false)).isSameAs(RackRules.OF_HDFS);
    assertThat(RackRules.OF_HDFS.describe("/warm", SHAPE, RACKS)).isNull();
  }
}
