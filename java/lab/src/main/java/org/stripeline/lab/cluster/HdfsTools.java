// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.tools.DFSck;
import org.apache.hadoop.hdfs.tools.DebugAdmin;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Runs Hadoop's own checks {@code hdfs fsck} and {@code hdfs debug verifyEC} as their commands do.
 * Their output is kept for the message if they find an error.
 */
public final class HdfsTools {

  /**
   * Counts that must be zero in addition to the verdict: fsck calls a file with m lost units
   * healthy.
   */
  private static final Pattern FSCK_COUNT =
      Pattern.compile(
          "(?m)^\\s*(Corrupt block groups|Missing block groups|Missing internal blocks"
              + "|Under-erasure-coded block groups):\\s*(\\d+)");

  private HdfsTools() {}

  /**
   * Runs {@code hdfs fsck}.
   *
   * @throws IOException with its whole output unless it prints HEALTHY and nothing is missing
   */
  public static void fsck(Configuration conf, Path path) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    int status = run(new DFSck(conf, stream(text)), text, path.toUri().getPath(), "-blocks");
    String said = text(text);
    // fsck also returns 0 if it could not reach the NameNode, so the output is checked.
    if (status != 0 || !said.contains("is HEALTHY")) {
      throw new IOException("hdfs fsck " + path + " does not report HEALTHY:\n" + said);
    }
    Matcher counts = FSCK_COUNT.matcher(said);
    int counted = 0;
    while (counts.find()) {
      counted++;
      if (Long.parseLong(counts.group(2)) != 0) {
        throw new IOException(
            "hdfs fsck " + path + " counts " + counts.group().trim() + ", should be 0:\n" + said);
      }
    }
    if (counted == 0) {
      throw new IOException("hdfs fsck " + path + " does not report block groups:\n" + said);
    }
  }

  /**
   * Runs {@code hdfs debug verifyEC}: encodes the data of every group again and compares the
   * parity.
   *
   * @param conf sets the coder that is used
   * @throws IOException with its whole output unless all groups pass
   */
  public static void verifyEc(Configuration conf, Path file) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    String name = file.toUri().getPath();
    int status = run(new DebugAdmin(conf), text, "verifyEC", "-file", name);
    String said = text(text);
    if (status != 0 || !said.contains("All EC block group status: OK")) {
      throw new IOException("hdfs debug verifyEC -file " + name + " reports errors:\n" + said);
    }
  }

  /**
   * Runs a tool. These tools print to the standard streams, so these are redirected during the
   * call.
   */
  private static int run(Tool tool, ByteArrayOutputStream text, String... arguments)
      throws IOException {
    PrintStream out = System.out;
    PrintStream err = System.err;
    PrintStream aside = stream(text);
    System.setOut(aside);
    System.setErr(aside);
    try {
      return ToolRunner.run(tool, arguments);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("Cannot run hdfs " + arguments[0] + ": " + e, e);
    } finally {
      aside.flush();
      System.setOut(out);
      System.setErr(err);
    }
  }

  private static PrintStream stream(ByteArrayOutputStream text) throws IOException {
    return new PrintStream(text, true, StandardCharsets.UTF_8.name());
  }

  private static String text(ByteArrayOutputStream text) {
    return new String(text.toByteArray(), StandardCharsets.UTF_8);
  }
}
