// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.BlockFingerprints.Outcome;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.natives.Ticker;

/** Tests the rate of reads, how many there are at once, and their end. */
class ScrubLimitsTest extends ReplicaReads {
  @Test
  void oneCallReadsAStorageAtATime() throws Exception {
    Written first = new Written(300_000);
    Written same = new Written(1000);
    while (!same.storage().equals(first.storage())) {
      same = new Written(1000);
    }
    Written other = new Written(1000);
    while (other.storage().equals(first.storage())) {
      other = new Written(1000);
    }
    FingerprintRequest busy = same.request().build();
    FingerprintRequest idle = other.request().build();
    ReplicaFingerprints[] reader = new ReplicaFingerprints[1];
    reader[0] =
        interrupted(
            () -> {
              String storage = first.storage();
              refused(AgentException.Kind.BUSY, storage, () -> reader[0].read(busy));
              assertThat(reader[0].read(idle).outcome).isEqualTo(Outcome.READ);
            });
    assertThat(reader[0].read(first.request().build()).windows).isEqualTo(5);
    assertThat(reader[0].read(busy).outcome).isEqualTo(Outcome.READ);
    assertThat(reader[0].bufferBytes()).isEqualTo(2L * DirectFile.BUFFER_BYTES);
  }

  /** A window of 64,000 bytes takes a quarter of a second at 256,000 bytes per second. */
  @Test
  void callsKeepTheRateAndEndInTime() throws Exception {
    Written file = new Written(30 * WINDOW);
    SkippingTicker ticker = new SkippingTicker();
    ReplicaFingerprints reader = reader(256_000, ticker);
    long start = ticker.now;
    BlockFingerprints answer = reader.read(file.request().bytesPerSecond(1 << 30).build());
    assertThat(ticker.now - start).isEqualTo(ReplicaFingerprints.CALL_NANOS);
    assertThat(answer.outcome).isEqualTo(Outcome.READ);
    assertThat(answer.fingerprints()).isDeepEqualTo(expected(file.data, 0, 21));
    answer = reader.read(file.request().windows(21, 9).build());
    assertThat(answer.fingerprints()).isDeepEqualTo(expected(file.data, 21, 9));
    assertThat(ticker.now - start).isEqualTo(29 * TimeUnit.MILLISECONDS.toNanos(250));
  }

  @Test
  void aCallCanAskForALowerRate() throws Exception {
    Written file = new Written(3 * WINDOW);
    SkippingTicker ticker = new SkippingTicker();
    ReplicaFingerprints reader = reader(1L << 30, ticker);
    long start = ticker.now;
    reader.read(file.request().bytesPerSecond(FingerprintRequest.RATE_MIN).build());
    long two = 2 * (WINDOW * TimeUnit.SECONDS.toNanos(1) / FingerprintRequest.RATE_MIN);
    assertThat(ticker.now - start).isEqualTo(two);
    reader.read(file.request().bytesPerSecond(FingerprintRequest.RATE_MIN).build());
    assertThat(ticker.now - start).as("the limit is of each call").isEqualTo(2 * two);
  }

  @Test
  void callsThatWaitEndWhenTheAgentStops() throws Exception {
    Written file = new Written(300_000);
    ReplicaFingerprints[] closes = new ReplicaFingerprints[1];
    Ticker standing =
        new Ticker() {
          @Override
          public long nanos() {
            return 0;
          }

          @Override
          public void timedWait(Object monitor, long timeoutNanos) {
            closes[0].close();
          }
        };
    ReplicaFingerprints reader = reader(256_000, standing);
    closes[0] = reader;
    FingerprintRequest request = file.request().build();
    refused(AgentException.Kind.NO_AGENT, "is being stopped", () -> reader.read(request));
    refused(AgentException.Kind.NO_AGENT, "is being stopped", () -> reader.read(request));
    assertThat(probe().users()).isZero();
  }

  /** A clock that stands still, and whose waits are interrupted. */
  private static final Ticker INTERRUPTING =
      new Ticker() {
        @Override
        public long nanos() {
          return 0;
        }

        @Override
        public void timedWait(Object monitor, long timeoutNanos) throws InterruptedException {
          throw new InterruptedException();
        }
      };

  @Test
  void callsThatWaitEndWhenTheServerInterruptsThem() throws Exception {
    Written file = new Written(300_000);
    ReplicaFingerprints reader = reader(256_000, INTERRUPTING);
    FingerprintRequest request = file.request().build();
    refused(AgentException.Kind.NO_AGENT, "is being stopped", () -> reader.read(request));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(probe().users()).isZero();
  }

  /** Each call that is interrupted has entered one window, a quarter of a second. */
  @Test
  void callsAreRefusedWhenOthersUseTheWholeRate() throws Exception {
    Written file = new Written(300_000);
    ReplicaFingerprints reader = reader(256_000, INTERRUPTING);
    FingerprintRequest first = file.request().windows(0, 1).build();
    assertThat(reader.read(first).windows).isEqualTo(1);
    long calls = ReplicaFingerprints.WAIT_NANOS / TimeUnit.MILLISECONDS.toNanos(250);
    for (int i = 0; i < calls; i++) {
      refused(AgentException.Kind.NO_AGENT, "is being stopped", () -> reader.read(first));
      assertThat(Thread.interrupted()).isTrue();
    }
    refused(AgentException.Kind.BUSY, "the whole rate", () -> reader.read(first));
    assertThat(probe().users()).isZero();
  }

  /** A read that an interrupt ends closes its file, which is no error of the disk. */
  @Test
  void interruptedReadsAreNoFindings() throws Exception {
    Written file = new Written(300_000);
    ReplicaFingerprints reader = interrupted(() -> Thread.currentThread().interrupt());
    FingerprintRequest request = file.request().build();
    refused(AgentException.Kind.NO_AGENT, "is being stopped", () -> reader.read(request));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(reader.read(request).windows).isEqualTo(5);
  }
}
