// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import java.util.Map;
import java.util.TreeMap;

/** Settings that can change when a job is resumed; null if the command line does not give them. */
public final class JobTuning {
  /** Files converted concurrently. */
  public Integer filesAtOnce;

  /** Block groups of one file converted concurrently. */
  public Integer groupsAtOnce;

  /** Maximum bytes per second, 0 for no limit. */
  public Long bytesPerSecond;

  /** Whether policies are added without asking every NameNode. */
  public boolean skipNameNodeCheck;

  /** Hadoop properties. */
  public Map<String, String> properties = new TreeMap<>();

  /**
   * Replaces the settings of a job by those that are given.
   *
   * @return whether any is given
   */
  public boolean applyTo(JobSettings settings) {
    if (filesAtOnce != null) {
      settings.filesAtOnce = filesAtOnce;
    }
    if (groupsAtOnce != null) {
      settings.groupsAtOnce = groupsAtOnce;
    }
    if (bytesPerSecond != null) {
      settings.bytesPerSecond = bytesPerSecond;
    }
    settings.skipNameNodeCheck |= skipNameNodeCheck;
    settings.properties.putAll(properties);
    return filesAtOnce != null
        || groupsAtOnce != null
        || bytesPerSecond != null
        || skipNameNodeCheck
        || !properties.isEmpty();
  }
}
