// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.natives.Ticker;

/** A running job: the objects that its parts share. */
public final class Job implements Closeable {
  private static final long PAUSE_POLL_MS = 1000;

  private final DistributedFileSystem fs;
  private final JobSettings settings;
  private final JobDirectory directory;
  private final Journal journal;
  private final StepListener listener;
  private final Ticker ticker;
  private final RateLimiter rateLimiter;
  private final AdoptionTraffic traffic = new AdoptionTraffic();
  private final TemporaryPlaces places;
  private final OneTry oneTry;
  private BooleanSupplier isOver = () -> false;
  private volatile boolean isLeftPaused;

  public Job(
      DistributedFileSystem fs,
      JobSettings settings,
      JobDirectory directory,
      Journal journal,
      StepListener listener,
      Ticker ticker)
      throws IOException {
    this.fs = fs;
    this.settings = settings;
    this.directory = directory;
    this.journal = journal;
    this.listener = listener;
    this.ticker = ticker;
    rateLimiter = new RateLimiter(settings.bytesPerSecond, ticker);
    places = new TemporaryPlaces(fs.getClient(), directory);
    oneTry = OneTry.open(fs);
  }

  public DistributedFileSystem fs() {
    return fs;
  }

  public DFSClient client() {
    return fs.getClient();
  }

  public ClientProtocol namenode() {
    return client().getNamenode();
  }

  /**
   * Returns the holder of all leases. It renews them while the journal, a file of the same client,
   * is open.
   */
  public String leaseHolder() {
    return client().getClientName();
  }

  public JobSettings settings() {
    return settings;
  }

  public JobDirectory directory() {
    return directory;
  }

  public Journal journal() {
    return journal;
  }

  /** Returns the clock of its waits and limits. */
  public Ticker ticker() {
    return ticker;
  }

  /**
   * Waits until the rate allows bytes of a file to be read or written, and counts them.
   *
   * @throws CancelledException if the operator has cancelled the job
   */
  public void move(FileMeter file, int bytes) throws IOException {
    requireNotCancelled();
    rateLimiter.take(bytes);
    file.moved(bytes);
  }

  public AdoptionTraffic traffic() {
    return traffic;
  }

  public void reached(Step step, OpenFile file) {
    reached(step, file.begin().path);
  }

  public void reached(Step step, String path) {
    listener.reached(step, path);
  }

  /**
   * Writes a step to the journal before it is done, and adds it to the file's state for a rollback.
   */
  public void announce(OpenFile file, JournalRecord record) throws JournalLostException {
    journal.write(record);
    file.add(record);
  }

  /** Sets what tells that no more files may be begun; those in progress are completed. */
  public void beginUntil(BooleanSupplier over) {
    isOver = over;
  }

  /** Returns whether no more files may be begun. */
  public boolean isOver() {
    return isOver.getAsBoolean();
  }

  /**
   * Waits while the operator pauses the job.
   *
   * @throws CancelledException if the operator has cancelled it
   * @throws PausedException if it is paused when it is over; the job must stay unfinished then
   */
  public void waitWhilePaused() throws IOException {
    while (directory.request(ticker) == JobDirectory.Request.PAUSE) {
      if (isOver()) {
        isLeftPaused = true;
        throw new PausedException();
      }
      Polling.pause(ticker, PAUSE_POLL_MS);
    }
    requireNotCancelled();
  }

  /** Returns whether the job was over while it was paused, so that it must stay unfinished. */
  public boolean isLeftPaused() {
    return isLeftPaused;
  }

  /** Throws an exception if the operator is known to have cancelled the job. */
  public void requireNotCancelled() throws CancelledException {
    if (directory.isCancelled()) {
      throw new CancelledException();
    }
  }

  /**
   * Waits until the NameNode has written to its edit log whatever it has told before. It tells of a
   * change at once, and forgets it if it is killed before the change is in the log.
   */
  public void awaitEditLog() throws IOException {
    // A call that is logged although it changes nothing.
    Path path = directory.path();
    fs.setPermission(path, fs.getFileStatus(path).getPermission());
  }

  /**
   * Returns the directory for the files that maps write for a file. It depends on the driver that
   * began the conversion, which may be another one.
   */
  public String workDirectory(JournalRecord begin) {
    String holder = Integer.toHexString(begin.client.hashCode());
    Path path = new Path(directory.temporaries(), begin.fileId + "-" + holder + ".maps");
    return path.toUri().getPath();
  }

  /** Creates that directory if it does not exist, and returns it. */
  public String makeWorkDirectory(JournalRecord begin) throws IOException {
    String path = workDirectory(begin);
    fs.mkdirs(new Path(path), JobDirectory.PRIVATE);
    return path;
  }

  public void deleteWorkDirectory(JournalRecord begin) throws IOException {
    namenode().delete(workDirectory(begin), true);
  }

  /** Returns a name for the temporary file of a file. */
  public String temporaryName(Candidate file) {
    // The holder differs for each driver, so that a slow driver cannot swap a file of another one.
    return file.status().getFileId() + "-" + Integer.toHexString(leaseHolder().hashCode());
  }

  /** Returns the directories for temporary files. */
  public TemporaryPlaces places() {
    return places;
  }

  /**
   * Checks that a temporary file was created in the directory that the journal names.
   *
   * @throws IOException if it was not; the temporary file has been deleted then
   */
  public void requireInPlace(JournalRecord begin, long temporaryId) throws IOException {
    if (InodePath.parent(client(), temporaryId) != begin.directoryId) {
      client().delete(InodePath.of(temporaryId), false);
      throw new IOException(
          "Cannot use " + begin.temporary + ": its directory was replaced while it was created");
    }
  }

  /** Returns the NameNodes for calls that must not be retried. */
  public OneTry oneTry() {
    return oneTry;
  }

  @Override
  public void close() {
    oneTry.close();
  }

  /** Thrown if the operator has cancelled the job: what is in progress is rolled back. */
  public static final class CancelledException extends IOException {
    private static final long serialVersionUID = 1L;

    private CancelledException() {
      super("the job was cancelled");
    }
  }

  /**
   * Thrown if the time of a job is over while the operator pauses it: what is in progress is rolled
   * back, and the job stays unfinished, so that the pause is not lost.
   */
  public static final class PausedException extends IOException {
    private static final long serialVersionUID = 1L;

    private PausedException() {
      super("the job is paused, and its time is over");
    }
  }
}
