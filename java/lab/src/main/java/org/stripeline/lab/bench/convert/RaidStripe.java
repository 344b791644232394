// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.util.ArrayList;
import java.util.List;

/** What a task of {@link RaidNode} encodes: consecutive blocks of a file. */
final class RaidStripe {
  /** The file with the data blocks. */
  String source;

  /** Position of the first data block in it. */
  long offset;

  long blockBytes;

  /** The number of the DataNode on whose host the task runs. */
  transient int host;

  /** Address and port of the DataNode for each parity block. */
  List<String> parityNodes = new ArrayList<>();

  /** Returns the file with a parity block. */
  String parity(int number) {
    return parity(source, offset, number);
  }

  /** Returns the file with a parity block of the stripe that begins at a position of a file. */
  static String parity(String source, long offset, int number) {
    return "/raid" + source + "-" + offset + "-" + number;
  }
}
