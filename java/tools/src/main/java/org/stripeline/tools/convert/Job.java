// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;

/** A job under way: what its parts have in common. */
final class Job implements Closeable {
  private static final long PAUSE_POLL_MS = 1000;

  private final DistributedFileSystem fs;
  private final JobSettings settings;
  private final JobDirectory directory;
  private final Journal journal;
  private final StepListener listener;
  private final Throttle throttle;
  private final Traffic traffic = new Traffic();
  private final TemporaryPlaces places;
  private final OneTry oneTry;

  Job(
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
    throttle = new Throttle(settings.bytesPerSecond);
    places = new TemporaryPlaces(fs.getClient(), directory);
    oneTry = OneTry.open(fs);
  }

  DistributedFileSystem fs() {
    return fs;
  }

  DFSClient client() {
    return fs.getClient();
  }

  ClientProtocol namenode() {
    return client().getNamenode();
  }

  /** Holder of all leases: renewed as long as the journal, a file of the same client, is open. */
  String leaseHolder() {
    return client().getClientName();
  }

  JobSettings settings() {
    return settings;
  }

  JobDirectory directory() {
    return directory;
  }

  Journal journal() {
    return journal;
  }

  Throttle throttle() {
    return throttle;
  }

  Traffic traffic() {
    return traffic;
  }

  void reached(Step step, OpenFile file) {
    reached(step, file.begin().path);
  }

  void reached(Step step, String path) {
    listener.reached(step, path);
  }

  /** Writes what will be done with a file, and remembers it for the case that it fails. */
  void announce(OpenFile file, JournalRecord record) throws JournalLostException {
    journal.write(record);
    file.add(record);
  }

  /** Waits as long as the operator's file is there. */
  void waitWhilePaused() throws IOException {
    while (directory.isPaused()) {
      Patience.pause(PAUSE_POLL_MS);
    }
  }

  /** Directory of what maps leave of a file that a driver, this one or a dead one, has begun. */
  String workDirectory(JournalRecord begin) {
    String holder = Integer.toHexString(begin.client.hashCode());
    Path path = new Path(directory.temporaries(), begin.fileId + "-" + holder + ".maps");
    return path.toUri().getPath();
  }

  /** Makes that directory unless it is there, and returns it. */
  String makeWorkDirectory(JournalRecord begin) throws IOException {
    String path = workDirectory(begin);
    fs.mkdirs(new Path(path), JobDirectory.PRIVATE);
    return path;
  }

  void deleteWorkDirectory(JournalRecord begin) throws IOException {
    namenode().delete(workDirectory(begin), true);
  }

  /** A name for the temporary file of a file, used only once. */
  String temporaryName(Candidate file) {
    // The holder differs with every driver, so that one that is late cannot swap what is not its.
    return file.status().getFileId() + "-" + Integer.toHexString(leaseHolder().hashCode());
  }

  /** Directories for temporary files. */
  TemporaryPlaces places() {
    return places;
  }

  /**
   * Makes sure that a temporary file was created in the directory that the journal names.
   *
   * @throws IOException if it was not; it is deleted then
   */
  void requireInPlace(JournalRecord begin, long temporaryId) throws IOException {
    if (InodePath.parent(client(), temporaryId) != begin.directoryId) {
      client().delete(InodePath.of(temporaryId), false);
      throw new IOException(
          "Cannot use " + begin.temporary + ": its directory was replaced while it was created");
    }
  }

  /** The NameNodes for calls that must not be repeated. */
  OneTry oneTry() {
    return oneTry;
  }

  @Override
  public void close() {
    oneTry.close();
  }
}
