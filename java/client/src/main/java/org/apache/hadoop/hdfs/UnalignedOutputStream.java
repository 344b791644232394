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
 * Hadoop's stream of a striped file whose blocks are not whole cells, which cannot become a
 * replicated one: where hflush and hsync are to be durable they throw, otherwise they do what those
 * of other striped files do.
 */
final class UnalignedOutputStream extends DFSStripedOutputStream {
  private final String why;

  /** Null if syncs are to be durable. */
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
      String[] favoredNodes,
      boolean syncsDurably)
      throws IOException {
    super(client, src, flag, progress, last, stat, checksum, favoredNodes);
    sync = syncsDurably ? null : client.syncRefusal();
    why =
        ": its block size of "
            + stat.getBlockSize()
            + " bytes is not a multiple of the cell size of "
            + stat.getErasureCodingPolicy().getCellSize()
            + " bytes. Create it with a block size that is one, or replicated";
  }

  @Override
  public void hflush() {
    called("hflush");
  }

  @Override
  public void hsync() {
    hsync(EnumSet.noneOf(SyncFlag.class));
  }

  @Override
  public void hsync(EnumSet<SyncFlag> flags) {
    called("hsync");
  }

  private void called(String what) {
    if (sync == null) {
      throw new UnsupportedOperationException("Cannot " + what + " " + getSrc() + why);
    }
    sync.called(what, getSrc());
  }
}
