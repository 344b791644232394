// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The records of a ledger in memory, in the order of their files and blocks. A list of pages, each
 * with up to 256 records that follow each other, so that a record is found by two binary searches
 * and costs little more than its 32 bytes, in whatever order they come.
 */
public final class LedgerTable {
  private static final int PAGE_RECORDS = 256;

  /** Records by which the array of a page grows. */
  private static final int GROWTH = 32;

  private final List<Page> pages = new ArrayList<>();
  private long size;

  /** Is given the records in order. */
  interface Visitor {
    void visit(GroupRecord record, boolean isSeen) throws IOException;
  }

  private static final class Page {
    private long[] longs;
    private int count;

    Page(long[] longs, int count) {
      this.longs = longs;
      this.count = count;
    }

    int compare(int position, long fileId, long blockId) {
      int index = position * GroupRecord.LONGS;
      int files = Long.compare(longs[index], fileId);
      return files != 0 ? files : Long.compare(longs[index + 1], blockId);
    }

    /** Returns the position of the first record that is not before a block. */
    int position(long fileId, long blockId) {
      int low = 0;
      int high = count;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (compare(middle, fileId, blockId) < 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    boolean has(int position, long fileId, long blockId) {
      return position < count && compare(position, fileId, blockId) == 0;
    }

    GroupRecord get(int position) {
      return GroupRecord.at(longs, position * GroupRecord.LONGS);
    }

    void insert(int position, GroupRecord record) {
      if (count * GroupRecord.LONGS == longs.length) {
        int room = Math.min(PAGE_RECORDS, count + GROWTH);
        longs = Arrays.copyOf(longs, room * GroupRecord.LONGS);
      }
      int index = position * GroupRecord.LONGS;
      int next = index + GroupRecord.LONGS;
      System.arraycopy(longs, index, longs, next, count * GroupRecord.LONGS - index);
      record.store(longs, index);
      count++;
    }

    void remove(int position) {
      int index = position * GroupRecord.LONGS;
      int next = index + GroupRecord.LONGS;
      System.arraycopy(longs, next, longs, index, count * GroupRecord.LONGS - next);
      count--;
    }

    /** Moves the second half of a full page into a new one. */
    Page split() {
      int half = PAGE_RECORDS / 2 * GroupRecord.LONGS;
      Page second = new Page(Arrays.copyOfRange(longs, half, longs.length), PAGE_RECORDS / 2);
      longs = Arrays.copyOf(longs, half);
      count = PAGE_RECORDS / 2;
      return second;
    }
  }

  /** Adds a record, or replaces the one of the same group. */
  public void put(GroupRecord record) {
    int number = page(record.fileId, record.blockId);
    if (number < 0) {
      number = 0;
      pages.add(new Page(new long[GROWTH * GroupRecord.LONGS], 0));
    }
    Page page = pages.get(number);
    int position = page.position(record.fileId, record.blockId);
    if (page.has(position, record.fileId, record.blockId)) {
      record.store(page.longs, position * GroupRecord.LONGS);
      return;
    }
    size++;
    if (page.count == PAGE_RECORDS) {
      // Records that come in order leave full pages behind.
      boolean isLast = position == PAGE_RECORDS && number == pages.size() - 1;
      Page next = isLast ? new Page(new long[GROWTH * GroupRecord.LONGS], 0) : page.split();
      pages.add(number + 1, next);
      if (position > page.count || isLast) {
        position -= page.count;
        page = next;
      }
    }
    page.insert(position, record);
  }

  /** Applies a record of the log to what the table has about its group. */
  void apply(GroupRecord record) {
    if (record.isGone) {
      remove(record.fileId, record.blockId);
    } else {
      put(record.after(get(record.fileId, record.blockId)));
    }
  }

  private void remove(long fileId, long blockId) {
    int number = page(fileId, blockId);
    if (number < 0) {
      return;
    }
    Page page = pages.get(number);
    int position = page.position(fileId, blockId);
    if (page.has(position, fileId, blockId)) {
      page.remove(position);
      size--;
      if (page.count == 0) {
        pages.remove(number);
      }
    }
  }

  /** Returns the record of a group, or null if there is none. */
  GroupRecord get(long fileId, long blockId) {
    int number = page(fileId, blockId);
    if (number < 0) {
      return null;
    }
    Page page = pages.get(number);
    int position = page.position(fileId, blockId);
    return page.has(position, fileId, blockId) ? page.get(position) : null;
  }

  /** Returns the number of the page in which a block is or would be; -1 if there is no page. */
  private int page(long fileId, long blockId) {
    int low = 0;
    int high = pages.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (pages.get(middle).compare(0, fileId, blockId) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return pages.isEmpty() ? -1 : Math.max(0, low - 1);
  }

  /** Gives all records of a file to a consumer. */
  public void forFile(long fileId, Consumer<GroupRecord> consumer) {
    walk(fileId, (page, position) -> consumer.accept(page.get(position)));
  }

  /** Marks the records of a file that exists. */
  public void markSeen(long fileId) {
    walk(
        fileId,
        (page, position) -> page.longs[position * GroupRecord.LONGS + 3] |= GroupRecord.SEEN);
  }

  private interface Place {
    void at(Page page, int position);
  }

  private void walk(long fileId, Place place) {
    int number = page(fileId, Long.MIN_VALUE);
    if (number < 0) {
      return;
    }
    int position = pages.get(number).position(fileId, Long.MIN_VALUE);
    for (; number < pages.size(); number++) {
      Page page = pages.get(number);
      for (; position < page.count; position++) {
        if (page.longs[position * GroupRecord.LONGS] != fileId) {
          return;
        }
        place.at(page, position);
      }
      position = 0;
    }
  }

  void forEach(Visitor visitor) throws IOException {
    for (Page page : pages) {
      for (int position = 0; position < page.count; position++) {
        long flags = page.longs[position * GroupRecord.LONGS + 3];
        visitor.visit(page.get(position), (flags & GroupRecord.SEEN) != 0);
      }
    }
  }

  /** Returns the number of records. */
  public long size() {
    return size;
  }
}
