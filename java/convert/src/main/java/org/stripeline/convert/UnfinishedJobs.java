// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JsonFile.UnreadableException;
import org.stripeline.convert.job.KnownJobs;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.select.PathArguments;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;

/** The jobs below a directory that are not finished. */
final class UnfinishedJobs {
  private static final Logger LOG = LoggerFactory.getLogger(UnfinishedJobs.class);

  private final DistributedFileSystem fs;
  private final String root;
  private final KnownJobs known;

  UnfinishedJobs(DistributedFileSystem fs, String root, KnownJobs known) {
    this.fs = fs;
    this.root = root;
    this.known = known;
  }

  /**
   * Refuses a job on a tree on which another one is unfinished.
   *
   * @param own name of the job if its directory exists, or null
   */
  void refuseOverlap(JobSettings settings, String own) throws IOException {
    String refusal = "Cannot begin a job on " + settings.path + ": job ";
    for (JobDirectory other : JobDirectory.unfinished(fs, root, known)) {
      if (other.name().equals(own)) {
        continue;
      }
      try {
        String path = other.settings().path;
        if (overlaps(path, settings.path)) {
          throw new RefusedException(refusal + other.name() + " on " + path + state(other, path));
        }
      } catch (FileNotFoundException e) {
        LOG.debug("Job {} was deleted since the listing", other.name(), e);
      } catch (UnreadableException e) {
        throw new RefusedException(
            refusal
                + other.name()
                + " is not finished, and may be on the same files: "
                + e.getMessage()
                + (e.isNewer() ? "" : "; restore that file, or delete the directory of the job"));
      }
    }
  }

  private static String state(JobDirectory job, String path) throws IOException {
    return job.contents().request() == JobDirectory.Request.PAUSE
        ? " is paused; continue it with: stripeline convert --continue --job=" + job.name()
        : " is not finished; end it with: " + PathArguments.resumeCommand(path, job.name());
  }

  /**
   * Returns a job.
   *
   * @param path path of the job, or null for any
   * @param name name of the job, or null if there is only one
   * @param warner is told which jobs are left out, because their settings cannot be read
   * @throws RefusedException if there is no such job, or more than one
   */
  JobDirectory find(String path, String name, Consumer<String> warner) throws IOException {
    List<JobDirectory> found = new ArrayList<>();
    for (JobDirectory job : JobDirectory.unfinished(fs, root, known)) {
      if (name != null && !job.name().equals(name)) {
        continue;
      }
      String of;
      try {
        of = job.settings().path;
      } catch (FileNotFoundException | UnreadableException e) {
        if (name != null) {
          throw e;
        }
        warner.accept("job " + job.name() + " is left out: " + Reasons.of(e));
        continue;
      }
      if (name != null && path != null && !of.equals(path)) {
        throw new RefusedException("Cannot resume on " + path + ": job " + name + " is on " + of);
      }
      if (name != null || of.equals(path)) {
        found.add(job);
      }
    }
    if (found.size() == 1) {
      return found.get(0);
    }
    String what = name == null ? "job on " + path : "job " + name;
    if (found.isEmpty()) {
      throw new RefusedException("Cannot resume: there is no unfinished " + what + " in " + root);
    }
    StringBuilder names = new StringBuilder();
    found.forEach(job -> names.append(' ').append(job.name()));
    throw new RefusedException(
        "Cannot resume: there is more than one unfinished "
            + what
            + "; name one with --job:"
            + names);
  }

  private static boolean overlaps(String one, String other) {
    return isBelow(one, other) || isBelow(other, one);
  }

  private static boolean isBelow(String path, String directory) {
    return path.equals(directory)
        || path.startsWith(directory.equals("/") ? directory : directory + "/");
  }
}
