// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.StripelineRawDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.StripelineRawEncoder;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stripeline.testkit.ForkedJvm;

/** Tests how Hadoop finds the coders, and what it loads before and after it uses one. */
class RegistrationTest {
  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(Coders.class)
  void hadoopCreatesOurCoderIfItIsConfigured(Coders coders) {
    String codec = coders.ours.getCodecName();
    assertThat(CodecRegistry.getInstance().getCoderNames(codec)).contains("stripeline");
    Configuration configuration = new Configuration(false);
    configuration.set("io.erasurecode.codec." + codec + ".rawcoders", "stripeline");
    // A coder whose name contains "native" would be disabled by this setting.
    configuration.setBoolean("io.erasurecode.codec.native.enabled", false);
    ErasureCoderOptions options = new ErasureCoderOptions(2, 1);
    assertThat(CodecUtil.createRawEncoder(configuration, codec, options))
        .isInstanceOf(StripelineRawEncoder.class);
    assertThat(CodecUtil.createRawDecoder(configuration, codec, options))
        .isInstanceOf(StripelineRawDecoder.class);
  }

  @Test
  void listingFactoriesDoesNotLoadTheNativeLibrary() throws Exception {
    String output = run(Look.class, "-verbose:class");
    assertThat(output)
        .contains("names=[rs stripeline, rs-legacy stripeline, xor stripeline]")
        .contains("org.stripeline.coder.RsCoderFactory")
        .doesNotContain("org.stripeline.natives.codec.NativeBridge")
        .doesNotContain("org.stripeline.natives.codec.CoderStatus");
  }

  @Test
  void daemonsLogTheFirstCoderOnceWithItsImplementation() throws Exception {
    assertThat(run(Create.class, "-Dstripeline.native.enabled=false", "-Ddaemon=true"))
        .containsOnlyOnce(
            "Erasure coder live: stripeline, first used for rs 6+3; java 0.1.0 (Cannot load native "
                + "library: stripeline.native.enabled is false)")
        .containsOnlyOnce("Falling back to pure-Java erasure coding");
  }

  @Test
  void clientsLogOnlyThatPureJavaIsInUse() throws Exception {
    assertThat(run(Create.class, "-Dstripeline.native.enabled=false"))
        .contains("Falling back to pure-Java erasure coding")
        .doesNotContain("Erasure coder live");
  }

  private String run(Class<?> main, String... arguments) throws Exception {
    return ForkedJvm.of(main).with(arguments).logging(folder, "INFO").output();
  }

  /** Loads the factories in the same way as {@code CodecRegistry}. */
  static final class Look {
    private Look() {}

    public static void main(String[] arguments) {
      List<String> names = new ArrayList<>();
      for (RawErasureCoderFactory factory : ServiceLoader.load(RawErasureCoderFactory.class)) {
        if (factory.getCoderName().equals("stripeline")) {
          names.add(factory.getCodecName() + " " + factory.getCoderName());
        }
      }
      System.out.println("names=" + names);
    }
  }

  /** Creates several coders, as a daemon if the property {@code daemon} is set. */
  static final class Create {
    private Create() {}

    public static void main(String[] arguments) {
      if (Boolean.getBoolean("daemon")) {
        // As the main methods of Hadoop's daemons do.
        DefaultMetricsSystem.initialize("DataNode");
      }
      new RsCoderFactory().createEncoder(new ErasureCoderOptions(6, 3));
      new RsCoderFactory().createDecoder(new ErasureCoderOptions(3, 2));
      new XorCoderFactory().createDecoder(new ErasureCoderOptions(2, 1));
    }
  }
}
