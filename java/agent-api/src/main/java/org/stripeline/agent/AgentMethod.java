// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/** The methods of {@link AgentProtocol}, with their names in messages. */
public enum AgentMethod {
  ABOUT("about"),
  LINK("link"),
  UNLINK("unlink"),
  RESERVE("reserve"),
  CHECKSUM("checksum"),
  CLAIM("claim"),
  FINGERPRINT("fingerprint"),
  QUARANTINE("quarantine"),
  ENCODE("encode"),
  POLL("poll"),
  CANCEL("cancel");

  private final String wireName;

  AgentMethod(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }
}
