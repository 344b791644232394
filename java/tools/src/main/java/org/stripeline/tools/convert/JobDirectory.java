// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonSyntaxException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * The directory of one job on HDFS: {@code job.json}, {@code journal}, temporary files in {@code
 * tmp}, and {@code pause} while the operator wants it to wait.
 *
 * <p>It lies outside the trees that are converted, so that their quotas do not count temporary
 * files, and only superusers can enter it, since these are files of all owners.
 */
final class JobDirectory {
  /** Where jobs are kept unless another place is named. */
  static final String ROOT_DEFAULT = "/.stripeline/convert";

  /** Of whatever is in it: these are files of all owners. */
  static final FsPermission PRIVATE = new FsPermission((short) 0700);
  private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

  private final DistributedFileSystem fs;
  private final Path directory;

  private JobDirectory(DistributedFileSystem fs, Path directory) {
    this.fs = fs;
    this.directory = directory;
  }

  /** Makes the directory of a new job and keeps its settings there. */
  static JobDirectory create(
      DistributedFileSystem fs, String root, String name, JobSettings settings)
      throws IOException {
    Path path = new Path(root, name);
    fs.mkdirs(new Path(root), PRIVATE);
    JobDirectory job = new JobDirectory(fs, path);
    if (fs.exists(path)) {
      throw new RefusedException(
          "Cannot begin job " + name + ": " + path + " exists; use --resume, or another --job");
    }
    fs.mkdirs(job.temporaries(), PRIVATE);
    try (FSDataOutputStream out =
        fs.createFile(job.settingsFile()).replicate().overwrite(false).build()) {
      out.write(GSON.toJson(settings).getBytes(StandardCharsets.UTF_8));
    } catch (FileAlreadyExistsException e) {
      throw new RefusedException("Cannot begin job " + name + ": another driver has just begun it");
    }
    return job;
  }

  /** The jobs below a root whose end is not in their journal. */
  static List<JobDirectory> unfinished(DistributedFileSystem fs, String root) throws IOException {
    List<JobDirectory> jobs = new ArrayList<>();
    FileStatus[] found;
    try {
      found = fs.listStatus(new Path(root));
    } catch (FileNotFoundException e) {
      return jobs;
    }
    for (FileStatus status : found) {
      JobDirectory job = new JobDirectory(fs, status.getPath());
      // Temporary files go last, with the directory that they were in.
      if (status.isDirectory() && fs.exists(job.temporaries()) && fs.exists(job.journalFile())) {
        jobs.add(job);
      }
    }
    return jobs;
  }

  JobSettings settings() throws IOException {
    try (Reader in =
        new InputStreamReader(fs.open(settingsFile()), StandardCharsets.UTF_8)) {
      return GSON.fromJson(in, JobSettings.class);
    } catch (JsonSyntaxException e) {
      throw new IOException("Cannot read settings of job " + name() + ": " + e.getMessage(), e);
    }
  }

  /** Says by the absence of the directory for temporary files that nothing is left to do. */
  void markFinished() throws IOException {
    fs.delete(temporaries(), true);
  }

  boolean isPaused() throws IOException {
    return fs.exists(pauseFile());
  }

  String name() {
    return directory.getName();
  }

  Path path() {
    return directory;
  }

  Path pauseFile() {
    return new Path(directory, "pause");
  }

  Path journalFile() {
    return new Path(directory, "journal");
  }

  Path temporaries() {
    return new Path(directory, "tmp");
  }

  private Path settingsFile() {
    return new Path(directory, "job.json");
  }
}
