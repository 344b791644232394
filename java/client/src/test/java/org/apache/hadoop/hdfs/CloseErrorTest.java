// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.write.StripePipeline;

/** Tests Errors within a close, after which close is called again. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CloseErrorTest {
  private static final int K = 3;
  private static final int M = 2;
  private static final int CELL = 64 << 10;

  /**
   * Without the encoder and the base class's exception, the first close ends before the streamers
   * are closed.
   */
  @Test
  void aCloseAfterAnErrorBeforeTheStreamersAreClosedDoesNotCompleteTheFile(@TempDir Path temporary)
      throws Exception {
    try (WriteCluster cluster = new WriteCluster(temporary, K + M, 4 * CELL, conf -> {})) {
      org.apache.hadoop.fs.Path dir = cluster.directory("rs", K, M, CELL);
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
      FSDataOutputStream out = cluster.open("functional-partitioned").create(file);
      Object stream = out.getWrappedStream();
      out.write(new byte[2 * K * CELL + 1]);
      ((StripelineOutputStream) stream).flushAllInternals();
      Field pipelineField = field(StripelineOutputStream.class, "pipeline");
      ((StripePipeline) pipelineField.get(stream)).fail(new IOException("injected"));
      Field encoderField = field(StripelineOutputStream.class, "stripeEncoder");
      Field exceptionField = field(DFSStripedOutputStream.class, "exceptionLastSeen");
      Object encoder = encoderField.get(stream);
      Object exception = exceptionField.get(stream);
      encoderField.set(stream, null);
      exceptionField.set(stream, null);
      assertThatThrownBy(() -> ((StripelineOutputStream) stream).close())
          .isInstanceOf(NullPointerException.class);
      encoderField.set(stream, encoder);
      exceptionField.set(stream, exception);
      assertThatThrownBy(() -> ((StripelineOutputStream) stream).close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("injected");
      assertThat(cluster.cluster.getFileSystem().isFileClosed(file)).isFalse();
    }
  }

  /** The last stripe is queued, and the close ends while it waits for the acknowledgements. */
  @ParameterizedTest
  @ValueSource(strings = {"durable", "warn"})
  void aCloseAfterAnErrorWithinTheLastFlushThrows(String sync, @TempDir Path temporary)
      throws Exception {
    try (WriteCluster cluster = new WriteCluster(temporary, K + M, 4 * CELL, conf -> {})) {
      org.apache.hadoop.fs.Path dir = cluster.directory("rs", K, M, CELL);
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
      DistributedFileSystem ours =
          cluster.open("functional-partitioned", conf -> conf.set(ClientKeys.WRITE_SYNC, sync));
      FSDataOutputStream out = ours.create(file);
      StripelineOutputStream stream = (StripelineOutputStream) out.getWrappedStream();
      out.write(new byte[K * CELL + 1]);
      stream.flushAllInternals();
      Field threadsField = field(DFSStripedOutputStream.class, "flushAllExecutor");
      ExecutorService threads = (ExecutorService) threadsField.get(stream);
      ExecutorService failing = mock(ExecutorService.class);
      doThrow(new InternalError("injected")).when(failing).execute(any());
      threadsField.set(stream, failing);
      try {
        assertThatThrownBy(stream::close).isInstanceOf(InternalError.class);
        assertThatThrownBy(stream::close)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("injected");
      } finally {
        threads.shutdownNow();
      }
      assertThat(cluster.cluster.getFileSystem().isFileClosed(file)).isFalse();
    }
  }

  /** All bytes are synced, and the close ends in the call that closes the file. */
  @Test
  void aCloseAfterAnErrorWithinACloseOfSyncedGroupsThrows(@TempDir Path temporary)
      throws Exception {
    try (WriteCluster cluster = new WriteCluster(temporary, K + M, 4 * CELL, conf -> {})) {
      org.apache.hadoop.fs.Path dir = cluster.directory("rs", K, M, CELL);
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
      DistributedFileSystem ours = cluster.open("functional-partitioned", SealedGroupsCase::seal);
      FSDataOutputStream out = ours.create(file);
      StripelineOutputStream stream = (StripelineOutputStream) out.getWrappedStream();
      out.write(new byte[K * CELL]);
      out.hsync();
      try (HungNameNode nameNode = new HungNameNode(ours)) {
        nameNode.fail(
            (method, isDone) -> {
              if (method.equals("recoverLease")) {
                throw new InternalError("injected");
              }
            });
        assertThatThrownBy(stream::close).isInstanceOf(InternalError.class);
      }
      assertThatThrownBy(stream::close)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("injected");
      assertThat(cluster.cluster.getFileSystem().isFileClosed(file)).isFalse();
    }
  }

  private static Field field(Class<?> owner, String name) throws ReflectiveOperationException {
    Field field = owner.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}
