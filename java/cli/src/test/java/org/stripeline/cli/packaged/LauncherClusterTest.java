// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests the shell script with a cluster that it starts. */
class LauncherClusterTest extends LauncherCase {
  /** Follows the first steps of the README, which need only this working copy. */
  @Test
  void runsHadoopsShellOnAClusterFromAnEmptyDirectory() throws Exception {
    environment.put("STRIPELINE_JAVA_OPTS", SHORT_LIVED);
    String directory = "--dir=" + temporary.resolve("cluster");
    Path local = Files.write(temporary.resolve("local"), new byte[5_000_000]);
    run(SCRIPT, "hdfs", "dfs", "-ls", "/");
    assertThat(status).isEqualTo(3);
    assertThat(err).contains("no cluster is configured; set HADOOP_CONF_DIR");
    run(SCRIPT, "cluster", "start", directory, "--datanodes=5");
    assertThat(status).as(err).isZero();
    try {
      String configuration = temporary.resolve("cluster/conf-stripeline").toString();
      assertThat(out).contains("Use it with: export HADOOP_CONF_DIR=" + configuration);
      environment.put("HADOOP_CONF_DIR", configuration);
      hdfs("dfs", "-mkdir", "-p", "/data");
      hdfs("ec", "-setPolicy", "-path", "/data", "-policy", "RS-3-2-1024k");
      hdfs("dfs", "-put", local.toString(), "/data");
      hdfs("dfs", "-get", "/data/local", temporary.resolve("back").toString());
      assertThat(temporary.resolve("back")).hasSameBinaryContentAs(local);
      hdfs("fsck", "/data");
      assertThat(out).contains("is HEALTHY");
      run(SCRIPT, "hdfs", "dfs", "-cat", "/no/such/file");
      assertThat(status).isEqualTo(1);
      assertThat(err).contains("No such file");
    } finally {
      run(SCRIPT, "cluster", "stop", directory);
    }
    environment.put("HADOOP_CONF_DIR", "/nowhere");
    run(SCRIPT, "hdfs", "dfs", "-ls", "/");
    assertThat(status).isEqualTo(3);
    assertThat(err).contains("HADOOP_CONF_DIR is /nowhere, where /nowhere/core-site.xml");
  }

  private void hdfs(String... words) throws Exception {
    String[] arguments = new String[words.length + 1];
    arguments[0] = "hdfs";
    System.arraycopy(words, 0, arguments, 1, words.length);
    run(SCRIPT, arguments);
    assertThat(status).as(err).isZero();
  }
}
