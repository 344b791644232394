// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;

/** Holds back all queued deletions of a DataNode's volumes. */
public final class DeleteQueue implements Closeable {
  private final CountDownLatch open = new CountDownLatch(1);
  private final List<CountDownLatch> ends = new ArrayList<>();

  private DeleteQueue() {}

  /** Holds back deletions that are queued from now on, until it is closed. */
  public static DeleteQueue hold(DataNode node) throws IOException {
    DeleteQueue held = new DeleteQueue();
    FsDatasetImpl dataset = (FsDatasetImpl) node.getFSDataset();
    try (FsDatasetSpi.FsVolumeReferences volumes = dataset.getFsVolumeReferences()) {
      for (FsVolumeSpi each : volumes) {
        CountDownLatch end = new CountDownLatch(1);
        held.ends.add(end);
        dataset.asyncDiskService.execute((FsVolumeImpl) each, () -> held.wait(end));
      }
    }
    return held;
  }

  private void wait(CountDownLatch end) {
    try {
      open.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      end.countDown();
    }
  }

  /**
   * Lets the queues continue. When it returns, the deletions queued before {@link #hold} are done.
   */
  @Override
  public void close() throws IOException {
    open.countDown();
    try {
      for (CountDownLatch end : ends) {
        end.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Cannot wait for deletions: interrupted", e);
    }
  }
}
