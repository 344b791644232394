// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.Progressable;

/**
 * Hadoop's stream of a striped file whose blocks are not whole cells; hflush and hsync do what
 * those of other striped files do.
 */
final class UnalignedOutputStream extends DFSStripedOutputStream {
  private final SyncRefusal sync;

  /** Creates a stream that appends block groups; {@code last} is null for a new file. */
  UnalignedOutputStream(
      StripelineDFSClient client,
      String src,
      EnumSet<CreateFlag> flag,
      Progressable progress,
      LocatedBlock last,
      HdfsFileStatus stat,
      DataChecksum checksum,
      String[] favoredNodes)
      throws IOException {
    super(client, src, flag, progress, last, stat, checksum, favoredNodes);
    sync = client.syncRefusal();
  }

  @Override
  public void hflush() {
    sync.called("hflush", getSrc());
  }

  @Override
  public void hsync() {
    hsync(EnumSet.noneOf(SyncFlag.class));
  }

  @Override
  public void hsync(EnumSet<SyncFlag> flags) {
    sync.called("hsync", getSrc());
  }
}
