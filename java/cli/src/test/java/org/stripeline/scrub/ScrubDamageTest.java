// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.nio.file.Path;
import java.security.SecureRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage beneath the checksums, in data and parity of all policies and in replicas: all of it is
 * found, all that can be located is named rightly, and nothing else is reported.
 */
class ScrubDamageTest {
  @TempDir Path directory;

  @Test
  @Timeout(300)
  void damageIsFoundAndNothingElse() throws Exception {
    try (DamageTrial trial = new DamageTrial(directory, 18)) {
      trial.write(1, 44);
      trial.requireFound();
      trial.damage(25);
      trial.requireFound();
      trial.requireVerifyAgrees(5);
    }
  }

  @Test
  @Tag("full")
  @Tag("conformance")
  @Timeout(1200)
  void muchDamageIsFoundAmongThousandsOfGroups() throws Exception {
    long seed = new SecureRandom().nextLong();
    System.out.println("seed of the damage: " + seed);
    try (DamageTrial trial = new DamageTrial(directory, seed)) {
      trial.write(4, 3000);
      trial.requireFound();
      trial.damage(300);
      trial.restartDataNodes();
      trial.requireFound();
      trial.requireVerifyAgrees(60);
      trial.stopAgents();
      trial.requireFound();
    }
  }
}
