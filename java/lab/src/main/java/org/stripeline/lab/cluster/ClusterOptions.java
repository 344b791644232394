// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The requested properties of a cluster.
 *
 * <p>DataNodes, racks and ports that are not set are taken from the directory if it already
 * contains a cluster; all other values that are not set, from the defaults named at each setter.
 */
public final class ClusterOptions {
  /** Default number of DataNodes of a new cluster: the width of RS-6-3. */
  public static final int DATANODES_DEFAULT = 9;

  /** Maximum number of DataNodes of one cluster: each has an address 127.0.0.(10 + number). */
  public static final int DATANODES_MAX = 200;

  /** Default number of racks of a new cluster: with RS-6-3, one rack may then be lost. */
  public static final int RACKS_DEFAULT = 3;

  /** Default Java heap of the cluster's process in MiB. */
  public static final int HEAP_MIB_DEFAULT = 640;

  private final Integer datanodes;
  private final List<String> racks;
  private final Integer port;
  private final Integer webPort;
  private final int heapMib;
  private final FastRecovery fastRecovery;
  private final Lifetime lifetime;
  private final Map<String, String> settings;

  /** How quickly the NameNode detects lost DataNodes and reconstructs their blocks. */
  public enum FastRecovery {
    /** Hadoop's default intervals: a DataNode is considered dead after 10.5 minutes. */
    STOCK,
    /** Intervals of a second: a DataNode is considered dead after 12 to 17 seconds. */
    FAST
  }

  /** When the cluster's process ends. */
  public enum Lifetime {
    /** When it is requested to stop. */
    UNTIL_STOPPED,
    /** When it is requested to stop, or when the process that started it has ended. */
    OF_STARTER
  }

  private ClusterOptions(Builder builder) {
    datanodes = builder.datanodes;
    racks = Collections.unmodifiableList(new ArrayList<>(builder.racks));
    port = builder.port;
    webPort = builder.webPort;
    heapMib = builder.heapMib;
    fastRecovery = builder.fastRecovery;
    lifetime = builder.lifetime;
    settings = Collections.unmodifiableMap(new LinkedHashMap<>(builder.settings));
  }

  /**
   * Returns a builder with the defaults.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the requested number of DataNodes.
   *
   * @return their number, or null for that of the directory or the default
   */
  public Integer datanodes() {
    return datanodes;
  }

  /**
   * Returns the rack of each DataNode in turn; the list starts over at its end.
   *
   * @return rack paths such as {@code /rack1}; empty for those of the directory or the default
   */
  public List<String> racks() {
    return racks;
  }

  /**
   * Returns the port of the NameNode's RPC server.
   *
   * @return the port, or null for that of the directory or a free one
   */
  public Integer port() {
    return port;
  }

  /**
   * Returns the port of the NameNode's web server.
   *
   * @return the port, or null for that of the directory or a free one
   */
  public Integer webPort() {
    return webPort;
  }

  /**
   * Returns the Java heap of the cluster's process.
   *
   * @return MiB
   */
  public int heapMib() {
    return heapMib;
  }

  /**
   * Returns how quickly lost DataNodes are detected.
   *
   * @return the choice
   */
  public FastRecovery fastRecovery() {
    return fastRecovery;
  }

  /**
   * Returns when the process ends.
   *
   * @return the choice
   */
  public Lifetime lifetime() {
    return lifetime;
  }

  /**
   * Returns the Hadoop settings that override all others, for NameNode and DataNodes.
   *
   * @return key to value
   */
  public Map<String, String> settings() {
    return settings;
  }

  /** Builds options; each setter checks its value. */
  public static final class Builder {
    private Integer datanodes;
    private List<String> racks = Collections.emptyList();
    private Integer port;
    private Integer webPort;
    private int heapMib = HEAP_MIB_DEFAULT;
    private FastRecovery fastRecovery = FastRecovery.STOCK;
    private Lifetime lifetime = Lifetime.UNTIL_STOPPED;
    private final Map<String, String> settings = new LinkedHashMap<>();

    private Builder() {}

    /**
     * Sets the number of DataNodes.
     *
     * @param count 1 to {@link #DATANODES_MAX}
     * @return this
     */
    public Builder datanodes(int count) {
      if (count < 1 || count > DATANODES_MAX) {
        throw new IllegalArgumentException(
            "Cannot plan cluster: datanodes must be 1 to " + DATANODES_MAX + ", not " + count);
      }
      datanodes = count;
      return this;
    }

    /**
     * Assigns the DataNodes in turn to racks named {@code /rack1}, {@code /rack2} ...
     *
     * @param count 1 or more
     * @return this
     */
    public Builder racks(int count) {
      if (count < 1 || count > DATANODES_MAX) {
        throw new IllegalArgumentException(
            "Cannot plan cluster: racks must be 1 to " + DATANODES_MAX + ", not " + count);
      }
      List<String> names = new ArrayList<>(count);
      for (int rack = 1; rack <= count; rack++) {
        names.add("/rack" + rack);
      }
      racks = names;
      return this;
    }

    /**
     * Sets the rack of each DataNode in turn; the list starts over at its end.
     *
     * @param paths rack paths such as {@code /east/rack1}, all of the same depth
     * @return this
     */
    public Builder racks(List<String> paths) {
      Objects.requireNonNull(paths, "paths");
      for (String path : paths) {
        if (!path.matches("(/[A-Za-z0-9._-]+)+")) {
          throw new IllegalArgumentException(
              "Cannot plan cluster: rack '" + path + "' is not of the form /name or /a/b");
        }
        if (path.split("/").length != paths.get(0).split("/").length) {
          throw new IllegalArgumentException(
              "Cannot plan cluster: racks '"
                  + paths.get(0)
                  + "' and '"
                  + path
                  + "' differ in depth, and HDFS requires all racks at one depth");
        }
      }
      racks = new ArrayList<>(paths);
      return this;
    }

    /**
     * Sets the port of the NameNode's RPC server.
     *
     * @param number 1 to 65535
     * @return this
     */
    public Builder port(int number) {
      port = checkedPort(number);
      return this;
    }

    /**
     * Sets the port of the NameNode's web server.
     *
     * @param number 1 to 65535
     * @return this
     */
    public Builder webPort(int number) {
      webPort = checkedPort(number);
      return this;
    }

    /**
     * Sets the Java heap of the cluster's process.
     *
     * @param mebibytes 128 or more
     * @return this
     */
    public Builder heapMib(int mebibytes) {
      if (mebibytes < 128) {
        throw new IllegalArgumentException(
            "Cannot plan cluster: heap must be 128 MiB or more, not " + mebibytes);
      }
      heapMib = mebibytes;
      return this;
    }

    /**
     * Sets how quickly lost DataNodes are detected.
     *
     * @param choice stock by default
     * @return this
     */
    public Builder fastRecovery(FastRecovery choice) {
      fastRecovery = Objects.requireNonNull(choice, "choice");
      return this;
    }

    /**
     * Sets when the process ends.
     *
     * @param choice until stopped by default
     * @return this
     */
    public Builder lifetime(Lifetime choice) {
      lifetime = Objects.requireNonNull(choice, "choice");
      return this;
    }

    /**
     * Sets a Hadoop setting that overrides all others.
     *
     * @param key Hadoop key
     * @param value its value
     * @return this
     */
    public Builder setting(String key, String value) {
      settings.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * Returns the options.
     *
     * @return the options
     */
    public ClusterOptions build() {
      return new ClusterOptions(this);
    }

    private static int checkedPort(int number) {
      if (number < 1 || number > 65535) {
        throw new IllegalArgumentException(
            "Cannot plan cluster: port must be 1 to 65535, not " + number);
      }
      return number;
    }
  }
}
