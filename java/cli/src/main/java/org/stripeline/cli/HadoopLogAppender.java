// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.spi.LoggingEvent;

/** Writes what log4j passes on to {@link HadoopLog}, stack traces included. */
public final class HadoopLogAppender extends AppenderSkeleton {
  @Override
  protected void append(LoggingEvent event) {
    StringBuilder text = new StringBuilder(layout.format(event));
    String[] trace = event.getThrowableStrRep();
    if (trace != null) {
      for (String line : trace) {
        text.append(line).append('\n');
      }
    }
    HadoopLog.OfProcess.LOG.write(text.toString());
  }

  @Override
  public boolean requiresLayout() {
    return true;
  }

  @Override
  public void close() {
    // The file is open to the end of the process.
  }
}
