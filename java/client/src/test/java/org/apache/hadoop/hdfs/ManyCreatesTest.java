// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.spy;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.io.ElasticByteBufferPool;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.testkit.Conditions;

/** Checks what streams take of the memory that Hadoop's stream keeps for the whole JVM. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyCreatesTest {
  private static final int CELL = 64 << 10;
  private static final int UNITS = 5;
  private static final int STREAMS = 4;

  @TempDir Path dir;
  private final Set<Thread> creators = ConcurrentHashMap.newKeySet();

  /** The first stream waits, with its cells, until no other can go on or another one has cells. */
  @Test
  void streamsThatAreCreatedAtOnceUseTheSameCells() throws Exception {
    try (StripedCluster cluster = new StripedCluster(dir, UNITS, new Configuration(false))) {
      ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), CELL);
      String folder = cluster.directory("/ec", policy).toUri().getPath();
      StripelineDFSClient client = (StripelineDFSClient) cluster.ours().getClient();
      Set<Thread> constructing = ConcurrentHashMap.newKeySet();
      FutureTask<?>[] creates = new FutureTask<?>[STREAMS];
      for (int i = 0; i < STREAMS; i++) {
        String file = folder + "/" + i;
        creates[i] =
            new FutureTask<>(
                () -> {
                  create(client, file, constructing).close();
                  return null;
                });
        Thread thread = new Thread(creates[i], "creator " + i);
        creators.add(thread);
        thread.start();
      }
      for (FutureTask<?> create : creates) {
        create.get();
      }
      assertThat(kept(true) + kept(false)).as("cells that are kept").isEqualTo(UNITS);
    }
  }

  private DFSOutputStream create(StripelineDFSClient client, String file, Set<Thread> constructing)
      throws IOException {
    DataChecksum checksum = spy(client.getConf().createChecksum(null));
    doAnswer(
            call -> {
              if (hasCells() && constructing.add(Thread.currentThread())) {
                Conditions.await(
                    "other streams", () -> constructing.size() > 1 || areOthersHeldUp());
              }
              return call.callRealMethod();
            })
        .when(checksum)
        .getChecksumSize();
    return client
        .outputs()
        .create(
            file,
            FsPermission.getFileDefault(),
            EnumSet.of(CreateFlag.CREATE),
            true,
            (short) 1,
            UNITS * CELL,
            null,
            checksum,
            null,
            null,
            null);
  }

  private boolean areOthersHeldUp() {
    return creators.size() == STREAMS
        && creators.stream()
            .filter(creator -> creator != Thread.currentThread())
            .map(Thread::getState)
            .allMatch(state -> state == Thread.State.BLOCKED || state == Thread.State.TERMINATED);
  }

  /** Returns whether the caller is our constructor, which is run after Hadoop's. */
  private static boolean hasCells() {
    return Arrays.stream(new Throwable().getStackTrace())
        .filter(frame -> frame.getMethodName().equals("<init>"))
        .map(StackTraceElement::getClassName)
        .findFirst()
        .filter(StripelineOutputStream.class.getName()::equals)
        .isPresent();
  }

  private static int kept(boolean isDirect) throws ReflectiveOperationException {
    Field pool = DFSStripedOutputStream.class.getDeclaredField("BUFFER_POOL");
    pool.setAccessible(true);
    return ((ElasticByteBufferPool) pool.get(null)).size(isDirect);
  }
}
