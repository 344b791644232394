// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.convert.rules.SpaceUse;
import org.stripeline.convert.rules.SyncedPaths;
import org.stripeline.placement.CodeName;

/** Tests the parts of the calculator: codes, sizes, hsync patterns. */
class PlanPartsTest {
  @ParameterizedTest
  @CsvSource({"RS-6-3,6,3", "rs-10-4,10,4", "XOR-2-1,2,1", "RS-LEGACY-6-3,6,3", "RS-3-2-64k,3,2"})
  void codesAreReadAsHdfsNamesThem(String name, int data, int parity) {
    CodeName code = CodeName.parse(name, 1 << 20);

    assertThat(code.data()).isEqualTo(data);
    assertThat(code.parity()).isEqualTo(parity);
    assertThat(code.cellBytes()).isEqualTo(name.endsWith("64k") ? 64 << 10 : 1 << 20);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "LRC-6-2|write for example RS-6-3",
        "RS-6|write for example RS-6-3",
        "RS-0-3|1 data block or more",
        "RS-14-4|at most 16 together",
        "XOR-4-2|XOR has 1 parity block, not 2",
        "RS-6-3-0k|a cell has 1 KiB or more",
        "RS-6-3-400000k|less than 2 GiB",
      })
  void codesThatHdfsLacksAreRefused(String name, String reason) {
    assertThatThrownBy(() -> CodeName.parse(name, 1 << 20))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot use ")
        .hasMessageContaining(reason);
  }

  @Test
  void racksNeededSurviveOneFailure() {
    assertThat(CodeName.parse("RS-6-3", 1 << 20).shape().racksForRackFailure()).isEqualTo(3);
    assertThat(CodeName.parse("RS-10-4", 1 << 20).shape().racksForRackFailure()).isEqualTo(4);
    assertThat(CodeName.parse("RS-3-2", 1 << 20).shape().racksForRackFailure()).isEqualTo(3);
    assertThat(CodeName.parse("XOR-2-1", 1 << 20).shape().racksForRackFailure()).isEqualTo(3);
  }

  @Test
  void parityIsAsLongAsHadoopMakesIt() {
    SplittableRandom random = new SplittableRandom(3);
    CodeName code = CodeName.parse("RS-6-3", 1 << 20);
    for (int i = 0; i < 1000; i++) {
      long bytes = 1 + random.nextLong(1L << 28);
      long parity = 3 * StripedBlockUtil.getInternalBlockLength(bytes, 1 << 20, 6, 6);
      assertThat(SpaceUse.striped(bytes, 1L << 28, code.shape(), code.cellBytes()))
          .isEqualTo(bytes + parity);
    }
    // 2 groups of 6 MiB blocks, and a remainder of 1 MiB and a byte.
    long block = 6L << 20;
    long length = 2 * 6 * block + (1 << 20) + 1;
    assertThat(SpaceUse.striped(length, block, code.shape(), code.cellBytes()))
        .isEqualTo(length + 2 * 3 * block + 3 * (1 << 20));
  }

  @ParameterizedTest
  @CsvSource({
    "/hbase/WALs/h/x, HBase write-ahead logs",
    "/apps/hbase/oldWALs/x, HBase old write-ahead logs",
    "/accumulo/wal/host+9997/uuid, Accumulo write-ahead logs",
    "/flume/events/log.1.tmp, Flume files being written",
    "/kudu/wals/x/y, Kudu write-ahead logs",
    "/spark/app-1.inprogress, Spark event logs and streams",
  })
  void habitsAreFound(String path, String name) {
    assertThat(SyncedPaths.KNOWN.get(SyncedPaths.find(path)).name()).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/hbase/data/t/r/f", "/wal", "/data/wall/x", "/data/x.tmpl", "/tmp/x"})
  void otherPathsHaveNoHabit(String path) {
    assertThat(SyncedPaths.find(path)).isNegative();
  }
}
