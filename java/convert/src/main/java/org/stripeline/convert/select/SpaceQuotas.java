// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.Reasons;

/** The space quotas of directories. */
final class SpaceQuotas {
  private static final Logger LOG = LoggerFactory.getLogger(SpaceQuotas.class);

  /**
   * Limit on the cached directories without a quota. The cache avoids repeated calls, since the
   * NameNode computes the usage of the whole tree of such a directory.
   */
  private static final int DIRECTORIES_MAX = 10_000;

  private final DistributedFileSystem fs;

  /** Directories without a quota, most recently used last. */
  private final Map<String, Boolean> unlimited =
      new LinkedHashMap<String, Boolean>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > DIRECTORIES_MAX;
        }
      };

  SpaceQuotas(DistributedFileSystem fs) {
    this.fs = fs;
  }

  /** Returns the bytes that the space quota of a directory leaves, or null if it has none. */
  Long left(String directory) {
    if (unlimited.get(directory) != null) {
      return null;
    }
    try {
      QuotaUsage usage = fs.getQuotaUsage(new Path(directory));
      if (usage.getSpaceQuota() >= 0) {
        return usage.getSpaceQuota() - usage.getSpaceConsumed();
      }
    } catch (FileNotFoundException e) {
      return null;
    } catch (IOException e) {
      LOG.warn("Cannot get the quota of {}: {}", directory, Reasons.of(e));
    }
    unlimited.put(directory, true);
    return null;
  }

  /** Returns the directories above a path, the nearest first. */
  static List<String> parents(String path) {
    List<String> parents = new ArrayList<>();
    for (int end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      parents.add(path.substring(0, end));
    }
    parents.add("/");
    return parents;
  }
}
