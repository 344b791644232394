// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JobRoot;
import org.stripeline.convert.job.Polling;
import org.stripeline.convert.service.Leader;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;

/** A ledger in a directory on HDFS. Its writer has the lease of a file. */
final class HdfsLedgerStore implements LedgerStore {
  static final String LEASE = "lease";

  /** Longer than the 60 s after which the NameNode gives away the lease of a killed process. */
  private static final long TAKE_OVER_MS = TimeUnit.SECONDS.toMillis(75);

  private static final long ASK_AGAIN_MS = 500;

  private final DistributedFileSystem fs;
  private final Path directory;
  private final Ticker ticker;

  /** The lease; null for a reader. */
  private final Leader leader;

  private HdfsLedgerStore(DistributedFileSystem fs, Path directory, Ticker ticker, Leader leader) {
    this.fs = fs;
    this.directory = directory;
    this.ticker = ticker;
    this.leader = leader;
  }

  /** Returns the store for a reader. */
  static HdfsLedgerStore unlocked(DistributedFileSystem fs, Path directory) {
    return new HdfsLedgerStore(fs, directory, null, null);
  }

  /** Returns the store for the only writer. */
  static HdfsLedgerStore lock(
      DistributedFileSystem fs, Path directory, Ticker ticker, Consumer<String> waiting)
      throws IOException {
    Leader[] taken = {take(fs, directory)};
    if (taken[0] == null) {
      String name = directory.toUri().getPath();
      waiting.accept(
          "Another scrub or repair has the ledger "
              + name
              + "; waiting for its end, or for its lease if it was killed, up to "
              + TimeUnit.MILLISECONDS.toSeconds(TAKE_OVER_MS)
              + " s");
      boolean isTaken =
          Polling.isMet(
              ticker,
              TAKE_OVER_MS,
              ASK_AGAIN_MS,
              () -> {
                taken[0] = take(fs, directory);
                return taken[0] != null;
              });
      if (!isTaken) {
        throw new RefusedException(
            "Cannot scrub with the ledger "
                + name
                + ": another scrub or repair is running; wait for its end, or name another"
                + " directory with --ledger");
      }
    }
    return new HdfsLedgerStore(fs, directory, ticker, taken[0]);
  }

  /** Returns the store for the only writer; null if another process is the writer. */
  static HdfsLedgerStore lockIfFree(DistributedFileSystem fs, Path directory, Ticker ticker)
      throws IOException {
    Leader taken = take(fs, directory);
    return taken == null ? null : new HdfsLedgerStore(fs, directory, ticker, taken);
  }

  /** Returns the lease; null if another process has it. */
  private static Leader take(DistributedFileSystem fs, Path directory) throws IOException {
    fs.mkdirs(directory, JobDirectory.PRIVATE);
    JobRoot.requirePrivate(fs, directory, "a ledger", "--ledger");
    return Leader.take(fs, new Path(directory, LEASE));
  }

  private Path file(String name) {
    return new Path(directory, name);
  }

  @Override
  public long id(String name) throws IOException {
    HdfsFileStatus status = fs.getClient().getFileInfo(path(name));
    return status == null ? 0 : status.getFileId();
  }

  @Override
  public InputStream open(String name) throws IOException {
    return fs.open(file(name));
  }

  @Override
  public void recover(String name) throws IOException {
    try {
      Polling.await(
          ticker, "Cannot recover the lease of " + path(name), () -> fs.recoverLease(file(name)));
    } catch (FileNotFoundException e) {
      // The first scrub has none to continue.
      return;
    }
  }

  @Override
  public FSDataOutputStream create(String name) throws IOException {
    // A process that was stopped for minutes must not replace the files of the next writer.
    leader.require();
    return fs.createFile(file(name)).replicate().overwrite(true).syncBlock().build();
  }

  @Override
  public void rename(String from, String to) throws IOException {
    leader.require();
    fs.rename(file(from), file(to), Options.Rename.OVERWRITE);
  }

  @Override
  public String path(String name) {
    return file(name).toUri().getPath();
  }

  @Override
  public void close() throws IOException {
    if (leader != null) {
      leader.close();
    }
  }
}
