// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.CreateOpts;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StripelineHdfs;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;

/** Threads and programs that sync in all ways that Hadoop allows. */
@Tag("full")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SyncCallersTest extends SyncCase {
  private static final int THREADS = 8;
  private static final int STREAMS = 100;
  private static final byte[] ALL = bytes(2 * STRIPE + 9);

  /** A stream whose syncs make the file replicated, or end block groups. */
  private static FSDataOutputStream create(Path file, boolean isLate) throws IOException {
    return ours(conf -> {
          if (isLate) {
            conf.setInt(ClientKeys.WRITE_SYNC_SWITCH_MAX, 0);
          }
        })
        .create(file);
  }

  private interface Body {
    void run(int number) throws Exception;
  }

  /** Runs all at once; returns what was thrown. */
  private static List<Throwable> atOnce(int count, Body body) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(count);
    CountDownLatch start = new CountDownLatch(1);
    List<Future<?>> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      calls.add(
          threads.submit(
              () -> {
                start.await();
                body.run(number);
                return null;
              }));
    }
    start.countDown();
    List<Throwable> thrown = new ArrayList<>();
    for (Future<?> call : calls) {
      try {
        call.get();
      } catch (ExecutionException e) {
        thrown.add(e.getCause());
      }
    }
    threads.shutdown();
    return thrown;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void severalThreadsWriteAndSyncAStream(boolean isLate) throws Exception {
    Path file = file("threads" + isLate);
    FSDataOutputStream out = create(file, isLate);
    byte[] record = bytes(1000);
    AtomicInteger acknowledged = new AtomicInteger();
    List<Throwable> thrown =
        atOnce(
            THREADS,
            number -> {
              for (int i = 0; i < 5; i++) {
                out.write(record);
                out.hsync();
                acknowledged.incrementAndGet();
              }
            });
    assertThat(thrown).isEmpty();
    byte[] read = read(file);
    assertThat(read).hasSize(acknowledged.get() * record.length);
    for (int i = 0; i < read.length; i += record.length) {
      assertThat(Arrays.copyOfRange(read, i, i + record.length)).isEqualTo(record);
    }
    out.close();
    assertThat(read(file)).isEqualTo(read);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSyncDuringCloseSucceedsOrFails(boolean isLate) throws Exception {
    for (int size : new int[] {0, 10, STRIPE, ALL.length}) {
      Path file = file("during-" + isLate + size);
      FSDataOutputStream out = create(file, isLate);
      out.write(ALL, 0, size);
      AtomicInteger closed = new AtomicInteger();
      List<Throwable> thrown =
          atOnce(
              4,
              number -> {
                if (number == 0) {
                  out.close();
                  closed.incrementAndGet();
                } else {
                  out.hsync();
                }
              });
      assertThat(thrown).allMatch(IOException.class::isInstance);
      assertThat(closed).as("%s", thrown).hasValue(1);
      assertThat(fs.isFileClosed(file)).isTrue();
      assertThat(read(file)).isEqualTo(Arrays.copyOf(ALL, size));
      assertThat(temporaryFiles(file)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSyncAfterCloseFails(boolean isSynced) throws Exception {
    for (boolean isLate : new boolean[] {false, true}) {
      Path file = file("after-" + isSynced + isLate);
      FSDataOutputStream out = create(file, isLate);
      out.write(ALL);
      if (isSynced) {
        out.hsync();
      }
      out.close();
      assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
      assertThatThrownBy(out::hflush).isInstanceOf(IOException.class);
      assertThat(read(file)).isEqualTo(ALL);
    }
  }

  @Test
  void aSyncAfterItsFileSystemIsClosedFails() throws Exception {
    for (boolean isSynced : new boolean[] {false, true}) {
      Path file = file("closed-system" + isSynced);
      DistributedFileSystem ours = ours();
      FSDataOutputStream out = ours.create(file);
      out.write(ALL);
      if (isSynced) {
        out.hsync();
      }
      ours.close();
      assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
      assertThat(read(file)).isEqualTo(ALL);
    }
  }

  /** After the first sync an open file has the threads of one that a stock client writes. */
  @Test
  void manyStreamsThatSyncAtOnceHaveTheThreadsOfReplicatedOnes() throws Exception {
    Path folder = folder("many");
    DistributedFileSystem ours = ours();
    List<FSDataOutputStream> outs = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      outs.add(ours.create(in(folder, "f" + i)));
      outs.get(i).write(ALL, i, 700);
    }
    assertThat(
            atOnce(
                STREAMS,
                number -> {
                  outs.get(number).hsync();
                  outs.get(number).write(ALL, 700, 7);
                  outs.get(number).hflush();
                }))
        .isEmpty();
    // A streamer and the reader of its acknowledgements.
    assertThat(streamers()).isLessThanOrEqualTo(2 * STREAMS);
    for (int i = 0; i < STREAMS; i++) {
      outs.get(i).close();
      byte[] read = read(in(folder, "f" + i));
      assertThat(read).hasSize(707).startsWith(Arrays.copyOfRange(ALL, i, i + 700));
    }
    assertThat(ours.getClient().isFilesBeingWrittenEmpty()).isTrue();
  }

  /** Returns the number of threads that send packets or read acknowledgements. */
  private static long streamers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(
            thread ->
                thread instanceof DataStreamer || thread.getName().startsWith("ResponseProcessor"))
        .count();
  }

  private static void syncAndClose(FSDataOutputStream out, Path file) throws IOException {
    assertThat(out.hasCapability("hsync")).isTrue();
    out.write(ALL, 0, STRIPE);
    out.hsync();
    assertThat(read(file)).isEqualTo(Arrays.copyOf(ALL, STRIPE));
    out.write(ALL, STRIPE, ALL.length - STRIPE);
    out.hflush();
    assertThat(read(file)).isEqualTo(ALL);
    out.close();
    assertThat(read(file)).isEqualTo(ALL);
  }

  @Test
  void buildersCreateStreamsThatSync() throws Exception {
    DistributedFileSystem ours = ours();
    String policy = coded.getName();
    Path plain = file("/plain");
    syncAndClose(ours.createFile(file("build")).build(), file("build"));
    syncAndClose(ours.createFile(file("block")).syncBlock().build(), file("block"));
    syncAndClose(ours.createFile(file("lazy")).lazyPersist().build(), file("lazy"));
    syncAndClose(ours.createFile(file("replicate")).replicate().build(), file("replicate"));
    syncAndClose(ours.createFile(file("recursive/f")).recursive().build(), file("recursive/f"));
    syncAndClose(ours.createFile(plain).ecPolicyName(policy).build(), plain);
    syncAndClose(ours.createFile(plain).overwrite(true).ecPolicyName(policy).build(), plain);
  }

  @Test
  void aFileContextCreatesStreamsThatSync() throws Exception {
    Configuration conf = new Configuration(cluster.conf());
    conf.set("fs.AbstractFileSystem.hdfs.impl", StripelineHdfs.class.getName());
    FileContext context = FileContext.getFileContext(cluster.cluster.getURI(0), conf);
    EnumSet<CreateFlag> create = EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE);
    Path file = file("context/f");
    syncAndClose(context.create(file, create, CreateOpts.createParent()), file);
    syncAndClose(context.create(file, create), file);
  }

  @Test
  void aViewOfFileSystemsCreatesStreamsThatSync() throws Exception {
    Configuration conf = new Configuration(cluster.conf());
    conf.set("fs.hdfs.impl", StripelineFileSystem.class.getName());
    conf.setBoolean("fs.viewfs.impl.disable.cache", true);
    URI target = cluster.cluster.getURI(0).resolve(coded.toUri().getPath());
    conf.set("fs.viewfs.mounttable.all.link./logs", target.toString());
    try (FileSystem view = FileSystem.newInstance(URI.create("viewfs://all/"), conf)) {
      Path file = new Path("viewfs://all/logs/viewed");
      syncAndClose(view.create(file), file("viewed"));
    }
  }
}
