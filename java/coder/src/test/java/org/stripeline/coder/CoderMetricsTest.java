// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.Random;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Test;
import org.stripeline.coder.metrics.CoderMetrics;
import org.stripeline.natives.codec.CoderStatus;

class CoderMetricsTest {
  @Test
  void callsAreCountedAndPublished() throws Exception {
    ErasureCoderOptions options = new ErasureCoderOptions(3, 2);
    RawErasureEncoder encoder = new RsCoderFactory().createEncoder(options);
    RawErasureDecoder decoder = new RsCoderFactory().createDecoder(options);
    byte[][] data = Coders.randomUnits(new Random(1), 3, 1000);
    byte[][] parity = new byte[2][1000];
    long encodes = bean("Encodes");
    long encodedBytes = bean("EncodedBytes");
    long decodes = bean("Decodes");
    long decodedBytes = bean("DecodedBytes");
    long failures = bean("Failures");

    encoder.encode(data, parity);
    decoder.decode(
        new byte[][] {null, data[1], data[2], parity[0], null}, new int[] {0}, new byte[1][1000]);
    decoder.release();
    assertThatThrownBy(() -> decoder.decode(new byte[5][1000], new int[0], new byte[0][]))
        .hasMessageContaining("closed");

    assertThat(bean("Encodes") - encodes).isEqualTo(1);
    assertThat(bean("EncodedBytes") - encodedBytes).isEqualTo(3000);
    assertThat(bean("Decodes") - decodes).isEqualTo(1);
    assertThat(bean("DecodedBytes") - decodedBytes).isEqualTo(1000);
    assertThat(bean("Failures") - failures).isEqualTo(1);
    assertThat(bean("EncodeNanos")).isPositive();
    assertThat(bean("DecodeNanos")).isPositive();
  }

  @Test
  void theBeanNamesTheCoderInUse() throws Exception {
    CoderStatus status = CoderStatus.current();
    assertThat(attribute("Implementation")).isEqualTo(status.implementation());
    assertThat(attribute("Isa")).isEqualTo(status.isa());
    assertThat(attribute("Library")).isEqualTo(status.origin().orElse(""));
    assertThat(attribute("FallbackCause")).isEqualTo(status.fallbackCause().orElse(""));
  }

  @Test
  void theMetricsSourceHasTheSameCounters() {
    CoderMetrics.shared();
    MetricsCollectorImpl collector = new MetricsCollectorImpl();
    DefaultMetricsSystem.instance().getSource("StripelineCoder").getMetrics(collector, true);
    assertThat(collector.getRecords()).hasSize(1);
    // The implementation's class is not public in Hadoop 3.3.
    MetricsRecord record = collector.getRecords().get(0);
    assertThat(record.metrics())
        .extracting(AbstractMetric::name)
        .containsExactlyInAnyOrder(
            "Fallback",
            "Encodes",
            "EncodedBytes",
            "EncodeNanos",
            "Decodes",
            "DecodedBytes",
            "DecodeNanos",
            "Failures");
  }

  private static long bean(String name) throws Exception {
    return (Long) attribute(name);
  }

  private static Object attribute(String name) throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    return server.getAttribute(new ObjectName("Hadoop:service=Stripeline,name=Coder"), name);
  }
}
