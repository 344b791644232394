// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Cluster;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.select.Preflight;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;

/** Checks the preconditions of the MapReduce driver, without changing anything. */
public final class MapPreflight {
  private MapPreflight() {}

  /**
   * Checks all preconditions.
   *
   * @param root parent of all job directories
   * @throws RefusedException if maps cannot do the job; the message says what to do
   */
  public static void check(DistributedFileSystem fs, JobSettings settings, String root)
      throws IOException {
    if (settings.adopts()) {
      throw new RefusedException(Preflight.NO_MAPS);
    }
    requireFramework(fs);
    if (!settings.undo) {
      requireNoSpaceQuota(fs, root);
    }
  }

  private static void requireFramework(DistributedFileSystem fs) throws RefusedException {
    try {
      new Cluster(new JobConf(fs.getConf())).close();
    } catch (IOException | NoClassDefFoundError e) {
      throw new RefusedException(
          "Cannot use --driver=mapreduce: "
              + Reasons.of(e)
              + "; set mapreduce.framework.name in mapred-site.xml, and put Hadoop's MapReduce on"
              + " the class path");
    }
  }

  /**
   * Refuses directories with quotas of space, also of one storage type: when the NameNode joins
   * parts of an erasure-coded file, it overestimates their space in the quota usage, by a factor
   * that depends on the units of the code ({@code FSDirConcatOp.computeQuotaDeltas}).
   */
  private static void requireNoSpaceQuota(DistributedFileSystem fs, String root)
      throws IOException {
    for (Path path = new Path(root); path != null; path = path.getParent()) {
      QuotaUsage usage;
      try {
        usage = fs.getQuotaUsage(path);
      } catch (FileNotFoundException e) {
        continue;
      }
      if (usage.getSpaceQuota() >= 0 || usage.isTypeQuotaSet()) {
        throw new RefusedException(
            "Cannot use --driver=mapreduce with --layout=striped below "
                + path.toUri().getPath()
                + ", which has a space quota or a quota by storage type: HDFS miscounts the space"
                + " of files that it joins there; choose another --job-directory, or use"
                + " --driver=client");
      }
    }
  }
}
