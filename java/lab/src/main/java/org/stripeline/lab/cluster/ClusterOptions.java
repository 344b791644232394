// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a cluster should look like, as its starter wishes it.
 *
 * <p>Values left alone are taken from the directory when it already holds a cluster, else from the
 * defaults named at each setter.
 */
public final class ClusterOptions {
  /** DataNodes of a new cluster unless told otherwise: the width of RS-6-3. */
  public static final int DATANODES_DEFAULT = 9;

  /** Most DataNodes of one cluster: each has an address 127.0.0.(10 + number). */
  public static final int DATANODES_MAX = 200;

  /** Racks of a new cluster unless told otherwise: one rack may then be lost with RS-6-3. */
  public static final int RACKS_DEFAULT = 3;

  /** Java heap of the cluster's process in MiB. */
  public static final int HEAP_MIB_DEFAULT = 640;

  private final Integer datanodes;
  private final List<String> racks;
  private final Integer port;
  private final Integer webPort;
  private final int heapMib;
  private final FastRecovery fastRecovery;
  private final Lifetime lifetime;
  private final Map<String, String> settings;

  /** How quickly the NameNode notices and repairs lost DataNodes. */
  public enum FastRecovery {
    /** Hadoop's own intervals: a DataNode counts as dead after 10.5 minutes. */
    STOCK,
    /** Intervals of a second: a DataNode counts as dead after 12 to 17 seconds. */
    FAST
  }

  /** When the cluster's process ends. */
  public enum Lifetime {
    /** When it is told to stop. */
    UNTIL_STOPPED,
    /** When it is told to stop, or when the process that started it is gone. */
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
   * Starts from the defaults.
   *
   * @return a builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * DataNodes wished for.
   *
   * @return their number, or null to take what the directory holds or the default
   */
  public Integer datanodes() {
    return datanodes;
  }

  /**
   * Rack of each DataNode in turn; starts over at its end.
   *
   * @return rack paths such as {@code /rack1}; empty to take the directory's or the default
   */
  public List<String> racks() {
    return racks;
  }

  /**
   * Port of the NameNode's RPC server.
   *
   * @return the port, or null to take the directory's or a free one
   */
  public Integer port() {
    return port;
  }

  /**
   * Port of the NameNode's web server.
   *
   * @return the port, or null to take the directory's or a free one
   */
  public Integer webPort() {
    return webPort;
  }

  /**
   * Java heap of the cluster's process.
   *
   * @return MiB
   */
  public int heapMib() {
    return heapMib;
  }

  /**
   * How quickly lost DataNodes are noticed.
   *
   * @return the choice
   */
  public FastRecovery fastRecovery() {
    return fastRecovery;
  }

  /**
   * When the process ends.
   *
   * @return the choice
   */
  public Lifetime lifetime() {
    return lifetime;
  }

  /**
   * Hadoop settings laid over everything else, for NameNode and DataNodes.
   *
   * @return key to value
   */
  public Map<String, String> settings() {
    return settings;
  }

  /** Collects options; each setter checks its value. */
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
     * Spreads the DataNodes in turn over racks named {@code /rack1}, {@code /rack2} ...
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
     * Names the rack of each DataNode in turn; the list starts over at its end.
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
                  + "' differ in depth, and HDFS wants all racks at one depth");
        }
      }
      racks = new ArrayList<>(paths);
      return this;
    }

    /**
     * Fixes the port of the NameNode's RPC server.
     *
     * @param number 1 to 65535
     * @return this
     */
    public Builder port(int number) {
      port = checkedPort(number);
      return this;
    }

    /**
     * Fixes the port of the NameNode's web server.
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
     * Chooses how quickly lost DataNodes are noticed.
     *
     * @param choice stock by default
     * @return this
     */
    public Builder fastRecovery(FastRecovery choice) {
      fastRecovery = Objects.requireNonNull(choice, "choice");
      return this;
    }

    /**
     * Chooses when the process ends.
     *
     * @param choice until stopped by default
     * @return this
     */
    public Builder lifetime(Lifetime choice) {
      lifetime = Objects.requireNonNull(choice, "choice");
      return this;
    }

    /**
     * Lays one Hadoop setting over everything else.
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
     * Finishes.
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
