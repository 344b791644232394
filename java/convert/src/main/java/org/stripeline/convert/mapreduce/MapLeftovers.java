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

  /** Rolls back links by another one, once the tasks that it has to end are known. */
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
      // No map was ever asked, or it is deleted already.
      return Collections.emptyList();
    }
  }
}
