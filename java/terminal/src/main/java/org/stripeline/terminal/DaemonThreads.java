// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.util.concurrent.ThreadFactory;

/** Creates threads that do not keep the process alive. */
public final class DaemonThreads {
  private DaemonThreads() {}

  /** Returns a factory whose threads all have one name. */
  public static ThreadFactory named(String name) {
    return task -> {
      Thread made = new Thread(task, name);
      made.setDaemon(true);
      return made;
    };
  }
}
