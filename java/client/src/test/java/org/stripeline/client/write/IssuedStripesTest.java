// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.stripeline.client.WriteMode;

/** Tests stripes whose parity is issued to coders beside the CPUs. */
@Timeout(60)
class IssuedStripesTest extends StripePipelineCase {
  /** No thread waits for them, so that all of them can be in flight. */
  @ParameterizedTest
  @EnumSource(
      value = WriteMode.class,
      names = {"FUNCTIONAL_PARTITIONED", "NON_BLOCKING"})
  void whatIsIssuedIsInFlightTogetherAndSentInOrder(WriteMode mode) throws Exception {
    issued = new ArrayList<>();
    StripePipeline pipeline = pipeline(mode);
    for (int i = 0; i < WriteSettings.STRIPES_MIN; i++) {
      submit(pipeline, i, i == 0);
    }
    assertThat(issued).hasSize(WriteSettings.STRIPES_MIN);
    for (int i = WriteSettings.STRIPES_MIN - 1; i >= 0; i--) {
      assertThat(events).doesNotContain("stripe 0");
      issued.get(i).complete(null);
    }
    pipeline.finish();
    assertThat(events).containsExactly("group", "stripe 0", "stripe 1", "stripe 2");
    assertThat(withParity).containsOnly(true).hasSize(WriteSettings.STRIPES_MIN);
  }

  /** The engine is full or closed, or all of its rails have failed. */
  @ParameterizedTest
  @CsvSource({
    "FUNCTIONAL_PARTITIONED, true",
    "FUNCTIONAL_PARTITIONED, false",
    "NON_BLOCKING, true",
    "NON_BLOCKING, false",
    "BLOCKING, true",
    "BLOCKING, false"
  })
  void whatTheEngineCannotCodeIsEncodedWithoutIt(WriteMode mode, boolean isRefused)
      throws IOException {
    issued =
        new ArrayList<>() {
          @Override
          public boolean add(CompletableFuture<Void> future) {
            if (isRefused) {
              throw new IllegalStateException("closed");
            }
            return future.completeExceptionally(new IOException("no rail is left"));
          }
        };
    StripePipeline pipeline = pipeline(mode);
    submit(pipeline, 0, true);
    pipeline.finish();
    assertThat(events).containsExactly("group", "stripe 0");
    assertThat(withParity).containsExactly(false);
  }

  /** A future that cannot be followed, for lack of memory, is waited for. */
  @ParameterizedTest
  @EnumSource(
      value = WriteMode.class,
      names = {"FUNCTIONAL_PARTITIONED", "NON_BLOCKING", "BLOCKING"})
  void buffersAreKeptThoughTheEndCannotBeFollowed(WriteMode mode) throws IOException {
    device =
        new CompletableFuture<>() {
          @Override
          public CompletableFuture<Void> whenComplete(
              BiConsumer<? super Void, ? super Throwable> action) {
            new Thread(
                    () -> {
                      assertThat(pool.taken()).isPositive();
                      complete(null);
                    })
                .start();
            throw new OutOfMemoryError("no memory for a dependent action");
          }
        };
    issued = new ArrayList<>();
    StripePipeline pipeline = pipeline(mode);
    submit(pipeline, 0, true);
    pipeline.finish();
    assertThat(events).containsExactly("group", "stripe 0");
  }

  /** A device may still write into them. */
  @Test
  void buffersAreKeptUntilWhatIsIssuedHasEnded() throws Exception {
    issued = new ArrayList<>();
    StripePipeline pipeline = pipeline(WriteMode.FUNCTIONAL_PARTITIONED);
    submit(pipeline, 0, true);
    pipeline.fail(new IOException("a DataNode"));
    assertThatThrownBy(pipeline::finish).hasMessage("a DataNode");
    assertThat(pipeline.occupied()).isEqualTo(1);
    assertThat(pool.taken()).isPositive();
    encoderFailure = new IllegalStateException("encoded what was abandoned");
    issued.get(0).complete(null);
    await(() -> pipeline.occupied() == 0);
    assertThat(pipeline.failure()).hasMessage("a DataNode");
  }
}
