// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The configuration of a {@link RailEngine}. Keys that are not set have the engine's defaults;
 * values are checked when the engine is opened.
 *
 * <pre>{@code
 * EngineConfiguration.defaults().with(EngineConfiguration.RAILS_KEY, "cpu,isal")
 * }</pre>
 */
public final class EngineConfiguration {
  /** Whether Hadoop's coders use the shared engine: {@code true} or {@code false}. */
  public static final String ENABLED_KEY = "stripeline.engine.enabled";

  /**
   * Names separated by commas: {@code cpu}, {@code isal}, {@code cuda}, {@code plugin:PATH}; {@code
   * auto} means the CPU and every GPU.
   */
  public static final String RAILS_KEY = "stripeline.engine.rails";

  /** The scheduling policy: {@code rate-aware}, {@code fcfs} or {@code single:NAME}. */
  public static final String SCHEDULING_KEY = "stripeline.engine.scheduling";

  /** The maximum number of outstanding tasks. */
  public static final String TASKS_MAX_KEY = "stripeline.engine.tasks-max";

  /** The maximum number of outstanding bytes of data. */
  public static final String BYTES_MAX_KEY = "stripeline.engine.bytes-max";

  /** What issuing a task does beyond these limits: {@code wait} or {@code refuse}. */
  public static final String WHEN_FULL_KEY = "stripeline.engine.when-full";

  /** Milliseconds after which a rail is considered to hang. */
  public static final String STALL_KEY = "stripeline.engine.stall-ms";

  /** Milliseconds for which a failed rail stays out of service the first time. */
  public static final String QUARANTINE_KEY = "stripeline.engine.quarantine-ms";

  /** Milliseconds within which a rail that did not increase the total rate is tried again. */
  public static final String RETRY_KEY = "stripeline.engine.retry-ms";

  /**
   * The interval of verified pieces: of each rail and kind of task, the first 8 pieces and then one
   * piece in this many are verified; 0 verifies none.
   */
  public static final String CHECK_EVERY_KEY = "stripeline.engine.check-every";

  /** Whether threads that wait for a call also execute pieces. */
  public static final String WAITING_THREADS_HELP_KEY = "stripeline.engine.waiting-threads-help";

  /**
   * Whether {@link #RAILS_KEY} may contain {@code null}, a rail that computes nothing: {@code true}
   * or {@code false}. With it, outputs keep their previous content and no call fails, so only a
   * measurement may set it.
   */
  public static final String MEASURE_ONLY_KEY = "stripeline.engine.measure-only";

  /** The maximum number of workers of a rail, 0 for as many as the rail requests. */
  public static final String WORKERS_MAX_KEY = "stripeline.engine.workers-max";

  /** The tuning table that {@code stripeline tune} wrote; without one, built-in values are used. */
  public static final String TUNING_KEY = "stripeline.engine.tuning";

  /** The processes with which CPUs are shared: {@code user}: those of this user; {@code off}. */
  public static final String NODE_KEY = "stripeline.engine.node";

  /** The weight of this process when CPUs are shared with other processes, 1 to 1000. */
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
   * Returns the configuration from the properties whose keys begin with {@code stripeline.engine.}.
   *
   * @param properties for example the system properties; other keys are ignored
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
   * @throws IllegalArgumentException if the key is not the engine's, or the value is not on one
   *     line
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
