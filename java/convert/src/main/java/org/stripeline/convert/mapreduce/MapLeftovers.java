// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.stripeline.convert.file.Recovery;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.OpenFile;

/** Rolls back what maps have left: tasks of agents that may still run, and parts of files. */
public final class MapLeftovers implements Recovery.Unlinker {
  private final Job job;
  private final Recovery.Unlinker links;

  /** Creates an unlinker that finds the tasks to end, and delegates to {@code links}. */
  public MapLeftovers(Job job, Recovery.Unlinker links) {
    this.job = job;
    this.links = links;
  }

  @Override
  public void unlink(OpenFile open) throws IOException {
    JournalRecord begin = open.begin();
    tasks(begin).forEach(open::add);
    links.unlink(open);
    job.deleteWorkDirectory(begin);
  }

  private List<JournalRecord> tasks(JournalRecord begin) throws IOException {
    try {
      return GroupEncoding.tasks(job.fs(), new Path(job.workDirectory(begin)), begin.fileId);
    } catch (FileNotFoundException e) {
      // No map was ever used, or the directory is deleted already.
      return Collections.emptyList();
    }
  }
}
