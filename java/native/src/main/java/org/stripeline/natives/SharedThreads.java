// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Creates the threads that a process shares. A Java thread inherits state from the thread that
 * creates it: class loader, thread locals, user, group and priority. Shared threads outlive the
 * caller that needs the first of them, so they inherit none of it: an application that was unloaded
 * must not stay in memory, and its caller context must not appear in calls made for others.
 */
public final class SharedThreads implements ThreadFactory {
  /** The constructor that exists from Java 9 on. */
  private static final MethodHandle WITHOUT_LOCALS = constructorWithoutLocals();

  /** The field that the constructor of Java 8 sets. */
  private static final Field LOCALS = WITHOUT_LOCALS == null ? inheritedLocals() : null;

  private final String prefix;
  private final AtomicInteger count = new AtomicInteger();

  /**
   * Creates a factory.
   *
   * @param prefix the prefix of its threads' names; a number follows
   */
  public SharedThreads(String prefix) {
    this.prefix = prefix;
  }

  @Override
  public Thread newThread(Runnable task) {
    return create(task, prefix + count.incrementAndGet());
  }

  /** Creates a daemon thread, which the caller starts. */
  public static Thread create(Runnable task, String name) {
    // Without the callers on the stack, and therefore without their user.
    return AccessController.doPrivileged(
        (PrivilegedAction<Thread>)
            () -> {
              Thread thread = withoutLocals(topGroup(), task, name);
              thread.setDaemon(true);
              thread.setPriority(Thread.NORM_PRIORITY);
              thread.setContextClassLoader(SharedThreads.class.getClassLoader());
              return thread;
            });
  }

  private static ThreadGroup topGroup() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    return group;
  }

  private static Thread withoutLocals(ThreadGroup group, Runnable task, String name) {
    try {
      if (WITHOUT_LOCALS != null) {
        return (Thread) WITHOUT_LOCALS.invokeExact(group, task, name, 0L, false);
      }
      Thread thread = new Thread(group, task, name);
      if (LOCALS != null) {
        LOCALS.set(thread, null);
      }
      return thread;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Cannot create thread " + name, e);
    }
  }

  private static MethodHandle constructorWithoutLocals() {
    try {
      return MethodHandles.publicLookup()
          .findConstructor(
              Thread.class,
              MethodType.methodType(
                  void.class,
                  ThreadGroup.class,
                  Runnable.class,
                  String.class,
                  long.class,
                  boolean.class));
    } catch (ReflectiveOperationException java8) {
      return null;
    }
  }

  private static Field inheritedLocals() {
    try {
      Field field = Thread.class.getDeclaredField("inheritableThreadLocals");
      field.setAccessible(true);
      return field;
    } catch (ReflectiveOperationException | RuntimeException notAsInJava8) {
      return null;
    }
  }
}
