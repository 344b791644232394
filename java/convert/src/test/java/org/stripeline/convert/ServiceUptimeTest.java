// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.service.ServiceStatus;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.ExitStatus;

/** Tests what is left of the passes of a service that runs for days. */
@Tag("full")
@Timeout(300)
@Tag("own-jvm")
class ServiceUptimeTest extends ServiceTestCase {
  private static final int WARM = 20;
  private static final int HOUR_MS = 3_600_000;

  /** Waits for a pass are over at once, because they put the clock forward. */
  private final AtomicLong hours = new AtomicLong();

  private final Ticker hourly =
      new Ticker() {
        @Override
        public long nanos() {
          return Ticker.SYSTEM.nanos() + TimeUnit.HOURS.toNanos(hours.get());
        }

        @Override
        public void timedWait(Object monitor, long timeoutNanos) {
          hours.incrementAndGet();
        }
      };

  private static long threadsOfService() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("stripeline"))
        .count();
  }

  private static int filesIn(String directory) throws Exception {
    return cluster.fs().listStatus(new Path(directory)).length;
  }

  @Test
  void passesLeaveNothingBehind() throws Exception {
    passesLeaveNothingBehind(60);
  }

  @Test
  @Tag("conformance")
  void passesOfAWeekLeaveNothingBehind() throws Exception {
    passesLeaveNothingBehind(24 * 7);
  }

  private void passesLeaveNothingBehind(int count) throws Exception {
    String tree = "/hours-" + count;
    write(tree + "/a", 2, 3);
    cluster.fs().mkdirs(new Path(tree, "new"));
    rules(rule("hours", tree, COPY), rule("none", "/none-*", COPY));
    AtomicLong passes = new AtomicLong();
    long[] warm = new long[2];
    try (DistributedFileSystem fs = cluster.client()) {
      ConversionService[] service = new ConversionService[1];
      service[0] =
          service(
              fs,
              (settings, layout, observer, isOver) -> {
                int status = job(settings, layout, observer, isOver);
                long pass = passes.incrementAndGet();
                if (pass == WARM) {
                  warm[0] = threadsOfService();
                  warm[1] = Thread.activeCount();
                } else if (pass == count) {
                  service[0].stop();
                }
                return status;
              },
              hourly);
      Future<Integer> serving = threads.submit(() -> service[0].serve(HOUR_MS));
      assertThat(serving.get(200, TimeUnit.SECONDS)).isEqualTo(ExitStatus.SOUND);
      assertThat(Thread.activeCount()).isLessThan((int) warm[1] + 20);
      assertThat(threadsOfService()).isLessThanOrEqualTo(warm[0]);
    }
    ServiceStatus last = status();
    assertThat(last.passes).isEqualTo(count);
    assertThat(last.filesConverted).isEqualTo(1);
    // The lease, the status and the one job that had something to do.
    assertThat(filesIn(jobs)).isEqualTo(3);
    assertThat(swapped).containsExactly(tree + "/a");
  }
}
