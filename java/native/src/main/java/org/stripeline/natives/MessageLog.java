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
  public abstract void info(String message);

  /** Logs what an operator should look at. */
  public abstract void warn(String message);

  /** Logs a failure. */
  public abstract void error(String message, Throwable cause);

  private static final class Slf4jLog extends MessageLog {
    private final org.slf4j.Logger logger;

    Slf4jLog(Class<?> source) {
      logger = LoggerFactory.getLogger(source);
    }

    @Override
    public void info(String message) {
      logger.info(message);
    }

    @Override
    public void warn(String message) {
      logger.warn(message);
    }

    @Override
    public void error(String message, Throwable cause) {
      logger.error(message, cause);
    }
  }

  private static final class JavaLog extends MessageLog {
    private final Logger logger;

    JavaLog(Class<?> source) {
      logger = Logger.getLogger(source.getName());
    }

    @Override
    public void info(String message) {
      logger.info(message);
    }

    @Override
    public void warn(String message) {
      logger.warning(message);
    }

    @Override
    public void error(String message, Throwable cause) {
      logger.log(Level.SEVERE, message, cause);
    }
  }
}
