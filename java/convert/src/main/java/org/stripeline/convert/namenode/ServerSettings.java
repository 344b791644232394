// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

import org.apache.hadoop.conf.Configuration;

/** The settings of one NameNode or SecondaryNameNode, or the reason for which they are unknown. */
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

  /** Returns the role of the server, its id if there are several, and its address. */
  public String name() {
    return name;
  }

  /** Returns whether the server is a SecondaryNameNode, which is optional in a cluster. */
  public boolean isSecondary() {
    return secondary;
  }

  /** Returns whether the server answered. */
  public boolean isKnown() {
    return conf != null;
  }

  /** Returns the reason for which the server did not answer; null if it did. */
  public String reason() {
    return reason;
  }

  /** Returns the settings of the server; null if it did not answer. */
  Configuration conf() {
    return conf;
  }
}
