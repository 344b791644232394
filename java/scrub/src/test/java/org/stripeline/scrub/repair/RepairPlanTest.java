// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentException;
import org.stripeline.natives.codec.Code;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.FakeGroup;
import org.stripeline.scrub.check.GroupCheck;
import org.stripeline.scrub.check.Layout;

/** Which groups are left as they are. */
class RepairPlanTest {
  private static final Layout LAYOUT = Layout.striped(Code.RS, 3, 2, 4096);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private FakeGroup group;

  @BeforeEach
  void write() throws IOException {
    group = FakeGroup.striped(LAYOUT, 3 * 4096);
  }

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private RepairPlan plan(boolean trustsData) throws IOException {
    return RepairPlan.of(new GroupCheck(group, FakeGroup.SETTINGS, threads).run(), trustsData);
  }

  @Test
  void leavesAGroupWithMoreWrongBlocksThanParity() throws IOException {
    group.damage(group.copy(0), 100);
    group.damage(group.copy(1), 1100);
    group.damage(group.copy(2), 2100);

    assertThat(plan(false).refusal())
        .contains("more blocks are wrong or missing than there is parity");
  }

  @Test
  void leavesAGroupOfWhichOtherBlocksWereNotChecked() throws IOException {
    group.damage(group.copy(0), 100);
    group.answer(
        group.copy(3),
        100,
        request -> {
          throw new AgentException(AgentException.Kind.UNREACHABLE, "down");
        });

    assertThat(plan(false).refusal()).contains("not everything else was checked");
  }

  @Test
  void trustsNoDataThatIsLocatedAsWrong() throws IOException {
    group.damage(group.copy(0), 100);
    group.damage(group.copy(3), 2100);
    group.damage(group.copy(4), 2101);

    assertThat(plan(true).refusal()).contains("is data, and is wrong");
  }

  @Test
  void trustsNoDataOfWhichThereAreTwoReplicas() throws IOException {
    Copy second = group.put(0, 9, group.bytes.get(group.copy(0)));
    group.damage(second, 100);
    group.damage(group.copy(3), 100);

    assertThat(plan(false).refusal()).contains("is not known");
    assertThat(plan(true).refusal()).contains("has a second replica, which may differ");
    assertThat(plan(true).wrong()).isEmpty();
  }

  @Test
  void replacesNothingOnADataNodeThatHasARightBlockOfTheGroupToo() throws IOException {
    Copy wrong = group.copy(1);
    Copy right = group.put(4, 1, group.bytes.remove(group.copy(4)));
    assertThat(right.node).isEqualTo(wrong.node);
    group.damage(wrong, 100);

    assertThat(plan(false).refusal()).contains("HDFS would replace " + right + " too");
    assertThat(plan(false).wrong()).isEmpty();
  }

  @Test
  void leavesAReplicatedBlockWithoutARightReplica() throws IOException {
    group = FakeGroup.replicated(1, 5000);
    Copy only = group.copy(0);
    group.bytes.put(only, Arrays.copyOf(group.bytes.get(only), 4000));

    assertThat(plan(false).refusal()).contains("no replica is right");
  }
}
