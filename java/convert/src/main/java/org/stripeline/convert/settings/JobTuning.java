// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import java.util.Map;
import java.util.TreeMap;

/** What may be other when a job is taken up; null for what the command line does not give. */
public final class JobTuning {
  /** Files at one time. */
  public Integer filesAtOnce;

  /** Groups of one file at one time. */
  public Integer groupsAtOnce;

  /** Most bytes per second, 0 for no limit. */
  public Long bytesPerSecond;

  /** Whether policies are added without asking every NameNode. */
  public boolean skipNameNodeCheck;

  /** Properties of Hadoop's. */
  public Map<String, String> properties = new TreeMap<>();

  /**
   * Puts what is given in the place of what a job has.
   *
   * @return whether anything is given
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
