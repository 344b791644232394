// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IOUtils;
import org.stripeline.convert.file.Recovery;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.OpenFile;

/**
 * Rolls back what maps have left: parts of files, and tasks of agents that may still run. Maps of
 * earlier versions requested agents to encode, and wrote a note for each task.
 */
public final class MapLeftovers implements Recovery.Unlinker {
  /** Start of the name of a note, which ends with the number of the task. */
  private static final String TASKS = "task-";

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

  /** Returns the tasks for which there are notes in the directory of the file's maps. */
  private List<JournalRecord> tasks(JournalRecord begin) throws IOException {
    List<JournalRecord> tasks = new ArrayList<>();
    for (FileStatus status : list(new Path(job.workDirectory(begin)))) {
      String name = status.getPath().getName();
      // An empty note belongs to a map that died before it waited for the task.
      if (name.startsWith(TASKS) && status.getLen() > 0) {
        byte[] node = new byte[(int) status.getLen()];
        try (InputStream in = job.fs().open(status.getPath())) {
          IOUtils.readFully(in, node, 0, node.length);
        }
        long task = Long.parseLong(name.substring(name.lastIndexOf('-') + 1));
        tasks.add(JournalRecord.task(begin.fileId, new String(node, StandardCharsets.UTF_8), task));
      }
    }
    return tasks;
  }

  private FileStatus[] list(Path directory) throws IOException {
    try {
      return job.fs().listStatus(directory);
    } catch (FileNotFoundException e) {
      // No map was ever used, or the directory is deleted already.
      return new FileStatus[0];
    }
  }
}
