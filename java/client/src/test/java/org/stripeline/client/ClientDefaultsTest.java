// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.junit.jupiter.api.Test;

class ClientDefaultsTest {
  private static final String CODERS = CodecUtil.IO_ERASURECODE_CODEC_RS_RAWCODERS_KEY;
  private static final String CONTEXT = HdfsClientConfigKeys.DFS_CLIENT_CONTEXT;
  private static final String CONNECTIONS =
      HdfsClientConfigKeys.DFS_CLIENT_SOCKET_CACHE_CAPACITY_KEY;

  @Test
  void ourCoderComesBeforeHadoops() {
    for (Configuration conf :
        new Configuration[] {new HdfsConfiguration(), new Configuration(false)}) {
      Configuration ours = ClientDefaults.apply(conf);
      assertThat(ours.getStrings(CODERS)).containsExactly("stripeline", "rs_native", "rs_java");
      assertThat(ours.getStrings(CodecUtil.IO_ERASURECODE_CODEC_RS_LEGACY_RAWCODERS_KEY))
          .containsExactly("stripeline", "rs-legacy_java");
      assertThat(ours.getStrings(CodecUtil.IO_ERASURECODE_CODEC_XOR_RAWCODERS_KEY))
          .containsExactly("stripeline", "xor_native", "xor_java");
    }
  }

  @Test
  void theShadedClientGetsTheSameCoders() {
    String shaded = "org.apache.hadoop.shaded.";
    Configuration conf = new HdfsConfiguration();
    assertThat(ClientDefaults.apply(conf, shaded).get(shaded + CODERS))
        .isEqualTo("stripeline,rs_native,rs_java");

    conf.set(CODERS, "rs_java");
    conf.set("io.erasurecode.codec.native.enabled", "false");
    Configuration ours = ClientDefaults.apply(conf, shaded);
    assertThat(ours.get(shaded + CODERS)).isEqualTo("rs_java");
    assertThat(ours.get(shaded + "io.erasurecode.codec.native.enabled")).isEqualTo("false");

    conf.set(shaded + CODERS, "rs_native");
    assertThat(ClientDefaults.apply(conf, shaded).get(shaded + CODERS)).isEqualTo("rs_native");
    assertThat(ClientDefaults.apply(new HdfsConfiguration()).get(shaded + CODERS)).isNull();
  }

  @Test
  void connectionsHaveASeparateContextWithRoom() {
    Configuration ours = ClientDefaults.apply(new HdfsConfiguration());
    assertThat(ours.get(CONTEXT)).isNotEqualTo(HdfsClientConfigKeys.DFS_CLIENT_CONTEXT_DEFAULT);
    assertThat(ours.getInt(CONNECTIONS, 0)).isGreaterThanOrEqualTo(16 * 6);
  }

  @Test
  void configuredValuesAreKept() {
    Configuration conf = new HdfsConfiguration();
    conf.set(CODERS, "rs_java");
    conf.setInt(CONNECTIONS, 5);
    Configuration ours = ClientDefaults.apply(conf);
    assertThat(ours.get(CODERS)).isEqualTo("rs_java");
    assertThat(ours.getInt(CONNECTIONS, 0)).isEqualTo(5);
    assertThat(ours.get(CONTEXT)).isEqualTo(HdfsClientConfigKeys.DFS_CLIENT_CONTEXT_DEFAULT);

    conf = new HdfsConfiguration();
    conf.set(CONTEXT, "mine");
    ours = ClientDefaults.apply(conf);
    assertThat(ours.get(CONTEXT)).isEqualTo("mine");
    assertThat(ours.getInt(CONNECTIONS, 0))
        .isEqualTo(HdfsClientConfigKeys.DFS_CLIENT_SOCKET_CACHE_CAPACITY_DEFAULT);
  }

  @Test
  void theCallersConfigurationIsNotChanged() {
    Configuration conf = new HdfsConfiguration();
    ClientDefaults.apply(conf);
    assertThat(conf.get(CODERS)).isEqualTo("rs_native,rs_java");
    assertThat(conf.get(CONTEXT)).isEqualTo(HdfsClientConfigKeys.DFS_CLIENT_CONTEXT_DEFAULT);
  }
}
