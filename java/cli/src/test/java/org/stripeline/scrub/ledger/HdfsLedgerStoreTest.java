// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.natives.Ticker;

/** Who writes the files of a ledger, on a mini cluster. */
@Timeout(300)
class HdfsLedgerStoreTest {
  private static final Path DIRECTORY = new Path("/ledger");

  @TempDir java.nio.file.Path directory;

  @Test
  void aWriterThatWasStoppedReplacesNoFileOfTheNextOne() throws IOException {
    try (ConvertCluster cluster = ConvertCluster.withoutScanners(directory);
        DistributedFileSystem stopped = cluster.client();
        DistributedFileSystem next = cluster.client()) {
      // As if the first writer were stopped for longer than a lease lasts.
      cluster.mini.setLeasePeriod(500, 3_600_000);
      HdfsLedgerStore first = HdfsLedgerStore.lock(stopped, DIRECTORY, Ticker.SYSTEM, text -> {});
      try (HdfsLedgerStore second =
          HdfsLedgerStore.lock(next, DIRECTORY, Ticker.SYSTEM, text -> {})) {
        try (FSDataOutputStream log = second.create(Ledger.LOG)) {
          log.write(new byte[100]);
          log.hsync();
          long id = second.id(Ledger.LOG);

          assertThatThrownBy(() -> first.create(Ledger.LOG)).isInstanceOf(IOException.class);
          assertThatThrownBy(() -> first.rename(Ledger.LOG, Ledger.LEDGER))
              .isInstanceOf(IOException.class);

          assertThat(second.id(Ledger.LOG)).isEqualTo(id);
          log.write(new byte[100]);
        }
        assertThat(cluster.fs().getFileStatus(new Path(DIRECTORY, Ledger.LOG)).getLen())
            .isEqualTo(200);
      }
    }
  }
}
