// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.terminal.ExitStatus;

/** Commands that ask the same DataNodes at once: each gets its share. */
@Tag("full")
@Tag("conformance")
@Timeout(580)
class ScrubsAtOnceTest extends ProcessCase {
  /** Bytes of a block: each call for fingerprints reads for 5 s. */
  private static final int BLOCK = 16 << 20;

  private static final int FILES = 2;

  @Test
  void scrubsWithOtherLedgersCheckEverything() throws Exception {
    Path big = new Path("/big");
    cluster.fs().mkdirs(big);
    String policy = cluster.fs().getErasureCodingPolicy(new Path("/tree/striped0")).getName();
    cluster.fs().setErasureCodingPolicy(big, policy);
    byte[] content = ConvertCluster.bytes(1, 3 * BLOCK);
    for (int i = 0; i < FILES; i++) {
      try (FSDataOutputStream out =
          cluster.fs().createFile(new Path(big, "f" + i)).blockSize(BLOCK).build()) {
        out.write(content);
      }
    }
    List<ScrubProcess> all =
        List.of(
            cluster.begin("scrub", "/big", "--json", "--ledger=/a"),
            cluster.begin("scrub", "/big", "--json", "--ledger=/b"));
    for (ScrubProcess one : all) {
      one.await();
    }
    for (ScrubProcess one : all) {
      assertThat(one.status()).as("%s", one).isEqualTo(ExitStatus.SOUND);
      assertThat(one.sum("groupsHealthy")).as("%s", one).isEqualTo(FILES);
    }
  }
}
