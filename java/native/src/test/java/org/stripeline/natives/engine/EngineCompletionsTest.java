// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.natives.codec.EcException;
import org.stripeline.natives.library.NeedsNativeLibrary;

/** Tests the state of tasks that the library does not report any more. */
@NeedsNativeLibrary
@Timeout(60)
class EngineCompletionsTest {
  private static final long NO_ENGINE = 0;

  @Test
  void unreportedTaskFailsAndItsBuffersAreNeverFreed() {
    EngineCompletions completions = new EngineCompletions(NO_ENGINE);
    ByteBuffer buffer = ByteBuffer.allocateDirect(64);
    WeakReference<ByteBuffer> kept = new WeakReference<>(buffer);
    EngineTask task = new EngineTask(null, 1, buffer);
    buffer = null;
    completions.add(task);
    completions.start(EngineCompletions::newThread);
    completions.join();
    assertThatThrownBy(task::join)
        .hasCauseInstanceOf(EcException.class)
        .hasMessageEndingWith("Cannot finish the task: its result was not reported");
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

  @Test
  void waitingForAllTasksExcludesATaskThatMayBeRefused() {
    EngineCompletions completions = new EngineCompletions(NO_ENGINE);
    EngineTask task = new EngineTask(null, 1, "a buffer");
    completions.add(task);
    assertThat(completions.underWay()).isEmpty();
    task.issued = true;
    assertThat(completions.underWay()).containsExactly(task);
  }

  @Test
  void aTaskEndsEvenIfTheReasonOfItsFailureCannotBeRead() {
    EngineCompletions completions = new EngineCompletions(NO_ENGINE);
    EngineTask task = new EngineTask(null, 1, "a buffer");
    completions.add(task);
    int failed = EcException.Kind.RAIL_FAILED.code();
    assertThatThrownBy(() -> completions.take(1, failed, 0))
        .isInstanceOf(IllegalStateException.class);
    assertThat(task).isDone();
    assertThatThrownBy(task::join)
        .hasCauseInstanceOf(EcException.class)
        .matches(e -> ((EcException) e.getCause()).kind() == EcException.Kind.RAIL_FAILED)
        .hasMessageEndingWith("Cannot finish the task: the reason is not available");
  }
}
