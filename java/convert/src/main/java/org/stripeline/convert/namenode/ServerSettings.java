// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

import org.apache.hadoop.conf.Configuration;

/** The settings that one NameNode or SecondaryNameNode runs with, or why they are unknown. */
public final class ServerSettings {
  private final String name;
  private final boolean secondary;
  private final Configuration conf;
  private final String reason;

  private ServerSettings(String name, boolean secondary, Configuration conf, String reason) {
    this.name = name;
    this.secondary = secondary;
    this.conf = conf;
    this.reason = reason;
  }

  static ServerSettings known(String name, boolean secondary, Configuration conf) {
    return new ServerSettings(name, secondary, conf, null);
  }

  static ServerSettings unknown(String name, boolean secondary, String reason) {
    return new ServerSettings(name, secondary, null, reason);
  }

  /** Its role, its id where there are several, and its address. */
  public String name() {
    return name;
  }

  /** Whether it is a SecondaryNameNode, which a cluster may be without. */
  public boolean isSecondary() {
    return secondary;
  }

  /** Whether it answered. */
  public boolean isKnown() {
    return conf != null;
  }

  /** Why it did not answer; null when it did. */
  public String reason() {
    return reason;
  }

  /** What it runs with; null when it did not answer. */
  Configuration conf() {
    return conf;
  }
}
