// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.cluster;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.stripeline.lab.cluster.HdfsTools;
import org.stripeline.natives.Ticker;

/** Has Hadoop compare the parity of a file with what its Java coder computes. */
public final class ParityCheck {
  /** What verifyEC says of a group whose blocks are not all there, or not yet reported. */
  private static final String INCOMPLETE = "under-erasure-coded";

  private static final int TRIES = 50;
  private static final long PAUSE_NANOS = 200_000_000;

  private ParityCheck() {}

  /** Returns what is wrong or missing, after some seconds in which it may be reported, or null. */
  public static String wrong(BenchHdfs hdfs, Path file) throws IOException {
    Configuration conf = new Configuration(hdfs.fs().getConf());
    conf.set("fs.defaultFS", hdfs.fs().getUri().toString());
    // verifyEC connects as DataNodes do.
    conf.set(
        "dfs.datanode.use.datanode.hostname",
        conf.get("dfs.client.use.datanode.hostname", "false"));
    conf.set("io.erasurecode.codec.rs.rawcoders", "rs_java");
    String wrong = null;
    for (int tries = 0; tries < TRIES; tries++) {
      try {
        HdfsTools.verifyEc(conf, file);
        return null;
      } catch (IOException e) {
        wrong = String.valueOf(e.getMessage());
      }
      if (!isMissing(wrong)) {
        return wrong;
      }
      pause();
    }
    return wrong;
  }

  /** Returns whether blocks could not be compared, rather than differ. */
  public static boolean isMissing(String wrong) {
    return wrong.contains(INCOMPLETE);
  }

  private static void pause() throws IOException {
    try {
      Ticker.SYSTEM.sleep(PAUSE_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Cannot wait for reports of blocks: interrupted", e);
    }
  }
}
