// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.util.ArrayList;
import java.util.List;

/** A cluster as it answered at one moment; the field names are those of the JSON output. */
public final class ClusterStatus {
  /** Whether the process runs and answers. */
  public boolean running;

  /** The directory that the user named. */
  public String directory;

  /** Address for {@code fs.defaultFS}. */
  public String uri;

  /** Address of the NameNode's web pages. */
  public String web;

  /** Directory for {@code HADOOP_CONF_DIR} of Hadoop's own client, with our coder. */
  public String clientConfiguration;

  /** The same of clients that read and write by our pipelines; they need our jar. */
  public String stripelineConfiguration;

  /** File that the cluster's process writes its log to. */
  public String log;

  /** Process id, 0 when not running. */
  public long pid;

  /** Hadoop release that the cluster runs. */
  public String hadoopVersion;

  /** Java release that the cluster runs on. */
  public String javaVersion;

  /** Whether the NameNode refuses changes because it still waits for blocks. */
  public boolean safeMode;

  /** Milliseconds since the process began. */
  public long uptimeMs;

  /** Every DataNode of the cluster, stopped ones included, in order of their numbers. */
  public List<DataNodeStatus> datanodes = new ArrayList<>();

  /** One DataNode. */
  public static final class DataNodeStatus {
    /** Name in this cluster: dn1, dn2 ... */
    public String id;

    /** Whether the DataNode itself runs. */
    public boolean running;

    /** Whether the NameNode counts it as alive. */
    public boolean live;

    /** Hadoop's own identifier, null before its first start. */
    public String uuid;

    /** Address and port of block data, null when stopped. */
    public String address;

    /** Rack path. */
    public String rack;

    /** Where its blocks lie. */
    public String directory;

    /** Blocks that the NameNode knows of on it. */
    public long blocks;
  }
}
