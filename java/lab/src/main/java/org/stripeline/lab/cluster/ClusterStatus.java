// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.util.ArrayList;
import java.util.List;

/** The status of a cluster at one moment; the field names are those of the JSON output. */
public final class ClusterStatus {
  /** Whether the process is running and answers. */
  public boolean running;

  /** The directory given by the user. */
  public String directory;

  /** Address for {@code fs.defaultFS}. */
  public String uri;

  /** Address of the NameNode's web pages. */
  public String web;

  /** Directory for {@code HADOOP_CONF_DIR} of Hadoop's own client, with our coder. */
  public String clientConfiguration;

  /** The same for clients that use our pipelines; they need our jar. */
  public String stripelineConfiguration;

  /** Log file of the cluster's process. */
  public String log;

  /** Process id, 0 when not running. */
  public long pid;

  /** Hadoop release that the cluster runs. */
  public String hadoopVersion;

  /** Java release that the cluster runs on. */
  public String javaVersion;

  /** Whether the NameNode refuses modifications because it is still waiting for block reports. */
  public boolean safeMode;

  /** Milliseconds since the start of the process. */
  public long uptimeMs;

  /** All DataNodes of the cluster, including stopped ones, in order of their numbers. */
  public List<DataNodeStatus> datanodes = new ArrayList<>();

  /** One DataNode. */
  public static final class DataNodeStatus {
    /** Name in this cluster: dn1, dn2 ... */
    public String id;

    /** Whether the DataNode itself is running. */
    public boolean running;

    /** Whether the NameNode considers it alive. */
    public boolean live;

    /** Hadoop's own identifier, null before its first start. */
    public String uuid;

    /** Address and port for block data, null if stopped. */
    public String address;

    /** Rack path. */
    public String rack;

    /** The directory of its blocks. */
    public String directory;

    /** Number of blocks on it according to the NameNode. */
    public long blocks;
  }
}
