// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.stripeline.scrub.repair.RepairRecord;

class HdfsRepairTest {
  /** The process may have been stopped for minutes, in which another repair did its work. */
  @Test
  void reportsNothingWithoutTheFileOfRecords() {
    HdfsRepair.Audit lost =
        new HdfsRepair.Audit() {
          @Override
          public void write(RepairRecord record) {}

          @Override
          public void require() throws IOException {
            throw new IOException("lost");
          }
        };
    HdfsRepair repair = new HdfsRepair(null, null, null, lost);
    assertThatThrownBy(() -> repair.report(Collections.emptyList())).hasMessage("lost");
  }
}
