// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Access patterns of applications, as calls of a stream. Sizes are the defaults of the application,
 * limited to the length of the file.
 */
enum AccessPattern {
  /** HFile: the trailer, then the load-on-open section, each block's header first. */
  HBASE_OPEN {
    @Override
    void run(CheckedReads in) throws IOException {
      in.seek(in.length() - TRAILER);
      in.read(TRAILER);
      in.seek(in.length() - TRAILER - 20_000);
      in.read(HFILE_HEADER);
      in.read(12_000);
      in.read(4_000);
      in.read(4_000 - HFILE_HEADER);
    }
  },
  /** HFile: blocks whose size is known from the index, each with the next one's header. */
  HBASE_GET {
    @Override
    void run(CheckedReads in) throws IOException {
      for (int i = 0; i < 6; i++) {
        in.pread(in.anyBlock(HFILE_BLOCK), HFILE_BLOCK + HFILE_HEADER);
      }
    }
  },
  /** HFile: blocks of unknown size, so that the header is read first. */
  HBASE_GET_HEADER_FIRST {
    @Override
    void run(CheckedReads in) throws IOException {
      for (int i = 0; i < 6; i++) {
        long at = in.anyBlock(HFILE_BLOCK);
        in.pread(at, HFILE_HEADER);
        in.pread(at + HFILE_HEADER, HFILE_BLOCK);
      }
    }
  },
  /** HFile: a short scan by positional reads; HBase switches longer scans to the pattern below. */
  HBASE_SCAN_PREAD {
    @Override
    void run(CheckedReads in) throws IOException {
      long at = in.anyBlock(HFILE_BLOCK);
      for (int i = 0; i < SCAN_BLOCKS; i++) {
        in.pread(at + (long) i * HFILE_BLOCK, HFILE_BLOCK);
      }
    }
  },
  /** HFile: a short scan through the stream's own position. */
  HBASE_SCAN_STREAM {
    @Override
    void run(CheckedReads in) throws IOException {
      in.seek(in.anyBlock(HFILE_BLOCK));
      for (int i = 0; i < SCAN_BLOCKS; i++) {
        in.read(HFILE_BLOCK);
      }
    }
  },
  /** HFile: all blocks, one after the other. */
  HBASE_COMPACTION {
    @Override
    void run(CheckedReads in) throws IOException {
      in.seek(0);
      while (in.position() < in.length()) {
        in.read(HFILE_BLOCK);
      }
    }
  },
  /** Footer length, footer, then the chunks of some columns of each row group. */
  PARQUET {
    @Override
    void run(CheckedReads in) throws IOException {
      readFooter(in);
      for (long[] range : columns(in)) {
        in.seek(range[0]);
        in.read((int) range[1]);
      }
    }
  },
  /** The same as PARQUET with a vectored read of each row group's chunks. */
  PARQUET_VECTORED {
    @Override
    void run(CheckedReads in) throws IOException {
      readFooter(in);
      in.readVectored(columns(in));
    }
  },
  /** The tail of 16 KiB, then each stripe's footer and streams by positional reads. */
  ORC {
    @Override
    void run(CheckedReads in) throws IOException {
      in.pread(in.length() - 16_384, 16_384);
      int stripes = 3;
      long stripe = in.length() / stripes;
      for (int i = 0; i < stripes; i++) {
        long at = i * stripe;
        in.pread(at + stripe - 2_000, 2_000);
        in.pread(at, 9_000);
        in.pread(at + stripe / 5, (int) Math.min(stripe / 6, 150_000));
        in.pread(at + stripe / 2, (int) Math.min(stripe / 4, 700_000));
      }
    }
  },
  /** RFile: version, meta index, root index, then small compressed blocks. */
  ACCUMULO {
    @Override
    void run(CheckedReads in) throws IOException {
      in.seek(in.length() - 20);
      in.read(20);
      in.seek(in.length() - 220);
      in.read(200);
      in.seek(in.length() - 8_220);
      in.read(8_000);
      for (int i = 0; i < 12; i++) {
        in.seek(in.anyBlock(RFILE_BLOCK));
        in.read(RFILE_BLOCK);
      }
    }
  },
  /** A seek and two small reads. */
  SEEK_TWO_4K {
    @Override
    void run(CheckedReads in) throws IOException {
      for (int i = 0; i < 3; i++) {
        in.seek(in.anyBlock(4096));
        in.read(4096);
        in.read(4096);
      }
    }
  },
  /** A header, then the data after it. */
  PREAD_33_64K {
    @Override
    void run(CheckedReads in) throws IOException {
      long at = in.anyBlock(HFILE_BLOCK);
      in.pread(at, HFILE_HEADER);
      in.pread(at + HFILE_HEADER, 64 << 10);
    }
  },
  /** Two consecutive positional reads. */
  PREAD_TWO_32K {
    @Override
    void run(CheckedReads in) throws IOException {
      long at = in.anyBlock(HFILE_BLOCK);
      in.pread(at, 32 << 10);
      in.pread(at + (32 << 10), 32 << 10);
    }
  },
  /** The first bytes, which identify the file type. */
  HEAD {
    @Override
    void run(CheckedReads in) throws IOException {
      in.read(4096);
    }
  },
  /** The input split of a map task: a third of a text file, starting in the middle. */
  SPLIT {
    @Override
    void run(CheckedReads in) throws IOException {
      in.seek(in.length() / 3 + 1);
      for (long left = in.length() / 3; left > 0; left -= 128 << 10) {
        in.read((int) Math.min(left, 128 << 10));
      }
    }
  };

  private static final int HFILE_HEADER = 33;
  private static final int HFILE_BLOCK = 65_600;
  private static final int RFILE_BLOCK = 30_000;
  private static final int TRAILER = 4096;
  private static final int SCAN_BLOCKS = 10;

  /** Reads the open stream as the application does. */
  abstract void run(CheckedReads in) throws IOException;

  /** Returns the name in tables and records. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static void readFooter(CheckedReads in) throws IOException {
    in.seek(in.length() - 8);
    in.read(8);
    in.seek(in.length() - 20_008);
    in.read(20_000);
  }

  /**
   * Returns position and length of the chunks of two of five columns in each of three row groups.
   */
  private static List<long[]> columns(CheckedReads in) {
    List<long[]> columns = new ArrayList<>();
    long group = Math.max(5, (in.length() - 20_008) / 3);
    for (int i = 0; i < 3; i++) {
      columns.add(new long[] {i * group + group / 5, group / 5});
      columns.add(new long[] {i * group + 3 * group / 5, group / 5});
    }
    return columns;
  }
}
