// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import com.google.gson.annotations.SerializedName;
import java.util.ArrayList;
import java.util.List;
import org.stripeline.convert.settings.Layout;

/**
 * One line of a journal. The kind determines which fields are set; unset fields are omitted from
 * the line. The field names are stable.
 */
public final class JournalRecord {
  /** The kinds of lines. */
  public enum Kind {
    /** A driver has resumed the job. */
    @SerializedName("driver")
    DRIVER,

    /** The temporary file of a file will be created. */
    @SerializedName("begin")
    BEGIN,

    /** The driver will take the lease of the file, which has this modification time. */
    @SerializedName("fenced")
    FENCED,

    /** Internal blocks of one group will be linked and written. */
    @SerializedName("group")
    GROUP,

    /** An agent encodes one of the groups. */
    @SerializedName("task")
    TASK,

    /** A MapReduce job works on files that are begun. Its id is set once it is submitted. */
    @SerializedName("maps")
    MAPS,

    /** The temporary file will replace the file. */
    @SerializedName("swap")
    SWAP,

    /** The temporary file and the internal blocks will be deleted, and the lease released. */
    @SerializedName("back")
    BACK,

    /** The conversion of the file has ended. */
    @SerializedName("end")
    END,

    /** The whole tree has been walked, or the job was cancelled. */
    @SerializedName("finished")
    FINISHED
  }

  public Kind kind;

  /** Milliseconds since 1970 on the driver's clock. */
  long at;

  /** Inode id of the original file. */
  public long fileId;

  /** Path of the original when its conversion began. */
  public String path;

  /** Path at which the temporary file is created. */
  public String temporary;

  /** Inode id of the directory of the temporary file; the directory may be renamed. */
  public long directoryId;

  /** Inode id of the temporary file. */
  public Long temporaryId;

  /** Permission of the original before the swap, as in {@code FsPermission.toShort}. */
  public Short permission;

  /** Holder of the leases of the original and the temporary file. */
  public String client;

  /** Modification time of the original. */
  Long modifiedMs;

  /** Access time of the original. */
  public Long accessedMs;

  /** Length of the file in bytes. */
  public Long bytes;

  /** Name of the policy that the file gets; null for replication. */
  public String policy;

  /** Layout that the file gets; null for replication. */
  public Layout layout;

  /** Signature of the original's blocks, see {@link BlockSignature}. */
  public String signature;

  /** Block pool of the blocks. */
  public String pool;

  /** Internal blocks of a group that may be created, each with its DataNode. */
  public List<Placed> blocks;

  /** UUID of the DataNode that encodes. */
  public String node;

  /** Id of the task on that DataNode. */
  public Long task;

  /** Unique name of the MapReduce job. */
  public String mapJobName;

  /** Id of the MapReduce job, or null if it has not been submitted yet. */
  String mapJob;

  /** Outcome of the conversion. */
  FileOutcome.Kind outcome;

  /** Reason for a failure. */
  public String reason;

  /** One internal block on one DataNode. */
  public static final class Placed {
    /** UUID of the DataNode. */
    public final String node;

    public final long id;
    public final long generationStamp;
    public final long length;

    public Placed(String node, long id, long generationStamp, long length) {
      this.node = node;
      this.id = id;
      this.generationStamp = generationStamp;
      this.length = length;
    }
  }

  private JournalRecord(Kind kind, long fileId) {
    this.kind = kind;
    this.fileId = fileId;
    at = System.currentTimeMillis();
  }

  public static JournalRecord driver(String client) {
    JournalRecord record = new JournalRecord(Kind.DRIVER, 0);
    record.client = client;
    return record;
  }

  public static JournalRecord begin(
      Candidate file, String temporary, long directoryId, String client) {
    JournalRecord record = new JournalRecord(Kind.BEGIN, file.status().getFileId());
    record.path = file.path();
    record.temporary = temporary;
    record.directoryId = directoryId;
    record.client = client;
    record.modifiedMs = file.status().getModificationTime();
    record.accessedMs = file.status().getAccessTime();
    record.bytes = file.bytes();
    record.signature = BlockSignature.of(file.blocks());
    return record;
  }

  public static JournalRecord fenced(long fileId, long modifiedMs) {
    JournalRecord record = new JournalRecord(Kind.FENCED, fileId);
    record.modifiedMs = modifiedMs;
    return record;
  }

  public static JournalRecord group(long fileId, String pool, List<Placed> blocks) {
    JournalRecord record = new JournalRecord(Kind.GROUP, fileId);
    record.pool = pool;
    record.blocks = new ArrayList<>(blocks);
    return record;
  }

  public static JournalRecord task(long fileId, String node, long task) {
    JournalRecord record = new JournalRecord(Kind.TASK, fileId);
    record.node = node;
    record.task = task;
    return record;
  }

  public static JournalRecord maps(String name, String id) {
    JournalRecord record = new JournalRecord(Kind.MAPS, 0);
    record.mapJobName = name;
    record.mapJob = id;
    return record;
  }

  public static JournalRecord swap(
      long fileId, long temporaryId, short permission, long modifiedMs) {
    JournalRecord record = new JournalRecord(Kind.SWAP, fileId);
    record.temporaryId = temporaryId;
    record.permission = permission;
    record.modifiedMs = modifiedMs;
    return record;
  }

  /**
   * Creates the announcement of a rollback.
   *
   * @param temporaryId inode id of the temporary file, or null if there is none
   */
  public static JournalRecord back(long fileId, Long temporaryId) {
    JournalRecord record = new JournalRecord(Kind.BACK, fileId);
    record.temporaryId = temporaryId;
    return record;
  }

  public static JournalRecord end(String path, long fileId, FileOutcome outcome) {
    JournalRecord record = new JournalRecord(Kind.END, fileId);
    record.path = path;
    record.outcome = outcome.kind();
    record.reason = outcome.reason();
    record.bytes = outcome.bytes();
    return record;
  }

  /** Returns whether the kind is known and all fields that a recovery needs are set. */
  boolean isWhole() {
    if (kind == null) {
      return false;
    }
    switch (kind) {
      case BEGIN:
        return path != null
            && temporary != null
            && temporary.startsWith("/")
            && directoryId != 0
            && client != null
            && accessedMs != null
            && bytes != null
            && signature != null;
      case FENCED:
        return modifiedMs != null;
      case GROUP:
        return pool != null && blocks != null;
      case TASK:
        return node != null && task != null;
      case MAPS:
        return mapJobName != null;
      case SWAP:
        return temporaryId != null && permission != null && modifiedMs != null;
      default:
        return true;
    }
  }

  /** Returns the name of the temporary file in its directory. */
  public String temporaryName() {
    return temporary.substring(temporary.lastIndexOf('/') + 1);
  }

  /**
   * Creates the last record of a job.
   *
   * @param reason why the tree was not walked completely, or null
   */
  public static JournalRecord finished(String reason) {
    JournalRecord record = new JournalRecord(Kind.FINISHED, 0);
    record.reason = reason;
    return record;
  }
}
