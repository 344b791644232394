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
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
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
import org.stripeline.natives.Ticker;

/**
 * The directory of one job on HDFS. It contains {@code job.json}, {@code journal}, {@code
 * status.json}, temporary files in {@code tmp}, {@code pause} while the operator pauses the job,
 * and {@code cancel} once the operator has cancelled it.
 *
 * <p>It lies outside the trees that are converted, so that their quotas do not count temporary
 * files. Only superusers can enter it, since it contains files of all owners.
 */
public final class JobDirectory {
  private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  /** Names of files that every job has. */
  public static final String SETTINGS = "job.json";

  public static final String JOURNAL = "journal";

  private static final String STATUS = "status.json";
  private static final String TEMPORARIES = "tmp";
  private static final String PAUSE = "pause";
  private static final String CANCEL = "cancel";

  /** Default parent of all job directories. */
  public static final String ROOT_DEFAULT = "/.stripeline/convert";

  /** Permission of the directory: it contains files of all owners. */
  public static final FsPermission PRIVATE = new FsPermission((short) 0700);

  private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

  /**
   * Lifetime of a known request to pause, so that all waiting threads together make one call per
   * period.
   */
  private static final long PAUSE_KNOWN_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  private final DistributedFileSystem fs;
  private final Path directory;
  private volatile Request request = Request.NONE;
  private long readAt;

  /** A request of the operator to the driver of the job. */
  public enum Request {
    NONE,
    /** To begin nothing until the request is withdrawn. */
    PAUSE,
    /** To end the job. */
    CANCEL
  }

  /** What the directory contains at one time. */
  public static final class Contents {
    private final Set<String> names = new TreeSet<>();
    private long statusMs;
    private long changedMs;

    private Contents(FileStatus[] found) {
      for (FileStatus one : found) {
        String name = one.getPath().getName();
        names.add(name);
        statusMs = name.equals(STATUS) ? one.getModificationTime() : statusMs;
        changedMs = Math.max(changedMs, one.getModificationTime());
      }
    }

    public Request request() {
      return names.contains(CANCEL)
          ? Request.CANCEL
          : names.contains(PAUSE) ? Request.PAUSE : Request.NONE;
    }

    /** Returns whether temporary files may exist. Their directory is deleted last. */
    public boolean isUnfinished() {
      return names.contains(TEMPORARIES);
    }

    public boolean hasJournal() {
      return names.contains(JOURNAL);
    }

    boolean hasSettings() {
      return names.contains(SETTINGS);
    }

    /** Returns whether these are the files of a job that has ended. */
    public boolean isEnded() {
      return hasJournal() && hasSettings() && !isUnfinished();
    }

    private boolean isWithoutSettings() {
      return names.equals(Collections.singleton(TEMPORARIES));
    }

    /**
     * Returns whether these are the files of a job that has changed nothing: its journal, without
     * which no step is done, does not exist yet.
     */
    public boolean isOnlyBegun() {
      return isUnfinished() && !hasJournal();
    }

    /** Returns when the status was written, in milliseconds of the NameNode's clock, or 0. */
    public long statusMs() {
      return statusMs;
    }

    /** Returns when a file was last closed, in milliseconds of the NameNode's clock. */
    public long changedMs() {
      return changedMs;
    }
  }

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
    // A driver that died before it wrote the settings leaves only the directory.
    if (fs.exists(path) && !job.contents().isWithoutSettings()) {
      throw new RefusedException(
          "Cannot begin job "
              + name
              + ": "
              + path
              + " exists; use --resume, or choose another --job");
    }
    fs.mkdirs(job.temporaries(), PRIVATE);
    // Renamed when complete, so that a job whose driver dies now has whole settings or none.
    Path next = new Path(job.temporaries(), SETTINGS + "." + UUID.randomUUID());
    job.write(next, settings, false);
    try {
      fs.rename(next, job.settingsFile(), Options.Rename.NONE);
    } catch (FileAlreadyExistsException e) {
      throw new RefusedException("Cannot begin job " + name + ": another driver has just begun it");
    }
    return job;
  }

  /** Returns the jobs below a root that are not finished. */
  public static List<JobDirectory> unfinished(DistributedFileSystem fs, String root)
      throws IOException {
    List<JobDirectory> jobs = new ArrayList<>();
    try {
      requirePrivate(fs, new Path(root));
    } catch (FileNotFoundException e) {
      return jobs;
    }
    for (JobDirectory job : all(fs, root)) {
      try {
        Contents contents = job.contents();
        if (contents.isUnfinished() && contents.hasSettings()) {
          jobs.add(job);
        }
      } catch (FileNotFoundException e) {
        // Expired, and deleted during the listing.
      }
    }
    return jobs;
  }

  /** Returns all jobs below a root, ordered by name. */
  public static List<JobDirectory> all(DistributedFileSystem fs, String root) throws IOException {
    List<JobDirectory> jobs = new ArrayList<>();
    try {
      for (FileStatus status : fs.listStatus(new Path(root))) {
        if (status.isDirectory()) {
          jobs.add(new JobDirectory(fs, status.getPath()));
        }
      }
    } catch (FileNotFoundException e) {
      return jobs;
    }
    return jobs;
  }

  /** Lists the directory. */
  public Contents contents() throws IOException {
    return new Contents(fs.listStatus(directory));
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
    return read(settingsFile(), JobSettings.class);
  }

  private <T> T read(Path file, Class<T> type) throws IOException {
    try (Reader in = new InputStreamReader(fs.open(file), StandardCharsets.UTF_8)) {
      return GSON.fromJson(in, type);
    } catch (JsonSyntaxException e) {
      throw new IOException(
          "Cannot read " + file.getName() + " of job " + name() + ": " + e.getMessage(), e);
    }
  }

  /** Replaces the stored settings. Only for the driver that runs the job. */
  public void keep(JobSettings settings) throws IOException {
    replace(settingsFile(), settings);
  }

  /** Replaces the stored status. Only for the driver that runs the job. */
  public void keepStatus(Object status) throws IOException {
    replace(new Path(directory, STATUS), status);
  }

  /**
   * Reads the stored status.
   *
   * @throws FileNotFoundException if there is none
   */
  public <T> T status(Class<T> type) throws IOException {
    return read(new Path(directory, STATUS), type);
  }

  private void replace(Path file, Object content) throws IOException {
    Path next = file.suffix(".next");
    write(next, content, true);
    fs.rename(next, file, Options.Rename.OVERWRITE);
  }

  private void write(Path file, Object content, boolean overwrite) throws IOException {
    try (FSDataOutputStream out = fs.createFile(file).replicate().overwrite(overwrite).build()) {
      out.write(GSON.toJson(content).getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Deletes the directory for temporary files, whose absence marks the job as finished. */
  public void markFinished() throws IOException {
    fs.delete(temporaries(), true);
  }

  /**
   * Returns the request of the operator. A request to pause is cached for a second, to cancel for
   * ever.
   *
   * @param ticker the clock of the cache, always the same
   */
  public synchronized Request request(Ticker ticker) throws IOException {
    boolean isKnown = request == Request.PAUSE && ticker.nanos() - readAt <= PAUSE_KNOWN_NANOS;
    if (!isKnown && request != Request.CANCEL) {
      request = contents().request();
      readAt = ticker.nanos();
    }
    return request;
  }

  /** Returns whether {@link #request} has shown that the job is cancelled. */
  public boolean isCancelled() {
    return request == Request.CANCEL;
  }

  /**
   * Requests the driver to pause.
   *
   * @throws RefusedException if the job has ended; nothing is left of the request then
   */
  public void pause() throws IOException {
    ask(pauseFile(), "pause");
  }

  /** Withdraws the request to pause, and returns whether there was one. */
  public boolean proceed() throws IOException {
    return fs.delete(pauseFile(), false);
  }

  /**
   * Requests the driver to end the job.
   *
   * @throws RefusedException if the job has ended; nothing is left of the request then
   */
  public void cancel() throws IOException {
    ask(new Path(directory, CANCEL), "cancel");
  }

  /**
   * Creates the file of a request. It must not create the directory again: a later job of the same
   * name would obey the request.
   */
  private void ask(Path file, String verb) throws IOException {
    boolean isUnfinished;
    try {
      fs.createFile(file).replicate().overwrite(true).build().close();
      isUnfinished = contents().isUnfinished();
    } catch (FileNotFoundException e) {
      isUnfinished = false;
    }
    if (!isUnfinished) {
      fs.delete(file, false);
      throw new RefusedException("Cannot " + verb + " job " + name() + ": it has ended");
    }
  }

  public String name() {
    return directory.getName();
  }

  public Path path() {
    return directory;
  }

  public Path pauseFile() {
    return new Path(directory, PAUSE);
  }

  public Path journalFile() {
    return new Path(directory, JOURNAL);
  }

  public Path temporaries() {
    return new Path(directory, TEMPORARIES);
  }

  private Path settingsFile() {
    return new Path(directory, SETTINGS);
  }
}
