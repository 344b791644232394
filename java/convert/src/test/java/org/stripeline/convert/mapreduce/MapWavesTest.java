// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Collections;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.natives.Ticker;

class MapWavesTest {
  @TempDir java.nio.file.Path temporary;

  private static GroupOrder order() {
    return new GroupOrder("/tmp", 0, "/rack", Collections.emptyList());
  }

  /** A thread with an interrupt flag cannot write to the journal that it rolls its file back. */
  @Test
  void anEndedQueueRefusesOrdersWithoutAnInterrupt() {
    MapWaves waves = new MapWaves(null, null);
    waves.close();

    assertThatThrownBy(() -> waves.add(order(), null, null))
        .isExactlyInstanceOf(IOException.class)
        .hasMessage("Cannot run maps: the job is ending");
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  /** The NameNode does not answer once, when it is asked whether the job is paused. */
  @Test
  void aFailureBetweenTwoWavesFailsOnlyOneOfThem() throws Exception {
    AtomicBoolean isAway = new AtomicBoolean();
    try (ConvertCluster cluster = new ConvertCluster(temporary, 1, 1, conf -> {});
        DistributedFileSystem fs =
            new DistributedFileSystem() {
              @Override
              public FileStatus[] listStatus(Path path) throws IOException {
                if (isAway.compareAndSet(true, false)) {
                  throw new SocketTimeoutException("no NameNode");
                }
                return super.listStatus(path);
              }
            }) {
      fs.initialize(cluster.fs().getUri(), cluster.fs().getConf());
      JobSettings settings = ConvertCluster.striped("/x", "RS-3-2");
      JobDirectory directory = JobDirectory.create(fs, "/jobs", "waves", settings);
      try (Journal journal = Journal.create(fs, directory.journalFile());
          Job job = new Job(fs, settings, directory, journal, StepListener.NONE, Ticker.SYSTEM);
          MapWaves waves = new MapWaves(job, null)) {
        isAway.set(true);
        assertFails(waves.add(order(), () -> true, null), "no NameNode");
        // It is taken up, and found to be given up.
        assertFails(waves.add(order(), () -> true, null), "was cancelled");
      }
    }
  }

  /** Without a job, the dispatcher fails; then the log fails as well. */
  @Test
  void anOrderIsAnsweredAlthoughTheLogFails() throws Exception {
    AppenderSkeleton log =
        new AppenderSkeleton() {
          @Override
          protected void append(LoggingEvent event) {
            throw new IllegalStateException("no space for the log");
          }

          @Override
          public void close() {}

          @Override
          public boolean requiresLayout() {
            return false;
          }
        };
    Logger logger = Logger.getLogger(MapWaves.class);
    logger.addAppender(log);
    try (MapWaves waves = new MapWaves(null, null)) {
      assertFails(waves.add(order(), null, null), "NullPointerException");
      assertThatThrownBy(() -> waves.add(order(), null, null))
          .hasMessage("Cannot run maps: the job is ending");
    } finally {
      logger.removeAppender(log);
    }
  }

  private static void assertFails(Future<GroupAnswer> answer, String text) {
    assertThatThrownBy(() -> answer.get(60, TimeUnit.SECONDS)).hasStackTraceContaining(text);
  }
}
