// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException;
import org.apache.hadoop.hdfs.protocol.RecoveryInProgressException;
import org.apache.hadoop.ipc.RemoteException;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;

/**
 * Takes over files from other processes, such as the journal of a job, once their leases have
 * expired.
 */
public final class JobLock {
  private static final long ASK_AGAIN_MS = 250;

  private JobLock() {}

  /**
   * Opens the journal for writing.
   *
   * @param waitMs milliseconds to wait; a dead driver's lease lasts 60 s (the NameNode's soft
   *     limit)
   * @throws RefusedException if another driver runs the job
   */
  public static Journal take(
      DistributedFileSystem fs, JobDirectory directory, long waitMs, Ticker ticker)
      throws IOException {
    return await(
        ticker,
        waitMs,
        () -> open(fs, directory),
        held ->
            "Cannot resume job "
                + directory.name()
                + ": another driver has it ("
                + Reasons.of(held)
                + ")");
  }

  /** Opens a file for writing. */
  public interface Opener<T> {
    T open() throws IOException;
  }

  /**
   * Opens a file for writing, as soon as no other process writes it.
   *
   * @param waitMs milliseconds to wait; a dead client's lease lasts 60 s (the NameNode's soft
   *     limit)
   * @param refusal returns the message if another process still writes the file then
   * @throws RefusedException with that message
   */
  public static <T> T await(
      Ticker ticker, long waitMs, Opener<T> opener, Function<IOException, String> refusal)
      throws IOException {
    List<T> opened = new ArrayList<>();
    IOException[] held = new IOException[1];
    boolean isOpen =
        Polling.isMet(
            ticker,
            waitMs,
            ASK_AGAIN_MS,
            () -> {
              try {
                opened.add(opener.open());
                return true;
              } catch (IOException e) {
                if (!isHeld(e)) {
                  throw e;
                }
                held[0] = e;
                return false;
              }
            });
    if (!isOpen) {
      throw new RefusedException(refusal.apply(held[0]));
    }
    return opened.get(0);
  }

  private static Journal open(DistributedFileSystem fs, JobDirectory directory) throws IOException {
    try {
      return Journal.append(fs, directory.journalFile());
    } catch (FileNotFoundException e) {
      JobDirectory.Contents contents;
      try {
        contents = directory.contents();
      } catch (FileNotFoundException gone) {
        throw new RefusedException(
            "Cannot resume job " + directory.name() + ": its directory was deleted");
      }
      if (!contents.hasJournal() && !contents.isOnlyBegun()) {
        throw new RefusedException(
            "Cannot resume job "
                + directory.name()
                + ": its journal was deleted, and only the journal names the files in progress;"
                + " restore it, or delete "
                + directory.path().toUri().getPath()
                + " and begin another job");
      }
      // The driver that began the job died before it created the journal.
      return Journal.create(fs, directory.journalFile());
    }
  }

  /** Returns whether a file cannot be opened because another client is writing it. */
  public static boolean isHeld(IOException e) {
    IOException cause =
        e instanceof RemoteException ? ((RemoteException) e).unwrapRemoteException() : e;
    return cause instanceof AlreadyBeingCreatedException
        || cause instanceof FileAlreadyExistsException
        || cause instanceof RecoveryInProgressException;
  }
}
