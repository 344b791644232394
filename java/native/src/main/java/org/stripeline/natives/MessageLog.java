// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs messages by SLF4J if it is on the class path, as it is beside Hadoop, else by {@code
 * java.util.logging}: programs that use only the codecs and the engine need no further jar.
 */
public abstract class MessageLog {
  MessageLog() {}

  /**
   * Returns the log of a class.
   *
   * @param source the class, whose name the messages carry
   * @return a log for messages of any thread
   */
  public static MessageLog of(Class<?> source) {
    try {
      return new Slf4jLog(source);
    } catch (NoClassDefFoundError e) {
      return new JavaLog(source);
    }
  }

  /** Logs what is worth knowing. */
  public final void info(String message) {
    log(Level.INFO, message, null);
  }

  /** Logs what an operator should look at. */
  public final void warn(String message) {
    log(Level.WARNING, message, null);
  }

  /** Logs a failure. */
  public final void error(String message, Throwable cause) {
    log(Level.SEVERE, message, cause);
  }

  abstract void log(Level level, String message, Throwable cause);

  private static final class Slf4jLog extends MessageLog {
    private final org.slf4j.Logger logger;

    Slf4jLog(Class<?> source) {
      logger = LoggerFactory.getLogger(source);
    }

    @Override
    void log(Level level, String message, Throwable cause) {
      if (level.equals(Level.INFO)) {
        logger.info(message, cause);
      } else if (level.equals(Level.WARNING)) {
        logger.warn(message, cause);
      } else {
        logger.error(message, cause);
      }
    }
  }

  private static final class JavaLog extends MessageLog {
    private final Logger logger;

    JavaLog(Class<?> source) {
      logger = Logger.getLogger(source.getName());
    }

    @Override
    void log(Level level, String message, Throwable cause) {
      logger.log(level, message, cause);
    }
  }
}
