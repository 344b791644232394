// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.read.shared.NameNodeRequest;
import org.stripeline.testkit.Conditions;

/**
 * Tests the requests of new connections to the NameNode: an interrupt of one could fail those of
 * other threads, which use the same connection to the NameNode.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KeyRequestsTest {
  private static final String REQUEST = NameNodeRequest.class.getName();
  private static final int CELL = 16 << 10;
  private static final byte[] DATA = StripedCluster.bytes(6 * CELL, 6);

  @TempDir static Path dir;
  private static StripedCluster cluster;
  private static org.apache.hadoop.fs.Path file;

  @BeforeAll
  static void start() throws IOException {
    Configuration conf = new Configuration(false);
    conf.setBoolean("dfs.block.access.token.enable", true);
    conf.setBoolean("dfs.encrypt.data.transfer", true);
    cluster = new StripedCluster(dir, 5, conf);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), CELL);
    file = new org.apache.hadoop.fs.Path(cluster.directory("/ec", policy), "file");
    StripedCluster.write(cluster.ours(), file, DATA);
  }

  @AfterAll
  static void stop() throws IOException {
    cluster.close();
  }

  /** The method of the NameNode that does not answer until {@link #answer}. */
  private static final class Delayed implements HungNameNode.Calls {
    final AtomicInteger begun = new AtomicInteger();
    final AtomicInteger interrupted = new AtomicInteger();
    final CountDownLatch answer = new CountDownLatch(1);
    private final String delayed;

    Delayed(String delayed) {
      this.delayed = delayed;
    }

    @Override
    public void called(String method, boolean isDone) throws IOException {
      if (isDone || !method.equals(delayed)) {
        return;
      }
      begun.incrementAndGet();
      try {
        answer.await();
      } catch (InterruptedException e) {
        interrupted.incrementAndGet();
        throw new InterruptedIOException("Interrupted while waiting for the NameNode");
      }
    }
  }

  /** Returns the number of threads that wait for the answer to a request. */
  private static long waiting() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            frames ->
                Arrays.stream(frames)
                    .anyMatch(
                        frame ->
                            frame.getClassName().equals(REQUEST)
                                && frame.getMethodName().equals("await")))
        .count();
  }

  @ParameterizedTest
  @ValueSource(strings = {"getServerDefaults", "getDataEncryptionKey"})
  void aReadThatIsGivenUpInterruptsNoRequest(String method) throws Exception {
    Delayed delayed = new Delayed(method);
    Configuration conf = new Configuration(cluster.mini().getConfiguration(0));
    // Without connections of other clients.
    conf.set("dfs.client.context", method);
    try (DistributedFileSystem fs = cluster.client(StripelineFileSystem.class, conf);
        HungNameNode nameNode = new HungNameNode(fs)) {
      nameNode.fail(delayed);
      byte[] read = new byte[DATA.length];
      FutureTask<Void> givenUp;
      try (FSDataInputStream in = fs.open(file)) {
        givenUp =
            new FutureTask<>(
                () -> {
                  in.readFully(0, read);
                  return null;
                });
        new Thread(givenUp, "given up").start();
        Conditions.await("the request", () -> delayed.begun.get() > 0);
      }
      assertThatThrownBy(givenUp::get).isInstanceOf(ExecutionException.class);
      Conditions.await("all lanes to leave", () -> waiting() == 0);
      delayed.answer.countDown();
      StripedCluster.checkReads(fs, file, DATA, CELL);
      assertThat(delayed.begun.get()).as("requests").isEqualTo(1);
      assertThat(delayed.interrupted.get()).as("interrupted requests").isZero();
    } finally {
      delayed.answer.countDown();
    }
  }
}
