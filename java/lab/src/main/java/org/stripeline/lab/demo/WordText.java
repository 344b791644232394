// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Endless text that looks like prose: made-up words whose frequency follows Zipf's law, commas,
 * full stops and lines of about 80 columns. The same seed gives the same bytes everywhere.
 *
 * <p>Words are made from syllables instead of taken from a book: no licence to respect, no file to
 * carry, and as compressible as language.
 */
final class WordText {

  private static final String[] ONSETS = {
    "b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "k", "l", "m", "n", "p", "pl", "r",
    "s", "sh", "st", "t", "tr", "v", "w"
  };
  private static final String[] VOWELS = {"a", "e", "i", "o", "u", "ea", "ou", "ai"};
  private static final String[] CODAS = {"", "", "n", "r", "s", "t", "l", "nd", "st", "m"};
  private static final int WORDS = 8192;
  /** Entries of the draw table: as many as 16 random bits can choose from. */
  private static final int DRAWS = 1 << 16;
  private static final int LINE_COLUMNS = 80;
  private static final byte[][] DICTIONARY = dictionary();
  private static final short[] DRAW = zipfDraws();

  private final SplittableRandom random;
  private final byte[] buffer = new byte[1 << 16];
  private long bits;
  private int column;
  private boolean sentenceStarts = true;

  WordText(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** Writes exactly {@code count} bytes; a word may be cut at the end. */
  void writeTo(OutputStream out, long count) throws IOException {
    long left = count;
    while (left > 0) {
      int filled = fill();
      int part = (int) Math.min(filled, left);
      out.write(buffer, 0, part);
      left -= part;
    }
  }

  /** One lower-case phrase of at least {@code minimum} bytes, for short comments. */
  String phrase(int minimum) {
    StringBuilder text = new StringBuilder(minimum + 16);
    while (text.length() < minimum) {
      if (text.length() > 0) {
        text.append(' ');
      }
      text.append(new String(nextWord(), StandardCharsets.US_ASCII));
    }
    return text.toString();
  }

  private int fill() {
    int at = 0;
    // 32: longer than the longest word with its punctuation.
    while (at < buffer.length - 32) {
      byte[] word = nextWord();
      System.arraycopy(word, 0, buffer, at, word.length);
      if (sentenceStarts) {
        buffer[at] -= 'a' - 'A';
        sentenceStarts = false;
      }
      at += word.length;
      column += word.length + 1;
      int mark = (int) (bits & 15);
      if (mark == 0) {
        buffer[at++] = '.';
        sentenceStarts = true;
      } else if (mark == 1) {
        buffer[at++] = ',';
      }
      if (column >= LINE_COLUMNS) {
        buffer[at++] = '\n';
        column = 0;
      } else {
        buffer[at++] = ' ';
      }
    }
    return at;
  }

  private byte[] nextWord() {
    bits = random.nextLong();
    return DICTIONARY[DRAW[(int) (bits >>> 48)]];
  }

  private static byte[][] dictionary() {
    SplittableRandom random = new SplittableRandom(1);
    byte[][] words = new byte[WORDS][];
    for (int i = 0; i < WORDS; i++) {
      // Frequent words are short, as in language: one syllable for the first 200.
      int syllables = i < 200 ? 1 : 1 + random.nextInt(3);
      StringBuilder word = new StringBuilder();
      for (int s = 0; s < syllables; s++) {
        word.append(pick(ONSETS, random)).append(pick(VOWELS, random)).append(pick(CODAS, random));
      }
      words[i] = word.toString().getBytes(StandardCharsets.US_ASCII);
    }
    return words;
  }

  private static String pick(String[] parts, SplittableRandom random) {
    return parts[random.nextInt(parts.length)];
  }

  private static short[] zipfDraws() {
    double total = 0;
    for (int rank = 1; rank <= WORDS; rank++) {
      total += 1.0 / rank;
    }
    short[] draws = new short[DRAWS];
    double reached = 0;
    int at = 0;
    for (int rank = 1; rank <= WORDS; rank++) {
      reached += 1.0 / rank;
      int end = (int) Math.round(reached / total * DRAWS);
      while (at < end) {
        draws[at++] = (short) (rank - 1);
      }
    }
    return draws;
  }
}
