// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;

/**
 * A job of a trace, in rows of 100 bytes.
 *
 * @param number the position in the trace, from 0
 * @param input the rows that it reads
 * @param shuffled the rows from maps to reducers; 0 for a job without reducers
 * @param output the rows that it writes
 */
record TraceJob(int number, long input, long shuffled, long output) {
  static final int ROW_BYTES = 100;

  private static final int DIGITS = 16;

  /**
   * Bytes of input, shuffle and output of the first 50 jobs that SWIM, a tool for replays, samples
   * from a trace of Facebook's cluster of 600 nodes in 2009: its file
   * samples_24_times_1hr_0_first50jobs.tsv (github.com/SWIMProjectUCB/SWIM; Chen, Ganapathi,
   * Griffith, Katz: The Case for Evaluating MapReduce Performance Using Workload Suites, MASCOTS
   * 2011).
   */
  private static final long[][] BYTES = {
    {740_773, 2_339_561, 627_471},
    {736_346, 1_700_537, 432_269},
    {267_631, 594_312, 233_549},
    {233_422, 42, 37},
    {3_623_279, 0, 9_838_062},
    {233_422, 324_968, 10_974},
    {2_497_901, 0, 551_304},
    {233_422, 256_459, 8835},
    {2_193_083, 2_660_213, 560_397},
    {1_010_097, 2_369_060, 968_271},
    {19_555, 0, 41_471},
    {968_144, 41, 35},
    {968_144, 2_326_546, 14_369},
    {968_144, 5072, 2411},
    {16_526, 0, 34_635},
    {62_032, 110_249, 49_133},
    {49_006, 41, 37},
    {10_274_791_099L, 13_024_975_762L, 3_600_817_163L},
    {49_006, 57_406, 11_871},
    {4_776_464_612L, 2_744_661_563L, 1_084_547},
    {4228, 8456, 127},
    {49_006, 50_728, 12_181},
    {0, 0, 127},
    {23_798, 0, 49_034},
    {0, 0, 127},
    {23_042_116, 44_795_750, 71_684_305},
    {1_083_912, 4_761_106, 804_562},
    {804_435, 7_474_262, 804_562},
    {160_296, 314_626, 136_937},
    {136_810, 40, 36},
    {136_810, 310_392, 19_414},
    {1_043_799_029, 3_220_465_724L, 2_645_916},
    {136_810, 817, 699},
    {19_859, 0, 41_738},
    {11_310, 0, 18_722_926_301L},
    {78, 0, 4_162_032},
    {106, 0, 271_001_141},
    {753, 0, 9_178_203_796L},
    {53_416, 0, 85_899_343_844L},
    {9416, 0, 8_826_003_635L},
    {395, 0, 25_803_030_649L},
    {126, 0, 0},
    {359, 0, 2_170_182_507L},
    {69_563_889, 70_214_203, 20_904_794},
    {250, 0, 344_553_539},
    {584_545, 1_263_421, 541_810},
    {1_212_963, 4926, 32},
    {541_683, 41, 36},
    {541_683, 1_212_479, 11_407},
    {541_683, 25_536, 3859},
  };

  /**
   * Returns the first jobs with bytes divided by a number.
   *
   * @throws IllegalArgumentException if the trace has not as many, or the divisor is not positive
   */
  static List<TraceJob> first(int count, long divisor) {
    if (count < 1 || count > BYTES.length || divisor < 1) {
      throw new IllegalArgumentException(
          "Cannot replay "
              + count
              + " jobs, sizes divided by "
              + divisor
              + ": the trace has "
              + BYTES.length);
    }
    List<TraceJob> jobs = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      long[] bytes = BYTES[number];
      // A job without input has one row, because what maps write is made from it.
      jobs.add(
          new TraceJob(
              number,
              Math.max(1, rows(bytes[0], divisor)),
              rows(bytes[1], divisor),
              rows(bytes[2], divisor)));
    }
    return jobs;
  }

  static long ceilDiv(long dividend, long divisor) {
    return (dividend + divisor - 1) / divisor;
  }

  private static long rows(long bytes, long divisor) {
    return ceilDiv(bytes, divisor * ROW_BYTES);
  }

  /** Writes the rows that the job reads: text with their numbers. */
  void writeInput(FSDataOutputStream out) throws IOException {
    for (long row = 0; row < input; row++) {
      out.write(row(row));
    }
  }

  private byte[] row(long row) {
    byte[] text = new byte[ROW_BYTES];
    SplittableRandom random = new SplittableRandom((long) number << 40 | row);
    long digits = row;
    for (int i = 0; i < ROW_BYTES - 1; i++) {
      if (i > 0 && i % DIGITS == 0) {
        digits = random.nextLong();
      }
      text[i] = (byte) ('a' + (digits & 15));
      digits >>>= 4;
    }
    text[ROW_BYTES - 1] = '\n';
    return text;
  }

  /**
   * Reads rows until the end.
   *
   * @return how many there are
   * @throws IOException if one is not of the input
   */
  long check(FSDataInputStream in, long bytes) throws IOException {
    byte[] text = new byte[ROW_BYTES];
    for (long at = 0; at < bytes; at += ROW_BYTES) {
      in.readFully(text);
      long row = 0;
      for (int i = DIGITS - 1; i >= 0; i--) {
        row = row << 4 | (text[i] - 'a' & 15);
      }
      if (row < 0 || row >= input || !Arrays.equals(text, row(row))) {
        throw new IOException(
            "Wrong bytes from " + at + " on: no row of the input of job " + number);
      }
    }
    return bytes / ROW_BYTES;
  }
}
