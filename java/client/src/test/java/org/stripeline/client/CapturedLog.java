// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import java.io.StringWriter;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.SimpleLayout;
import org.apache.log4j.WriterAppender;

/** Captures the messages of a class at WARN and above, which are then not printed. */
public final class CapturedLog implements AutoCloseable {
  private final StringWriter text = new StringWriter();
  private final WriterAppender appender = new WriterAppender(new SimpleLayout(), text);
  private final Logger logger;

  /** Starts to capture. */
  public CapturedLog(Class<?> type) {
    logger = Logger.getLogger(type);
    logger.addAppender(appender);
    logger.setAdditivity(false);
    logger.setLevel(Level.WARN);
  }

  /** Returns the messages captured so far. */
  public String text() {
    return text.toString();
  }

  @Override
  public void close() {
    logger.removeAppender(appender);
    logger.setAdditivity(true);
    logger.setLevel(null);
  }
}
