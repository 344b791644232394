// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** Which coder Hadoop makes for a contestant. */
class ContestantTest {

  private final StripeShape shape = StripeShape.ofPolicy("RS-6-3-1024k");

  @Test
  void coderIsTheNamedOneAndNoOther() throws IOException {
    try (Contestant ours = contestant(Contestant.OURS);
        Contestant java = contestant("rs_java")) {
      assertThat(ours.encoderClass().getSimpleName()).isEqualTo("StripelineRawEncoder");
      assertThat(ours.decoderClass().getSimpleName()).isEqualTo("StripelineRawDecoder");
      assertThat(java.encoderClass().getSimpleName()).isEqualTo("RSRawEncoder");
      assertThat(java.decoderClass().getSimpleName()).isEqualTo("RSRawDecoder");
    }
  }

  @Test
  void unknownCoderIsNotReplacedByAnother() throws IOException {
    try (Contestant contestant = contestant("no-such-coder")) {
      assertThatThrownBy(contestant::encoderClass)
          .isInstanceOf(DemoException.class)
          .hasMessageStartingWith("Cannot use coder no-such-coder: Hadoop cannot make it");
      assertThatThrownBy(contestant::decoderClass).isInstanceOf(DemoException.class);
    }
  }

  @Test
  void everyPolicyHasItsUsualCoders() {
    assertThat(Contestant.usualCoders(shape)).containsExactly("stripeline", "rs_java");
    assertThat(Contestant.usualCoders(StripeShape.ofPolicy("RS-LEGACY-6-3-1024k")))
        .containsExactly("stripeline", "rs-legacy_java");
    assertThat(Contestant.usualCoders(StripeShape.ofPolicy("XOR-2-1-1024k")))
        .containsExactly("stripeline", "xor_java");
  }

  /** Opening a file system does not reach for its NameNode yet. */
  private Contestant contestant(String coder) throws IOException {
    Configuration conf = new Configuration();
    conf.set("fs.defaultFS", "hdfs://127.0.0.1:1");
    return new Contestant(coder, shape, conf);
  }
}
