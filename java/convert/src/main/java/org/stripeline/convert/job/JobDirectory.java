// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonSyntaxException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;

/**
 * The directory of one job on HDFS. It contains {@code job.json}, {@code journal}, temporary files
 * in {@code tmp}, and {@code pause} while the operator pauses the job.
 *
 * <p>It lies outside the trees that are converted, so that their quotas do not count temporary
 * files. Only superusers can enter it, since it contains files of all owners.
 */
public final class JobDirectory {
  private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  /** Names of files that every job has. */
  public static final String SETTINGS = "job.json";

  public static final String JOURNAL = "journal";

  /** Default parent of all job directories. */
  public static final String ROOT_DEFAULT = "/.stripeline/convert";

  /** Permission of the directory: it contains files of all owners. */
  public static final FsPermission PRIVATE = new FsPermission((short) 0700);

  private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

  /**
   * Lifetime of the cached pause state, so that all waiting threads together make one call per
   * period.
   */
  private static final long PAUSE_KNOWN_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  private final DistributedFileSystem fs;
  private final Path directory;
  private boolean isPaused;
  private long pausedAt;

  private JobDirectory(DistributedFileSystem fs, Path directory) {
    this.fs = fs;
    this.directory = directory;
  }

  /** Returns a name for a new job: the local time and a random number. */
  public static String newName() {
    int random = new Random().nextInt(1 << 16);
    return LocalDateTime.now(ZoneId.systemDefault()).format(NAME)
        + "-"
        + String.format(Locale.ROOT, "%04x", random);
  }

  /** Creates the directory of a new job and stores its settings there. */
  public static JobDirectory create(
      DistributedFileSystem fs, String root, String name, JobSettings settings) throws IOException {
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,99}")) {
      throw new RefusedException(
          "Cannot begin job "
              + name
              + ": a name has letters, digits, '.', '_' and '-' only, 100 at"
              + " most, and begins with a letter or a digit");
    }
    Path path = new Path(root, name);
    fs.mkdirs(new Path(root), PRIVATE);
    requirePrivate(fs, new Path(root));
    JobDirectory job = new JobDirectory(fs, path);
    if (fs.exists(path)) {
      throw new RefusedException(
          "Cannot begin job "
              + name
              + ": "
              + path
              + " exists; use --resume, or choose another --job");
    }
    fs.mkdirs(job.temporaries(), PRIVATE);
    try {
      job.write(job.settingsFile(), settings, false);
    } catch (FileAlreadyExistsException e) {
      throw new RefusedException("Cannot begin job " + name + ": another driver has just begun it");
    }
    return job;
  }

  /** Returns the jobs below a root that are not finished. */
  public static List<JobDirectory> unfinished(DistributedFileSystem fs, String root)
      throws IOException {
    List<JobDirectory> jobs = new ArrayList<>();
    FileStatus[] found;
    try {
      requirePrivate(fs, new Path(root));
      found = fs.listStatus(new Path(root));
    } catch (FileNotFoundException e) {
      return jobs;
    }
    for (FileStatus status : found) {
      JobDirectory job = new JobDirectory(fs, status.getPath());
      // The directory for temporary files is deleted last.
      if (status.isDirectory() && fs.exists(job.temporaries()) && fs.exists(job.journalFile())) {
        jobs.add(job);
      }
    }
    return jobs;
  }

  /**
   * Refuses a directory that users other than superusers can write or replace: a job acts on its
   * journal, which must be trustworthy.
   */
  private static void requirePrivate(DistributedFileSystem fs, Path root) throws IOException {
    FileStatus status = fs.getFileStatus(root);
    if (!status.getPermission().equals(PRIVATE)) {
      throw exposed(root, status);
    }
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    String superuser = fs.getFileStatus(new Path("/")).getOwner();
    String superusers =
        fs.getConf()
            .get(
                DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_KEY,
                DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_DEFAULT);
    for (Path at = root; at != null; at = at.getParent()) {
      FileStatus one = fs.getFileStatus(at);
      boolean isOfSuperuser = one.getOwner().equals(user) || one.getOwner().equals(superuser);
      int othersWrite = one.getGroup().equals(superusers) ? 0002 : 0022;
      boolean isOpen = (one.getPermission().toShort() & othersWrite) != 0 || one.hasAcl();
      boolean isSticky = one.getPermission().getStickyBit();
      if (!isOfSuperuser || (isOpen && !isSticky)) {
        throw exposed(root, one);
      }
    }
  }

  private static RefusedException exposed(Path root, FileStatus why) {
    return new RefusedException(
        "Cannot keep jobs in "
            + root.toUri().getPath()
            + ": "
            + why.getPath().toUri().getPath()
            + " belongs to "
            + why.getOwner()
            + " with permission "
            + why.getPermission()
            + (why.hasAcl() ? " and an ACL" : "")
            + ", and only superusers may be able to write or replace a journal; the directory must"
            + " belong to you with permission rwx------, its parents must belong to a superuser and"
            + " not be writable by others; or choose another with --job-directory");
  }

  public JobSettings settings() throws IOException {
    try (Reader in = new InputStreamReader(fs.open(settingsFile()), StandardCharsets.UTF_8)) {
      return GSON.fromJson(in, JobSettings.class);
    } catch (JsonSyntaxException e) {
      throw new IOException("Cannot read settings of job " + name() + ": " + e.getMessage(), e);
    }
  }

  /** Replaces the stored settings. Only for the driver that runs the job. */
  public void keep(JobSettings settings) throws IOException {
    Path next = new Path(directory, "job.json.next");
    write(next, settings, true);
    fs.rename(next, settingsFile(), Options.Rename.OVERWRITE);
  }

  private void write(Path file, JobSettings settings, boolean overwrite) throws IOException {
    try (FSDataOutputStream out = fs.createFile(file).replicate().overwrite(overwrite).build()) {
      out.write(GSON.toJson(settings).getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Deletes the directory for temporary files, whose absence marks the job as finished. */
  public void markFinished() throws IOException {
    fs.delete(temporaries(), true);
  }

  /** Returns whether the operator has paused the job. A positive answer is cached for a second. */
  public synchronized boolean isPaused() throws IOException {
    if (!isPaused || System.nanoTime() - pausedAt > PAUSE_KNOWN_NANOS) {
      isPaused = fs.exists(pauseFile());
      pausedAt = System.nanoTime();
    }
    return isPaused;
  }

  public String name() {
    return directory.getName();
  }

  public Path path() {
    return directory;
  }

  public Path pauseFile() {
    return new Path(directory, "pause");
  }

  public Path journalFile() {
    return new Path(directory, JOURNAL);
  }

  public Path temporaries() {
    return new Path(directory, "tmp");
  }

  private Path settingsFile() {
    return new Path(directory, SETTINGS);
  }
}
