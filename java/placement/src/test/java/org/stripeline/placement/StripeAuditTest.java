// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StripeAuditTest {
  private final Topology topology = Topology.uniform(4, 4);

  @Test
  void aSoundStripeIsSound() {
    StripeAudit audit =
        StripeAudit.of(new int[] {0, 4, 8, 12}, 2, topology, RackRule.atMost(1).spread());
    assertThat(audit.isSound()).isTrue();
    assertThat(audit.racksUsed()).isEqualTo(4);
    assertThat(audit.rackFailuresTolerated()).isEqualTo(2);
  }

  @Test
  void everyKindOfViolationIsFound() {
    RackRule rule = RackRule.atMost(2).spread();
    StripeAudit crowded = StripeAudit.of(new int[] {0, 1, 2, 4, 8, 12}, 2, topology, rule);
    assertThat(crowded.isSound()).isFalse();
    assertThat(crowded.relaxation().blocksAboveMax()).isEqualTo(1);
    assertThat(crowded.relaxation().blocksPerRackMost()).isEqualTo(3);
    assertThat(crowded.rackFailuresTolerated()).isZero();

    StripeAudit doubled = StripeAudit.of(new int[] {0, 0, 4, 8, 12}, 2, topology, rule);
    assertThat(doubled.nodesDoubled()).isEqualTo(1);
    assertThat(doubled.relaxation().isNone()).isTrue();
    assertThat(doubled.isSound()).isFalse();

    StripeAudit narrow = StripeAudit.of(new int[] {0, 1, 4, 5}, 2, topology, rule);
    assertThat(narrow.relaxation().racksMissing()).isEqualTo(2);
    assertThat(narrow.relaxation()).hasToString("2 racks instead of 4");

    StripeAudit missing = StripeAudit.of(new int[] {0, 4, 8, -1, 77}, 2, topology, rule);
    assertThat(missing.blocksMissing()).isEqualTo(2);
    assertThat(missing.rackFailuresTolerated()).isZero();
    assertThat(StripeAudit.of(new int[] {0, -1, -1, -1}, 2, topology, rule))
        .extracting(StripeAudit::rackFailuresTolerated)
        .isEqualTo(-1);

    StripeAudit offTarget =
        StripeAudit.of(new int[] {0, 1, 4, 5, 8}, 2, topology, RackRule.atMost(2).inTargetRacks(2));
    assertThat(offTarget.relaxation().blocksOffTarget()).isEqualTo(1);
  }

  /** Counts by removing every subset of racks. */
  @Test
  void toleratedRackFailuresAreThoseOfBruteForce() {
    SplittableRandom random = new SplittableRandom(12);
    for (int round = 0; round < 2000; round++) {
      int[] nodes = random.ints(1 + random.nextInt(8), -1, 16).toArray();
      int parity = 1 + random.nextInt(3);
      int expected = -1;
      for (int failures = 0; failures <= 4 && survives(nodes, parity, failures); failures++) {
        expected = failures;
      }
      long used = Arrays.stream(nodes).filter(n -> n >= 0).map(topology::rackOf).distinct().count();
      assertThat(
              StripeAudit.of(nodes, parity, topology, RackRule.atMost(1)).rackFailuresTolerated())
          .isEqualTo((int) Math.min(expected, used));
    }
  }

  private boolean survives(int[] nodes, int parity, int failures) {
    for (int failed = 0; failed < 16; failed++) {
      int mask = failed;
      long lost =
          Arrays.stream(nodes).filter(n -> n < 0 || (mask >> topology.rackOf(n) & 1) == 1).count();
      if (Integer.bitCount(failed) == failures && lost > parity) {
        return false;
      }
    }
    return true;
  }
}
