// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.atomic.AtomicReference;
import javax.security.auth.Subject;
import org.junit.jupiter.api.Test;

class SharedThreadsTest {
  private static final InheritableThreadLocal<String> LOCAL = new InheritableThreadLocal<>();

  /** The state that a Java thread inherits from the thread that creates it. */
  private static final class Inherited {
    final Thread thread = Thread.currentThread();
    final ThreadGroup group = thread.getThreadGroup();
    final ClassLoader loader = thread.getContextClassLoader();
    final int priority = thread.getPriority();
    final String local = LOCAL.get();
    final Subject subject = Subject.getSubject(AccessController.getContext());
  }

  @Test
  void threadsInheritNothing() throws Exception {
    AtomicReference<Inherited> plain = new AtomicReference<>();
    AtomicReference<Inherited> shared = new AtomicReference<>();
    try (URLClassLoader loader = new URLClassLoader(new URL[0])) {
      Thread application =
          new Thread(
              new ThreadGroup("application"),
              () -> {
                LOCAL.set("application");
                Thread.currentThread().setContextClassLoader(loader);
                Thread.currentThread().setPriority(Thread.MIN_PRIORITY);
                Subject.doAs(
                    new Subject(),
                    (PrivilegedAction<Void>)
                        () -> {
                          run(new Thread(() -> plain.set(new Inherited())));
                          run(
                              new SharedThreads("shared-")
                                  .newThread(() -> shared.set(new Inherited())));
                          return null;
                        });
              });
      run(application);
      assertThat(plain.get().loader).isSameAs(loader);
    }

    assertThat(plain.get().local).isEqualTo("application");
    assertThat(plain.get().subject).isNotNull();
    Inherited got = shared.get();
    assertThat(got.thread.getName()).isEqualTo("shared-1");
    assertThat(got.thread.isDaemon()).isTrue();
    assertThat(got.local).isNull();
    assertThat(got.subject).isNull();
    assertThat(got.loader).isSameAs(SharedThreads.class.getClassLoader());
    assertThat(got.priority).isEqualTo(Thread.NORM_PRIORITY);
    assertThat(got.group.getParent()).isNull();
  }

  private static void run(Thread thread) {
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
