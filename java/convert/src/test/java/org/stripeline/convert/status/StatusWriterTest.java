// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.natives.Ticker;

/** Tests what a driver records while HDFS hangs, and after another driver has its job. */
class StatusWriterTest {
  @TempDir static java.nio.file.Path parent;
  private static ConvertCluster cluster;

  private final HangingFileSystem fs = new HangingFileSystem();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private JobDirectory directory;
  private Journal journal;
  private Job job;

  /** A client whose renames wait, like calls to a NameNode that does not answer. */
  private static final class HangingFileSystem extends DistributedFileSystem {
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch released = new CountDownLatch(1);
    volatile boolean hangs;

    @Override
    @SuppressWarnings("deprecation")
    public void rename(Path from, Path to, Options.Rename... options) throws IOException {
      if (hangs) {
        entered.countDown();
        try {
          released.await();
        } catch (InterruptedException e) {
          throw new InterruptedIOException();
        }
      }
      super.rename(from, to, options);
    }
  }

  @BeforeAll
  static void start() throws IOException {
    cluster = new ConvertCluster(parent, 1, 1, conf -> {});
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void begin(TestInfo test) throws IOException {
    fs.initialize(cluster.fs().getUri(), cluster.fs().getConf());
    JobSettings settings = ConvertCluster.striped("/x", "RS-3-2");
    String name = test.getTestMethod().get().getName();
    directory = JobDirectory.create(fs, "/jobs", name, settings);
    journal = Journal.create(fs, directory.journalFile());
    job = new Job(fs, settings, directory, journal, StepListener.NONE, Ticker.SYSTEM);
  }

  @AfterEach
  void end() throws IOException {
    fs.released.countDown();
    threads.shutdown();
    job.close();
    journal.close();
    fs.close();
  }

  private StatusWriter writer() {
    return new StatusWriter(job, JobObserver.NONE);
  }

  private static Totals totals() {
    Totals totals = new Totals();
    totals.files = 2;
    totals.bytes = 100;
    return totals;
  }

  private JobStatus recorded() throws IOException {
    return directory.status(JobStatus.class);
  }

  @Test
  void bytesAreCountedWhileTheNameNodeDoesNotAnswer() throws Exception {
    StatusWriter writer = writer();
    writer.begun(directory, totals());
    fs.hangs = true;
    Future<?> status =
        threads.submit(
            () -> {
              for (int second = 0; second < StatusWriter.WRITE_SECONDS; second++) {
                writer.tick();
              }
            });
    assertThat(fs.entered.await(60, TimeUnit.SECONDS)).isTrue();

    Future<?> data =
        threads.submit(
            () -> {
              writer.advanced(70);
              writer.ended("/x/a", 70, FileOutcome.converted(70));
            });
    data.get(60, TimeUnit.SECONDS);
    assertThat(status.isDone()).isFalse();

    fs.hangs = false;
    fs.released.countDown();
    status.get(60, TimeUnit.SECONDS);
    assertThat(recorded().bytesConverted).isZero();
    writer.end(JobState.FINISHED);
    assertThat(recorded().bytesConverted).isEqualTo(70);
    assertThat(recorded().filesConverted).isEqualTo(1);
  }

  @Test
  void aCancelledJobKeepsTheBytesOfFilesThatItsCancellationEnded() throws Exception {
    StatusWriter writer = writer();
    writer.begun(directory, totals());
    writer.advanced(40);
    writer.ended("/x/a", 40, FileOutcome.converted(40));
    writer.ended("/x/b", 60, FileOutcome.failed("the job was cancelled"));
    writer.end(JobState.CANCELLED);
    assertThat(recorded().bytes).isEqualTo(100);
    assertThat(recorded().bytesConverted).isEqualTo(40);
  }

  @Test
  void aDriverThatWasReplacedRecordsNothingAnyMore() throws Exception {
    StatusWriter old = writer();
    old.begun(directory, totals());
    assertThat(recorded().driver).isEqualTo(1);

    StatusWriter successor = writer();
    successor.begun(directory, totals());
    assertThat(recorded().driver).isEqualTo(2);
    old.advanced(50);
    old.end(JobState.FINISHED);
    assertThat(recorded().driver).isEqualTo(2);
    assertThat(recorded().bytesConverted).isZero();
    assertThat(recorded().ended).isNull();

    successor.advanced(60);
    successor.end(JobState.FINISHED);
    assertThat(recorded().bytesConverted).isEqualTo(60);
    assertThat(recorded().ended).isEqualTo(JobState.FINISHED);
  }

  @Test
  void aStatusThatCannotBeReadIsReplaced() throws Exception {
    StatusWriter writer = writer();
    writer.begun(directory, totals());
    try (FSDataOutputStream out = fs.create(new Path(directory.path(), "status.json"), true)) {
      out.writeBytes("{\"driver\": [");
    }
    writer.advanced(30);
    writer.end(JobState.FINISHED);
    assertThat(recorded().bytesConverted).isEqualTo(30);
    assertThat(recorded().driver).isEqualTo(1);
  }

  @Test
  void filesThatWereNotPlannedCountForTheTotal() throws Exception {
    StatusWriter writer = writer();
    writer.begun(directory, totals());
    for (String name : new String[] {"/x/a", "/x/b"}) {
      writer.ended(name, 50, FileOutcome.converted(50));
    }
    writer.ended("/x/c", 0, FileOutcome.failed("there are too few DataNodes"));
    writer.end(JobState.FINISHED);

    assertThat(recorded().files).isEqualTo(3);
    assertThat(recorded().filesFailed).isEqualTo(1);
  }
}
