// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.natives.Ticker;

/** Tests the end of a walk in a process that has reached its limits. */
class JobRunTest {
  @TempDir java.nio.file.Path temporary;

  @Test
  void aWalkWhoseThreadsCannotBeCreatedFails() throws Exception {
    ThreadFactory none =
        task -> {
          throw new OutOfMemoryError("unable to create native thread");
        };
    try (ConvertCluster cluster = new ConvertCluster(temporary, 3, 1, conf -> {})) {
      cluster.write("/threads/a", 3 * ConvertCluster.BLOCK);
      DistributedFileSystem fs = cluster.fs();
      JobSettings settings = ConvertCluster.striped("/threads", "RS-3-2");
      String root = JobDirectory.ROOT_DEFAULT;
      JobDirectory directory = JobDirectory.create(fs, root, "threads", settings);
      try (Journal journal = Journal.create(fs, directory.journalFile());
          Job job = new Job(fs, settings, directory, journal, StepListener.NONE, Ticker.SYSTEM)) {
        JobRun run = JobRun.of(job, JobObserver.NONE, null, null, null);
        assertTimeoutPreemptively(
            Duration.ofMinutes(1),
            () ->
                assertThatThrownBy(() -> run.walk(root, none))
                    .isInstanceOf(OutOfMemoryError.class));
      }
    }
  }
}
