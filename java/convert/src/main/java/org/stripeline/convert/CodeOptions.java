// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import org.stripeline.convert.select.Preflight;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;
import org.stripeline.placement.CodeName;
import org.stripeline.terminal.ByteSize;
import picocli.CommandLine.Option;

/** Options of a conversion that choose the code and the layout. */
final class CodeOptions {
  @Option(
      names = "--policy",
      paramLabel = "CODE",
      description =
          "Code, such as RS-6-3, RS-3-2, RS-10-4, RS-LEGACY-6-3 or XOR-2-1, or with the cell size"
              + " of copies, such as RS-6-3-1024k")
  private String policy;

  @Option(
      names = "--layout",
      paramLabel = "LAYOUT",
      description =
          "striped: small cells, the default of HDFS; the bytes are copied. contiguous: cells of"
              + " the size of the file's blocks, of which one replica stays in place. auto: what"
              + " 'stripeline plan' prints with the same options, for each file (default:"
              + " contiguous, or striped with --cell-size)")
  private Layout layout;

  @Option(
      names = "--cell-size",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Cell size of copies (default: that of --policy if it has one, otherwise 1MiB)")
  private ByteSize cellSize;

  /** Returns whether any of these options is given. */
  boolean isAny() {
    return policy != null || layout != null || cellSize != null;
  }

  /**
   * Sets the code and the layout of a job.
   *
   * @throws IllegalArgumentException if an option is missing or not possible
   */
  void applyTo(JobSettings settings) {
    if (policy == null) {
      throw new IllegalArgumentException(
          "Cannot convert: --policy is missing; name a code, such as --policy=RS-6-3");
    }
    if (layout == Layout.CONTIGUOUS && cellSize != null) {
      throw new IllegalArgumentException(
          "Cannot choose the cell of --layout=contiguous: it is each file's block size; leave it"
              + " out, or use --layout=striped");
    }
    Long cell = cellSize == null ? null : (Long) cellSize.bytes();
    CodeName request = CodeName.parse(policy, cell, 1 << 20);
    settings.policy = request.toString();
    Layout otherwise = cellSize == null ? Layout.CONTIGUOUS : Layout.STRIPED;
    settings.layout = layout == null ? otherwise : layout;
    settings.cellBytes = settings.stripes() ? request.cellBytes() : 0;
    if (settings.adopts() && settings.isMapped()) {
      throw new IllegalArgumentException(Preflight.NO_MAPS);
    }
  }

  /** Returns a line that names the layout and why the job has it. */
  String layoutText(JobSettings settings) {
    String why = layout != null ? "as given" : cellSize != null ? "for --cell-size" : "the default";
    return Preflight.layoutText(settings, policy, why);
  }
}
