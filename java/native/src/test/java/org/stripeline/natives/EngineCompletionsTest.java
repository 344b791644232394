// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of tasks when the library does not report them any more. */
@NeedsNativeLibrary
@Timeout(60)
class EngineCompletionsTest {
  private static final long NO_ENGINE = 0;

  @Test
  void unreported_task_fails_and_its_buffers_are_never_freed() {
    EngineCompletions completions = new EngineCompletions(NO_ENGINE);
    ByteBuffer buffer = ByteBuffer.allocateDirect(64);
    WeakReference<ByteBuffer> kept = new WeakReference<>(buffer);
    EngineTask task = new EngineTask(null, 1, buffer);
    buffer = null;
    completions.add(task);
    completions.start();
    completions.join();
    assertThatThrownBy(task::join)
        .hasCauseInstanceOf(EcException.class)
        .hasMessageEndingWith("Cannot finish the task: its end was not reported");
    assertThat(EngineCompletions.UNREPORTED).contains(task);
    System.gc();
    assertThat(kept.get()).isNotNull();
    completions.forget(task);
    assertThat(EngineCompletions.UNREPORTED).doesNotContain(task);
    assertThatThrownBy(() -> completions.add(task))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Cannot issue a task: the engine is closed");
    assertThat(completions.underWay()).isEmpty();
  }
}
