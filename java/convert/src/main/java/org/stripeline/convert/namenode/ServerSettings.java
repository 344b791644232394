// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

import java.net.URI;
import org.apache.hadoop.conf.Configuration;

/** The settings of one NameNode or SecondaryNameNode, or the reason for which they are unknown. */
public final class ServerSettings {
  private final String name;
  private final boolean secondary;
  private final URI address;
  private final Configuration conf;
  private final String reason;

  private ServerSettings(
      String name, boolean secondary, URI address, Configuration conf, String reason) {
    this.name = name;
    this.secondary = secondary;
    this.address = address;
    this.conf = conf;
    this.reason = reason;
  }

  static ServerSettings known(String name, boolean secondary, URI address, Configuration conf) {
    return new ServerSettings(name, secondary, address, conf, null);
  }

  static ServerSettings unknown(String name, boolean secondary, String reason) {
    return new ServerSettings(name, secondary, null, null, reason);
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

  /** Returns the address of the server's web pages; null if it did not answer. */
  public URI address() {
    return address;
  }

  /** Returns the settings of the server that matter here; null if it did not answer. */
  public Configuration conf() {
    return conf;
  }
}
