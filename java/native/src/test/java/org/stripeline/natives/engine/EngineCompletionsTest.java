// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
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
  void buffersOfAnUnreportedTaskOutliveTheirClassLoader() throws Exception {
    WeakReference<?> kept = new WeakReference<>(leave(false));
    WeakReference<?> freed = new WeakReference<>(leave(true));
    while (freed.get() != null) {
      System.gc();
      Thread.yield();
    }
    System.gc();
    assertThat(kept.get()).isNotNull();
  }

  /** Loads {@link Isolated} apart, calls it, and returns what nothing but its classes refers to. */
  private static Object leave(boolean reported) throws Exception {
    URL[] places = {place(EngineCompletions.class), place(Isolated.class)};
    try (URLClassLoader loader = new URLClassLoader(places, null)) {
      Class<?> isolated = loader.loadClass(Isolated.class.getName());
      return isolated.getMethod("leave", boolean.class).invoke(null, reported);
    }
  }

  private static URL place(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  /** Leaves a task behind. */
  public static final class Isolated {
    /** A part of this class, unlike the task. */
    private static final Object LOADED = new Object();

    private Isolated() {}

    /** Returns the buffer of the task if it is not reported, or else a part of this class. */
    public static Object leave(boolean reported) {
      EngineCompletions completions = new EngineCompletions(NO_ENGINE);
      ByteBuffer buffer = ByteBuffer.allocateDirect(64);
      EngineTask task = new EngineTask(null, 1, buffer);
      completions.add(task);
      if (reported) {
        completions.forget(task);
      }
      completions.start(EngineCompletions::newThread);
      completions.join();
      return reported ? LOADED : buffer;
    }
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
