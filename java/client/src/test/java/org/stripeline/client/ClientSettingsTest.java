// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.StripelineClients;
import org.apache.hadoop.hdfs.StripelineFileSystem;
import org.junit.jupiter.api.Test;
import org.stripeline.client.read.shared.ReadContext;

class ClientSettingsTest {
  /** A key of each kind with an invalid value. */
  private static final String[][] BAD = {
    {ClientKeys.READ_WINDOW, "16 MiB"},
    {ClientKeys.READ_MEMORY, "-1"},
    {ClientKeys.READ_THREADS, "many"},
    {ClientKeys.READ_ENABLED, "yes"},
    {ClientKeys.HEDGE_MIN, "0"},
    {ClientKeys.HEDGE_MAX, "soon"},
    {ClientKeys.WRITE_MODE, "fast"},
    {ClientKeys.WRITE_SYNC, "maybe"},
  };

  @Test
  void aBadValueIsLoggedOnceAndReplaced() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("fs.hdfs.impl", StripelineFileSystem.class.getName());
    for (String[] setting : BAD) {
      conf.set(setting[0], setting[1]);
    }
    String logged;
    try (CapturedLog log = new CapturedLog(ClientSettings.class)) {
      for (int i = 0; i < 2; i++) {
        try (FileSystem fs = FileSystem.newInstance(URI.create("hdfs://127.0.0.1:9"), conf)) {
          assertThat(StripelineClients.isOurs((DistributedFileSystem) fs)).isTrue();
        }
      }
      logged = log.text();
    }
    for (String[] setting : BAD) {
      assertThat(logged)
          .containsOnlyOnce("Cannot use " + setting[0] + " '" + setting[1] + "': use ");
    }
    assertThat(logged).contains("the default, functional-partitioned, applies");
  }

  /** With fewer threads a DataNode that hangs could occupy all of them. */
  @Test
  void tooFewReadThreadsAreRaisedWithAWarning() {
    Configuration conf = new Configuration(false);
    conf.setInt(ClientKeys.READ_THREADS, 3);
    ClientSettings settings = new ClientSettings(conf);
    try (CapturedLog log = new CapturedLog(ClientSettings.class)) {
      new ReadContext(conf, settings);
      assertThat(log.text()).contains("use a number of at least 16; 16 applies");
    }
    assertThat(settings.countRaised(ClientKeys.READ_THREADS, 256, 16)).isEqualTo(16);
    conf.setInt(ClientKeys.READ_THREADS, 16);
    settings = new ClientSettings(conf);
    assertThat(settings.countRaised(ClientKeys.READ_THREADS, 256, 16)).isEqualTo(16);
    assertThat(settings.refused()).isEmpty();
  }

  @Test
  void readsValuesAsHadoopDoes() {
    Configuration conf = new Configuration(false);
    conf.set("bytes", "2m");
    conf.set("time", "3s");
    conf.set("count", "0x10");
    conf.set("flag", " TRUE ");
    ClientSettings settings = new ClientSettings(conf);
    assertThat(settings.bytes("bytes", 1, 0)).isEqualTo(2 << 20);
    assertThat(settings.millis("time", 1, 0)).isEqualTo(3000);
    assertThat(settings.count("count", 1, 0)).isEqualTo(16);
    assertThat(settings.flag("flag", false)).isTrue();
    assertThat(settings.bytes("unset", 7, 0)).isEqualTo(7);
    assertThat(settings.refused()).isEmpty();

    assertThat(settings.count("count", 20, 17)).isEqualTo(20);
    assertThat(settings.refused())
        .containsExactly("Cannot use count '0x10': use a number of at least 17");
  }
}
