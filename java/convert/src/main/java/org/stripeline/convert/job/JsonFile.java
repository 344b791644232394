// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;

/** Files with JSON on HDFS that one process replaces while others read them. */
public final class JsonFile {
  /** Suffix of the file that replaces another one. */
  static final String NEXT = ".next";

  /** Limit on the length, far more than that of any such file. */
  private static final long BYTES_MAX = 16 << 20;

  /** Maximum number of times that a file is opened, if it is replaced while it is read. */
  private static final int TRIES_MAX = 3;

  private static final Gson GSON = new Gson();

  private JsonFile() {}

  /**
   * Reads a file.
   *
   * @return null if the file is empty
   * @throws FileNotFoundException if there is no such file
   * @throws UnreadableException if its content is not of the type
   */
  public static <T> T read(DistributedFileSystem fs, Path file, Class<T> type) throws IOException {
    String path = file.toUri().getPath();
    for (int tries = 1; ; tries++) {
      try (FSDataInputStream in = fs.open(file)) {
        long length = ((HdfsDataInputStream) in).getVisibleLength();
        if (length > BYTES_MAX) {
          throw UnreadableException.of(path, "it has " + length + " bytes", null);
        }
        byte[] bytes = new byte[(int) length];
        try {
          in.readFully(0, bytes);
        } catch (IOException e) {
          // The file may have been replaced, and its blocks deleted, since it was opened.
          if (tries == TRIES_MAX) {
            throw e;
          }
          continue;
        }
        return GSON.fromJson(new String(bytes, StandardCharsets.UTF_8), type);
      } catch (JsonParseException e) {
        throw UnreadableException.of(path, e.getMessage(), e);
      }
    }
  }

  /** Replaces a file, or creates it. Only one process at a time may do this. */
  public static void replace(DistributedFileSystem fs, Path file, String json) throws IOException {
    replace(fs, file.suffix(NEXT), file, json);
  }

  /**
   * Replaces a file, or creates it, but no directory.
   *
   * @param next a file that no other process writes, which becomes the file
   */
  public static void replace(DistributedFileSystem fs, Path next, Path file, String json)
      throws IOException {
    write(fs, next, json, true);
    fs.rename(next, file, Options.Rename.OVERWRITE);
  }

  static void write(DistributedFileSystem fs, Path file, String json, boolean overwrite)
      throws IOException {
    // Without its settings, a job cannot be resumed after all DataNodes have lost power.
    try (FSDataOutputStream out =
        fs.createFile(file).replicate().overwrite(overwrite).syncBlock().build()) {
      out.write(json.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Thrown if the content of a file is lost, or was not written by this command. */
  public static final class UnreadableException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean isNewer;

    private UnreadableException(String message, Exception cause, boolean isNewer) {
      super(message, cause);
      this.isNewer = isNewer;
    }

    static UnreadableException of(String file, String why, Exception cause) {
      return new UnreadableException("Cannot read " + file + ": " + why, cause, false);
    }

    static UnreadableException newer(String file, int format, int known) {
      return new UnreadableException(
          "Cannot use "
              + file
              + ": its format is "
              + format
              + " and this version of the command knows "
              + known
              + ", so what the settings mean is not known; use the version that began the job",
          null,
          true);
    }

    /** Returns whether a newer version of this command wrote the file. */
    public boolean isNewer() {
      return isNewer;
    }
  }
}
