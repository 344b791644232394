// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import org.apache.hadoop.hdfs.protocol.DSQuotaExceededException;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.apache.hadoop.ipc.RemoteException;
import org.junit.jupiter.api.Test;
import org.stripeline.convert.job.Candidate;

/** Tests which files are left after the NameNode has refused to lock another. */
class LockQuotasTest {
  private static final int BLOCK = 1 << 20;
  private static final ErasureCodingPolicy RS_3_2 =
      new ErasureCodingPolicy(new ECSchema("rs", 3, 2), 64 << 10);

  private final LockQuotas quotas = new LockQuotas();

  private static Candidate file(String path, long lastBytes, ErasureCodingPolicy policy) {
    ExtendedBlock id = new ExtendedBlock("pool", 1, lastBytes, 1);
    LocatedBlock last = new LocatedBlock(id, new DatanodeInfo[0]);
    LocatedBlocks blocks =
        new LocatedBlocks(
            lastBytes, false, Collections.singletonList(last), last, true, null, policy);
    return new Candidate(
        path,
        (HdfsLocatedFileStatus)
            new HdfsFileStatus.Builder()
                .length(lastBytes)
                .replication(policy == null ? 3 : 0)
                .blocksize(BLOCK)
                .ecPolicy(policy)
                .locations(blocks)
                .build());
  }

  private void refuse(Candidate file) {
    quotas.refused(
        file,
        new RemoteException(
            DSQuotaExceededException.class.getName(),
            "The DiskSpace quota of /dir is exceeded: quota = 1 B = 1 B"));
  }

  private void assertLeft(Candidate file) {
    assertThatThrownBy(() -> quotas.require(file))
        .hasMessageStartingWith("it could not be locked for its swap: ")
        .hasMessageContaining("quota of /dir is exceeded");
  }

  private void assertNotLeft(Candidate file) {
    assertThatCode(() -> quotas.require(file)).doesNotThrowAnyException();
  }

  @Test
  void filesThatNeedLessThanEachRefusedOneAreNotLeft() {
    refuse(file("/dir/a", 1000, null));
    refuse(file("/dir/b", 10, null));

    assertLeft(file("/dir/as-much", 1000, null));
    assertLeft(file("/dir/more", 999, null));
    assertNotLeft(file("/dir/less", 1001, null));
    assertNotLeft(file("/other/a", 10, null));

    quotas.freed(file("/dir/less", 1001, null));
    assertNotLeft(file("/dir/as-much", 1000, null));
  }

  /** The NameNode compares the bytes of a group with the size of one block. */
  @Test
  void aGroupWithTheBytesOfOneBlockNeedsNothing() {
    refuse(file("/dir/a", BLOCK - 2, RS_3_2));

    assertNotLeft(file("/dir/group", BLOCK, RS_3_2));
    assertNotLeft(file("/dir/larger", BLOCK + 1, RS_3_2));
    assertLeft(file("/dir/as-much", BLOCK - 2, RS_3_2));
    // Three replicas that lack three bytes need less than five units that lack two.
    assertNotLeft(file("/dir/replicated", BLOCK - 3, null));
    assertLeft(file("/dir/replicated", BLOCK - 4, null));
  }
}
