// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.convert.job.Reasons;
import org.stripeline.natives.Ticker;

/**
 * The ledger of scrubs, for its writer: the records at the beginning of the scrub, and a log to
 * which checks are appended. Thread-safe.
 */
public final class Ledger implements Closeable {
  /** Default directory. */
  public static final String ROOT_DEFAULT = "/.stripeline/scrub";

  static final String LEDGER = "ledger";
  static final String NEXT = LEDGER + ".next";
  static final String LOG = "log";

  /** Time after which checks are on disk, once another one ends. */
  private static final long SYNC_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Times that files are read, if they are replaced while they are read. */
  private static final int READS_MAX = 5;

  private final LedgerStore store;
  private final Ticker ticker;
  private final LedgerTable table;
  private RecordWriter log;
  private long syncedAt;
  private boolean isClosed;
  private boolean isFailed;

  /** Decides which records are kept. */
  public interface Filter {
    /**
     * Returns whether a record is kept.
     *
     * @param isSeen whether its file was marked in the table
     */
    boolean keeps(GroupRecord record, boolean isSeen) throws IOException;
  }

  /** Returns the paths of a ledger's files, of which some are open while it is written. */
  public static List<Path> files(Path directory) {
    return Stream.of(HdfsLedgerStore.LEASE, LEDGER, NEXT, LOG)
        .map(name -> new Path(directory, name))
        .collect(Collectors.toList());
  }

  private Ledger(LedgerStore store, Ticker ticker, LedgerTable table) {
    this.store = store;
    this.ticker = ticker;
    this.table = table;
  }

  /**
   * Opens a ledger for writing; it is created if there is none. Nothing changes before {@link
   * #begin}.
   *
   * @param waiting is told if another process has the ledger, for whose end this call waits
   * @throws org.stripeline.convert.settings.RefusedException if another process keeps it for longer
   *     than a killed one would, or if it cannot be used
   */
  public static Ledger open(
      DistributedFileSystem fs, Path directory, Ticker ticker, Consumer<String> waiting)
      throws IOException {
    return open(HdfsLedgerStore.lock(fs, directory, ticker, waiting), ticker);
  }

  /**
   * Opens a ledger as {@link #open(DistributedFileSystem, Path, Ticker, Consumer)} does, but waits
   * for no other process.
   *
   * @return null if another process has it
   */
  public static Ledger openIfFree(DistributedFileSystem fs, Path directory, Ticker ticker)
      throws IOException {
    LedgerStore store = HdfsLedgerStore.lockIfFree(fs, directory, ticker);
    return store == null ? null : open(store, ticker);
  }

  /** Returns a ledger that has no records and gets none. */
  public static Ledger none() {
    Ledger ledger = new Ledger(null, Ticker.SYSTEM, new LedgerTable());
    ledger.isClosed = true;
    return ledger;
  }

  static Ledger open(LedgerStore store, Ticker ticker) throws IOException {
    try {
      store.recover(LOG);
      return new Ledger(store, ticker, read(store));
    } catch (IOException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** Reads the records of a ledger, which a scrub may be writing. */
  public static LedgerTable read(DistributedFileSystem fs, Path directory) throws IOException {
    return read(HdfsLedgerStore.unlocked(fs, directory));
  }

  static LedgerTable read(LedgerStore store) throws IOException {
    for (int reads = 1; ; reads++) {
      long id = store.id(LEDGER);
      LedgerTable table = new LedgerTable();
      IOException failure = null;
      try {
        load(store, LEDGER, RecordReader.Kind.LEDGER, table::put);
        load(store, LOG, RecordReader.Kind.LOG, table::apply);
      } catch (IOException e) {
        failure = e;
      }
      // Otherwise the log may already be one that goes on from another ledger.
      if (store.id(LEDGER) == id) {
        if (failure != null) {
          throw failure;
        }
        return table;
      }
      if (reads == READS_MAX) {
        throw new IOException(
            "Cannot read " + store.path(LEDGER) + ": it is replaced all the time");
      }
    }
  }

  private static void load(
      LedgerStore store, String name, RecordReader.Kind kind, Consumer<GroupRecord> consumer)
      throws IOException {
    InputStream in;
    try {
      in = store.open(name);
    } catch (FileNotFoundException e) {
      return;
    }
    try {
      RecordReader.read(in, kind, store.path(name), consumer);
    } finally {
      in.close();
    }
  }

  /** Returns the records as they were when the ledger was opened. */
  public LedgerTable table() {
    return table;
  }

  /**
   * Writes the records as a new ledger, and begins its log. After {@link #close} this does nothing,
   * because the process is ending.
   */
  public synchronized void begin(Filter filter) throws IOException {
    if (isClosed) {
      return;
    }
    try (RecordWriter next = new RecordWriter(store.create(NEXT), RecordReader.Kind.LEDGER)) {
      table.forEach(
          (record, isSeen) -> {
            if (filter.keeps(record, isSeen)) {
              next.add(record);
            }
          });
      next.complete();
    }
    store.rename(NEXT, LEDGER);
    log = new RecordWriter(store.create(LOG), RecordReader.Kind.LOG);
    log.sync();
    syncedAt = ticker.nanos();
  }

  /** Returns whether records are written, other than by {@link #none}, and none was lost. */
  public synchronized boolean isRecording() {
    return store != null && !isFailed;
  }

  /** Appends a record. After {@link #close} this does nothing, because the process is ending. */
  public void add(GroupRecord record) throws IOException {
    append(record, SYNC_NANOS);
  }

  /** Appends a record as {@link #add} does; it is on disk when this returns. */
  public void addAndSync(GroupRecord record) throws IOException {
    append(record, 0);
  }

  private synchronized void append(GroupRecord record, long syncNanos) throws IOException {
    if (isClosed) {
      return;
    }
    try {
      log.add(record);
      if (ticker.nanos() - syncedAt >= syncNanos) {
        log.sync();
        syncedAt = ticker.nanos();
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private IOException failed(IOException why) {
    isFailed = true;
    return new IOException(
        "Cannot write "
            + store.path(LOG)
            + ": "
            + Reasons.of(why)
            + "; what was checked up to about 10 s ago is recorded, and a scrub with"
            + " --checked-before continues",
        why);
  }

  /** Writes all records. Closing again has no effect, also if this failed. */
  @Override
  public synchronized void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try (LedgerStore released = store;
        RecordWriter ended = log) {
      if (log != null) {
        log.sync();
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
