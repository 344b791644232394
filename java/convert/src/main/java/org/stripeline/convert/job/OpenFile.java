// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** The state of a file whose conversion has begun and not ended, according to the journal. */
public final class OpenFile {
  private final JournalRecord begin;
  private final List<JournalRecord> groups = new ArrayList<>();
  private final List<JournalRecord> tasks = new ArrayList<>();
  private JournalRecord fenced;
  private JournalRecord swap;
  private JournalRecord back;

  public OpenFile(JournalRecord begin) {
    this.begin = begin;
  }

  /** Adds a step that was done, or is about to be done. Several threads add groups. */
  public synchronized void add(JournalRecord record) {
    switch (record.kind) {
      case FENCED:
        fenced = record;
        break;
      case GROUP:
        groups.add(record);
        break;
      case TASK:
        tasks.add(record);
        break;
      case SWAP:
        swap = record;
        break;
      case BACK:
        back = record;
        break;
      default:
        throw new IllegalArgumentException("Cannot add " + record.kind + " to an open file");
    }
  }

  public JournalRecord begin() {
    return begin;
  }

  /** Returns the announcements of groups, whose internal blocks may exist. */
  public synchronized List<JournalRecord> groups() {
    return Collections.unmodifiableList(new ArrayList<>(groups));
  }

  /** Returns the announcements of agents' tasks, which may still run. */
  public synchronized List<JournalRecord> tasks() {
    return Collections.unmodifiableList(new ArrayList<>(tasks));
  }

  /**
   * Returns the modification time of the original while its lease was held, or null if the lease
   * was not taken.
   */
  public synchronized Long modifiedMs() {
    JournalRecord latest = swap == null ? fenced : swap;
    return latest == null ? null : latest.modifiedMs;
  }

  /** Returns the announcement of the swap, or null if the swap cannot have happened. */
  public synchronized JournalRecord swap() {
    return swap;
  }

  /** Returns the announcement of the rollback, or null if none has begun. */
  public synchronized JournalRecord back() {
    return back;
  }

  /**
   * Collects the open files of a journal. Their number is limited by the concurrency of the job.
   */
  public static final class Collector implements Consumer<JournalRecord> {
    private final Map<Long, OpenFile> files = new LinkedHashMap<>();
    private final Set<Long> zoneDirectories = new TreeSet<>();

    @Override
    public void accept(JournalRecord record) {
      switch (record.kind) {
        case BEGIN:
          if (record.temporary.startsWith(TemporaryPlaces.RESERVED_RAW)) {
            zoneDirectories.add(record.directoryId);
          }
          files.put(record.fileId, new OpenFile(record));
          break;
        case END:
          files.remove(record.fileId);
          break;
        case FENCED:
        case GROUP:
        case TASK:
        case SWAP:
        case BACK:
          OpenFile file = files.get(record.fileId);
          if (file != null) {
            file.add(record);
          }
          break;
        default:
          break;
      }
    }

    /** Returns the inode ids of the directories for temporary files in encryption zones. */
    public Set<Long> zoneDirectories() {
      return zoneDirectories;
    }

    /** Returns the files whose conversion has not ended, in the order in which they were begun. */
    public List<OpenFile> files() {
      return new ArrayList<>(files.values());
    }
  }
}
