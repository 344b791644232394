// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.client.ClientKeys;

/** Tests what clients of one cluster share, and clients of several do not. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ReadContextTest {
  private static final int THREADS = 16;

  private static FetchThreads threads(String cluster) {
    Configuration conf = new Configuration(false);
    conf.setInt(ClientKeys.READ_THREADS, THREADS);
    return new ReadContext(conf, cluster).threads();
  }

  @Test
  void aClusterThatHangsLeavesTheThreadsOfOthers() throws Exception {
    FetchThreads hung = threads("hung");
    assertThat(threads("hung")).isSameAs(hung);
    CountDownLatch answer = new CountDownLatch(1);
    for (int node = 0; node < THREADS; node++) {
      for (int task = 0; task < THREADS; task++) {
        hung.execute("node" + node, () -> FetchThreadsTest.awaitQuietly(answer));
      }
    }
    try {
      CompletableFuture<Boolean> read = new CompletableFuture<>();
      threads("other").execute("node", () -> read.complete(true));
      assertThat(read.get(1, TimeUnit.MINUTES)).isTrue();
    } finally {
      answer.countDown();
    }
  }
}
