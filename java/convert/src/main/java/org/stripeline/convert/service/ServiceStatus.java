// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.service;

import java.util.ArrayList;
import java.util.List;

/** What a conversion service is doing, as it is stored on HDFS; the field names are stable. */
public final class ServiceStatus extends FileCounts {
  /** Host of the service that leads. */
  public String host;

  /** The rules file, on that host. */
  public String rulesFile;

  /** Why the rules file is not in force as it is now; null if it is. */
  public String rulesError;

  /** What the service does: {@code starting}, {@code working}, {@code waiting}, {@code stopped}. */
  public String state;

  /** When the service began to lead, in milliseconds since 1970. */
  public long startedMs;

  /** When this was recorded, in milliseconds since 1970. */
  public long atMs;

  /** When the next pass over the rules begins; null while one is being done. */
  public Long nextPassMs;

  /** Passes that were begun. */
  public long passes;

  /** The rules in force, in their order. */
  public List<RuleStatus> rules = new ArrayList<>();

  /** One rule, since it is in force. */
  public static final class RuleStatus extends FileCounts {
    /** Name of the rule. */
    public String name;

    /** What happened last: such as {@code done}, {@code outside its window}, or an error. */
    public String last = "not begun";

    /** Name of the last job; null if there was none. */
    public String job;

    /** When the rule was last begun, in milliseconds since 1970; 0 if never. */
    public long begunMs;
  }
}
