// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.io.IOUtils;
import org.stripeline.convert.job.JsonFile.UnreadableException;
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
  private static final AtomicInteger NUMBER = new AtomicInteger(new Random().nextInt());

  /** Name of the file with the settings. */
  public static final String SETTINGS = "job.json";

  /** Name of the journal. */
  public static final String JOURNAL = "journal";

  private static final String STATUS = "status.json";
  private static final String TEMPORARIES = "tmp";
  private static final String PAUSE = "pause";
  private static final String CANCEL = "cancel";

  /** Default parent of all job directories. */
  public static final String ROOT_DEFAULT = "/.stripeline/convert";

  /** Permission of the directory: it contains files of all owners. */
  public static final FsPermission PRIVATE = new FsPermission((short) 0700);

  /** Everything that drivers and operators create in the directory. */
  private static final Set<String> OWN =
      new HashSet<>(
          Arrays.asList(
              SETTINGS,
              SETTINGS + JsonFile.NEXT,
              STATUS,
              STATUS + JsonFile.NEXT,
              JOURNAL,
              TEMPORARIES,
              PAUSE,
              CANCEL));

  private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

  /**
   * Lifetime of a known request to pause, so that all waiting threads together make one call per
   * period.
   */
  private static final long PAUSE_KNOWN_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  private final DistributedFileSystem fs;
  private final Path directory;
  private final long inodeId;
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

    private boolean isEnded() {
      return hasJournal() && hasSettings() && !isUnfinished();
    }

    private boolean isWithoutSettings() {
      return names.equals(Collections.singleton(TEMPORARIES));
    }

    /**
     * Returns whether these are the files of a job that has changed nothing: its journal, without
     * which no step is done, does not exist yet. A driver records a status only once it has a
     * journal.
     */
    public boolean isOnlyBegun() {
      return isUnfinished() && !hasJournal() && statusMs == 0;
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

  private JobDirectory(DistributedFileSystem fs, Path directory, long inodeId) {
    this.fs = fs;
    this.directory = directory;
    this.inodeId = inodeId;
  }

  /**
   * Returns a name for a new job: the local time and a number that is random for the first job of
   * this process, and the next one for each other.
   */
  public static String newName() {
    int number = NUMBER.getAndIncrement() & 0xFFFF;
    return LocalDateTime.now(ZoneId.systemDefault()).format(NAME)
        + "-"
        + String.format(Locale.ROOT, "%04x", number);
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
    JobRoot.requirePrivate(fs, new Path(root));
    JobDirectory job = new JobDirectory(fs, path, HdfsConstants.GRANDFATHER_INODE_ID);
    // A driver that died before it wrote the settings leaves only the directory.
    if (fs.exists(path) && !job.isLeftWithoutSettings()) {
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
    JsonFile.write(fs, next, GSON.toJson(settings), false);
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
    return unfinished(fs, root, new KnownJobs());
  }

  /**
   * Returns the jobs below a root that are not finished.
   *
   * @param known the jobs that are known to have ended, to which this adds
   */
  public static List<JobDirectory> unfinished(
      DistributedFileSystem fs, String root, KnownJobs known) throws IOException {
    List<JobDirectory> jobs = new ArrayList<>();
    try {
      JobRoot.requirePrivate(fs, new Path(root));
    } catch (FileNotFoundException e) {
      return jobs;
    }
    List<JobDirectory> all = all(fs, root);
    known.retain(all);
    for (JobDirectory job : all) {
      if (known.hasEnded(job)) {
        continue;
      }
      try {
        Contents contents = job.contents();
        if (contents.isUnfinished() && contents.hasSettings()) {
          jobs.add(job);
        } else if (contents.isEnded()) {
          known.ended(job);
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
          long id = ((HdfsFileStatus) status).getFileId();
          jobs.add(new JobDirectory(fs, status.getPath(), id));
        }
      }
    } catch (FileNotFoundException e) {
      return jobs;
    }
    return jobs;
  }

  private boolean isLeftWithoutSettings() throws IOException {
    return contents().isWithoutSettings() && hasNoTemporaries();
  }

  /** Returns whether there are no temporary files, except settings that were not completed. */
  private boolean hasNoTemporaries() throws IOException {
    for (FileStatus one : fs.listStatus(temporaries())) {
      if (one.isDirectory() || !one.getPath().getName().startsWith(SETTINGS + ".")) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether the job has ended, or has changed nothing, so that its directory can be deleted
   * once it is old. A directory with anything that no job creates is not one of a job.
   */
  public boolean isDisposable(Contents contents) throws IOException {
    return OWN.containsAll(contents.names)
        && (contents.isEnded() || (contents.isOnlyBegun() && hasNoTemporaries()));
  }

  /**
   * Deletes the directory of a job.
   *
   * @param contents what shows that it is disposable
   * @throws FileAlreadyExistsException if a driver has begun to do the job since then
   */
  public void dispose(Contents contents) throws IOException {
    // Only one driver can create the journal, and none does anything without it.
    Journal claim = contents.hasJournal() ? null : Journal.create(fs, journalFile());
    try {
      fs.delete(directory, true);
    } finally {
      // Its file is gone, so it cannot be completed.
      IOUtils.closeStream(claim);
    }
  }

  /** Lists the directory. */
  public Contents contents() throws IOException {
    return new Contents(fs.listStatus(directory));
  }

  /**
   * Reads the stored settings.
   *
   * @throws FileNotFoundException if there are none
   * @throws UnreadableException if they are not settings, or those of a newer version
   */
  public JobSettings settings() throws IOException {
    JobSettings settings = JsonFile.read(fs, settingsFile(), JobSettings.class);
    String file = settingsFile().toUri().getPath();
    if (settings != null && settings.format > JobSettings.FORMAT) {
      throw UnreadableException.newer(file, settings.format, JobSettings.FORMAT);
    }
    if (settings == null || settings.path == null) {
      throw UnreadableException.of(file, "it names no path", null);
    }
    return settings;
  }

  /** Replaces the stored settings. Only for the driver that runs the job. */
  public void keep(JobSettings settings) throws IOException {
    JsonFile.replace(fs, settingsFile(), GSON.toJson(settings));
  }

  /** Replaces the stored status. Only for the driver that runs the job. */
  public void keepStatus(Object status) throws IOException {
    JsonFile.replace(fs, new Path(directory, STATUS), GSON.toJson(status));
  }

  /**
   * Reads the stored status.
   *
   * @throws FileNotFoundException if there is none
   * @throws UnreadableException if it is not a status
   */
  public <T> T status(Class<T> type) throws IOException {
    return JsonFile.read(fs, new Path(directory, STATUS), type);
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
    IOException failure = null;
    try {
      fs.createFile(file).replicate().overwrite(true).build().close();
    } catch (IOException e) {
      // Also if another operator asks for the same: his file replaces this one while it is open.
      failure = e;
    }
    Contents now;
    try {
      now = contents();
    } catch (FileNotFoundException e) {
      now = new Contents(new FileStatus[0]);
    }
    if (!now.isUnfinished()) {
      fs.delete(file, false);
      throw new RefusedException("Cannot " + verb + " job " + name() + ": it has ended");
    }
    if (failure != null && !now.names.contains(file.getName())) {
      throw failure;
    }
  }

  public String name() {
    return directory.getName();
  }

  /** Returns the inode id of a directory that was listed. */
  long inodeId() {
    return inodeId;
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
