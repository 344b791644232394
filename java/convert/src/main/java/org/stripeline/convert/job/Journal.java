// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.stripeline.convert.settings.RefusedException;

/**
 * The write-ahead log of a job. Each line announces a step, and is on the disks of DataNodes before
 * the step is done.
 *
 * <p>The file stays open while the driver lives. Its lease guarantees that a job has only one
 * driver. HDFS has one lease for all files of a client, so renewing it also renews the leases of
 * the files that are being converted.
 */
public final class Journal implements Closeable {
  private static final Gson GSON = new Gson();

  /** Many times the length of the last line of a job that has ended. */
  private static final int LAST_BYTES = 64 << 10;

  private final FSDataOutputStream out;
  private boolean broken;

  private Journal(FSDataOutputStream out) {
    this.out = out;
  }

  /** Creates the journal of a new job. */
  public static Journal create(DistributedFileSystem fs, Path file) throws IOException {
    return new Journal(fs.createFile(file).replicate().overwrite(false).build());
  }

  /**
   * Opens the journal of a job that another driver left.
   *
   * @throws IOException an AlreadyBeingCreatedException or RecoveryInProgressException, possibly as
   *     a RemoteException, while the other driver's lease lasts
   */
  static Journal append(DistributedFileSystem fs, Path file) throws IOException {
    Journal journal = new Journal(fs.append(file));
    // Terminates the line that the other driver may have been writing when it died.
    journal.writeLine("");
    return journal;
  }

  /**
   * Writes a line, and returns when it is on disk.
   *
   * @throws JournalLostException if it may not be on disk; every later call throws as well
   */
  public synchronized void write(JournalRecord record) throws JournalLostException {
    writeLine(GSON.toJson(record));
  }

  private synchronized void writeLine(String line) throws JournalLostException {
    if (broken) {
      throw new JournalLostException(new IOException("an earlier line failed"));
    }
    try {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      out.hsync();
    } catch (IOException e) {
      broken = true;
      throw new JournalLostException(e);
    }
  }

  /**
   * Reads all lines of a journal in order.
   *
   * <p>A line that is not valid JSON was being written when its driver died, so its step was not
   * begun.
   *
   * @throws RefusedException if another version has recorded a step that this version does not know
   *     and therefore cannot settle
   */
  public static void read(DistributedFileSystem fs, Path file, Consumer<JournalRecord> consumer)
      throws IOException {
    try (FSDataInputStream in = fs.open(file);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JournalRecord record = parse(line);
        if (record == null) {
          continue;
        }
        if (!record.isWhole()) {
          throw new RefusedException(
              "Cannot read journal "
                  + file.toUri().getPath()
                  + ": another version of this command has recorded a step that this one does not"
                  + " know; resume the job with that version: "
                  + line);
        }
        consumer.accept(record);
      }
    }
  }

  /**
   * Reads the last line of a journal that is valid JSON, or null if there is none in its last 64
   * KiB.
   */
  public static JournalRecord last(DistributedFileSystem fs, Path file) throws IOException {
    JournalRecord last = null;
    try (FSDataInputStream in = fs.open(file)) {
      long length = ((HdfsDataInputStream) in).getVisibleLength();
      byte[] end = new byte[(int) Math.min(length, LAST_BYTES)];
      in.readFully(length - end.length, end);
      for (String line : new String(end, StandardCharsets.UTF_8).split("\n")) {
        JournalRecord record = parse(line);
        last = record == null ? last : record;
      }
    }
    return last;
  }

  private static JournalRecord parse(String line) {
    try {
      return GSON.fromJson(line, JournalRecord.class);
    } catch (JsonSyntaxException e) {
      return null;
    }
  }

  @Override
  public synchronized void close() throws IOException {
    out.close();
  }
}
