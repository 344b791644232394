// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the values of Stripeline's keys. An invalid value is replaced by the key's default and
 * logged once per process at WARN, so that a wrong setting does not prevent programs from opening a
 * file system.
 */
public final class ClientSettings {
  private static final Logger LOG = LoggerFactory.getLogger(ClientSettings.class);

  /**
   * The messages that were logged; the set stays small because a process has few keys and few
   * values.
   */
  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

  private final Configuration conf;
  private final List<String> refused = new ArrayList<>();

  /** Creates a reader of {@code conf}. */
  public ClientSettings(Configuration conf) {
    this.conf = conf;
  }

  /** Returns a number of bytes of at least {@code least}. */
  public long bytes(String key, long defaultValue, long least) {
    return number(
        key, () -> conf.getLongBytes(key, defaultValue), defaultValue, least, "a number of bytes");
  }

  /** Returns a time of at least {@code least} milliseconds, in milliseconds. */
  public long millis(String key, long defaultValue, long least) {
    return number(
        key,
        () -> conf.getTimeDuration(key, defaultValue, TimeUnit.MILLISECONDS),
        defaultValue,
        least,
        "a time, in milliseconds or with a unit such as 5s,");
  }

  /** Returns a number of at least {@code least}. */
  public int count(String key, int defaultValue, int least) {
    return (int) number(key, () -> conf.getInt(key, defaultValue), defaultValue, least, "a number");
  }

  /** Returns a number; a configured value below {@code least} is raised to {@code least}. */
  public int countRaised(String key, int defaultValue, int least) {
    int count = count(key, defaultValue, 1);
    if (count < least) {
      refuse(key, "use a number of at least " + least, least + " applies");
    }
    return Math.max(least, count);
  }

  /** Returns true or false. */
  public boolean flag(String key, boolean defaultValue) {
    return choice(
        key,
        String.valueOf(defaultValue),
        value -> {
          if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw new IllegalArgumentException("use true or false");
          }
          return Boolean.valueOf(value);
        });
  }

  /**
   * Returns one of several values.
   *
   * @param parse throws an IllegalArgumentException whose message lists the valid values
   */
  public <T> T choice(String key, String defaultValue, Function<String, T> parse) {
    String value = conf.getTrimmed(key, defaultValue);
    try {
      return parse.apply(value);
    } catch (IllegalArgumentException e) {
      refuse(key, e.getMessage(), inForce(defaultValue));
      return parse.apply(defaultValue);
    }
  }

  /** Returns the messages about invalid values, in the order of reading. */
  public List<String> refused() {
    return Collections.unmodifiableList(refused);
  }

  private interface Value {
    long get();
  }

  private long number(String key, Value value, long defaultValue, long least, String what) {
    try {
      long number = value.get();
      if (number >= least) {
        return number;
      }
    } catch (IllegalArgumentException notANumber) {
      // Hadoop's message names neither the key nor a range.
    }
    refuse(key, "use " + what + " of at least " + least, inForce(String.valueOf(defaultValue)));
    return defaultValue;
  }

  private static String inForce(String defaultValue) {
    return "the default, " + defaultValue + ", applies";
  }

  private void refuse(String key, String use, String inForce) {
    String message = "Cannot use " + key + " '" + conf.get(key) + "': " + use;
    if (!refused.contains(message)) {
      refused.add(message);
    }
    if (LOGGED.add(message)) {
      LOG.warn("{}; {}", message, inForce);
    }
  }
}
