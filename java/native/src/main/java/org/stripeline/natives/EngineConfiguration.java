// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * How a {@link RailEngine} is set up. What is not set keeps the engine's default; the values are
 * checked when the engine is opened.
 *
 * <pre>{@code
 * EngineConfiguration.defaults().with(EngineConfiguration.RAILS_KEY, "cpu,isal")
 * }</pre>
 */
public final class EngineConfiguration {
  /** Whether Hadoop's coders go through the shared engine: {@code true} or {@code false}. */
  public static final String ENABLED_KEY = "stripeline.engine.enabled";

  /**
   * Names separated by commas: {@code cpu}, {@code isal}, {@code cuda}, {@code plugin:PATH}; {@code
   * auto} for the CPU and every GPU.
   */
  public static final String RAILS_KEY = "stripeline.engine.rails";

  /** {@code rate-aware}, {@code fcfs} or {@code single:NAME}. */
  public static final String SCHEDULING_KEY = "stripeline.engine.scheduling";

  /** Most tasks outstanding. */
  public static final String TASKS_MAX_KEY = "stripeline.engine.tasks-max";

  /** Most bytes of data outstanding. */
  public static final String BYTES_MAX_KEY = "stripeline.engine.bytes-max";

  /** What issuing does beyond these: {@code wait} or {@code refuse}. */
  public static final String WHEN_FULL_KEY = "stripeline.engine.when-full";

  /** Milliseconds after which a rail is taken to hang. */
  public static final String STALL_KEY = "stripeline.engine.stall-ms";

  /** Milliseconds that a failed rail stays out of service at first. */
  public static final String QUARANTINE_KEY = "stripeline.engine.quarantine-ms";

  /** Milliseconds within which a rail that added nothing to the total is tried again. */
  public static final String RETRY_KEY = "stripeline.engine.retry-ms";

  /**
   * One piece in so many is compared, for each rail and kind of task, besides the first 8; 0 for
   * none.
   */
  public static final String CHECK_EVERY_KEY = "stripeline.engine.check-every";

  /** Whether threads that wait for a call code meanwhile. */
  public static final String WAITING_THREADS_HELP_KEY = "stripeline.engine.waiting-threads-help";

  /**
   * Whether {@link #RAILS_KEY} may be {@code null}, a rail that codes nothing: {@code true} or
   * {@code false}. Outputs keep what they held then and no call fails, so only a measurement may
   * set it.
   */
  public static final String MEASURE_ONLY_KEY = "stripeline.engine.measure-only";

  /** Most workers of a rail, 0 for as many as it asks for. */
  public static final String WORKERS_MAX_KEY = "stripeline.engine.workers-max";

  /** The table that {@code stripeline tune} wrote; built-in values without one. */
  public static final String TUNING_KEY = "stripeline.engine.tuning";

  /** With whom CPUs are shared: {@code user}, {@code group:PATH} or {@code off}. */
  public static final String NODE_KEY = "stripeline.engine.node";

  /** This process' share of the CPUs in relation to others, 1 to 1000. */
  public static final String NODE_WEIGHT_KEY = "stripeline.engine.node-weight";

  private static final String PREFIX = "stripeline.engine.";

  private static final EngineConfiguration DEFAULTS = new EngineConfiguration(new TreeMap<>());

  private final TreeMap<String, String> values;

  private EngineConfiguration(TreeMap<String, String> values) {
    this.values = values;
  }

  /** Returns a configuration that sets nothing. */
  public static EngineConfiguration defaults() {
    return DEFAULTS;
  }

  /**
   * Returns what properties whose keys begin with {@code stripeline.engine.} say.
   *
   * @param properties such as the system's; other keys are skipped
   */
  public static EngineConfiguration of(Properties properties) {
    EngineConfiguration configuration = DEFAULTS;
    for (String key : properties.stringPropertyNames()) {
      if (key.startsWith(PREFIX) && !key.equals(ENABLED_KEY)) {
        configuration = configuration.with(key, properties.getProperty(key));
      }
    }
    return configuration;
  }

  /**
   * Returns this configuration with one more value.
   *
   * @param key one of the keys of this class, other than {@link #ENABLED_KEY}
   * @param value its value, on one line
   * @throws IllegalArgumentException if the key is not the engine's, or the value not on one line
   */
  public EngineConfiguration with(String key, String value) {
    if (key == null || !key.startsWith(PREFIX) || key.indexOf('\n') >= 0 || key.indexOf('=') >= 0) {
      throw new IllegalArgumentException(
          "Cannot configure the engine: key '" + key + "' does not begin with " + PREFIX);
    }
    if (value == null || value.indexOf('\n') >= 0) {
      throw new IllegalArgumentException(
          "Cannot configure the engine: the value of " + key + " is not one line of text");
    }
    TreeMap<String, String> more = new TreeMap<>(values);
    more.put(key.substring(PREFIX.length()), value);
    return new EngineConfiguration(more);
  }

  /** Returns the lines that the native library reads. */
  byte[] text() {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, String> value : values.entrySet()) {
      text.append(value.getKey()).append('=').append(value.getValue()).append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
