// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.stripeline.convert.settings.JobSettings;

/** A job under way: what its parts have in common. */
public final class Job implements Closeable {
  private static final long PAUSE_POLL_MS = 1000;

  private final DistributedFileSystem fs;
  private final JobSettings settings;
  private final JobDirectory directory;
  private final Journal journal;
  private final StepListener listener;
  private final RateLimiter rateLimiter;
  private final AdoptionTraffic traffic = new AdoptionTraffic();
  private final TemporaryPlaces places;
  private final OneTry oneTry;

  public Job(
      DistributedFileSystem fs,
      JobSettings settings,
      JobDirectory directory,
      Journal journal,
      StepListener listener)
      throws IOException {
    this.fs = fs;
    this.settings = settings;
    this.directory = directory;
    this.journal = journal;
    this.listener = listener;
    rateLimiter = new RateLimiter(settings.bytesPerSecond);
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

  /** Holder of all leases: renewed as long as the journal, a file of the same client, is open. */
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

  public RateLimiter rateLimiter() {
    return rateLimiter;
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

  /** Writes what will be done with a file, and remembers it for the case that it fails. */
  public void announce(OpenFile file, JournalRecord record) throws JournalLostException {
    journal.write(record);
    file.add(record);
  }

  /** Waits as long as the operator's file is there. */
  public void waitWhilePaused() throws IOException {
    while (directory.isPaused()) {
      Polling.pause(PAUSE_POLL_MS);
    }
  }

  /** Directory of what maps leave of a file that a driver, this one or a dead one, has begun. */
  public String workDirectory(JournalRecord begin) {
    String holder = Integer.toHexString(begin.client.hashCode());
    Path path = new Path(directory.temporaries(), begin.fileId + "-" + holder + ".maps");
    return path.toUri().getPath();
  }

  /** Makes that directory unless it is there, and returns it. */
  public String makeWorkDirectory(JournalRecord begin) throws IOException {
    String path = workDirectory(begin);
    fs.mkdirs(new Path(path), JobDirectory.PRIVATE);
    return path;
  }

  public void deleteWorkDirectory(JournalRecord begin) throws IOException {
    namenode().delete(workDirectory(begin), true);
  }

  /** A name for the temporary file of a file, used only once. */
  public String temporaryName(Candidate file) {
    // The holder differs with every driver, so that one that is late cannot swap what is not its.
    return file.status().getFileId() + "-" + Integer.toHexString(leaseHolder().hashCode());
  }

  /** Directories for temporary files. */
  public TemporaryPlaces places() {
    return places;
  }

  /**
   * Makes sure that a temporary file was created in the directory that the journal names.
   *
   * @throws IOException if it was not; it is deleted then
   */
  public void requireInPlace(JournalRecord begin, long temporaryId) throws IOException {
    if (InodePath.parent(client(), temporaryId) != begin.directoryId) {
      client().delete(InodePath.of(temporaryId), false);
      throw new IOException(
          "Cannot use " + begin.temporary + ": its directory was replaced while it was created");
    }
  }

  /** The NameNodes for calls that must not be repeated. */
  public OneTry oneTry() {
    return oneTry;
  }

  @Override
  public void close() {
    oneTry.close();
  }
}
