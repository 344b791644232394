// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.StripelineRawDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.StripelineRawEncoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How Hadoop finds the coders, and what it sees of them before and after it uses one. */
class RegistrationTest {
  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(Coders.class)
  void hadoop_creates_ours_where_it_is_configured(Coders coders) {
    String codec = coders.ours.getCodecName();
    assertThat(CodecRegistry.getInstance().getCoderNames(codec)).contains("stripeline");
    Configuration configuration = new Configuration(false);
    configuration.set("io.erasurecode.codec." + codec + ".rawcoders", "stripeline");
    // Coders named "native" would not survive this.
    configuration.setBoolean("io.erasurecode.codec.native.enabled", false);
    ErasureCoderOptions options = new ErasureCoderOptions(2, 1);
    assertThat(CodecUtil.createRawEncoder(configuration, codec, options))
        .isInstanceOf(StripelineRawEncoder.class);
    assertThat(CodecUtil.createRawDecoder(configuration, codec, options))
        .isInstanceOf(StripelineRawDecoder.class);
  }

  @Test
  void looking_at_factories_touches_nothing_native() throws Exception {
    String output = fork("-verbose:class", Look.class);
    assertThat(output)
        .contains("names=[rs stripeline, rs-legacy stripeline, xor stripeline]")
        .contains("org.stripeline.coder.RsCoderFactory")
        .doesNotContain("org.stripeline.natives.NativeBridge")
        .doesNotContain("org.stripeline.natives.CoderStatus");
  }

  @Test
  void first_coder_is_announced_once_with_what_is_live() throws Exception {
    assertThat(fork("-Dstripeline.native.enabled=false", Create.class))
        .containsOnlyOnce(
            "Erasure coder live: stripeline, first used for rs 6+3; java 0.1.0 (Cannot load native "
                + "library: stripeline.native.enabled is false)")
        .containsOnlyOnce("Falling back to pure-Java erasure coding");
  }

  /** Does what {@code CodecRegistry} does. */
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

  /** Creates several coders. */
  static final class Create {
    private Create() {}

    public static void main(String[] arguments) {
      new RsCoderFactory().createEncoder(new ErasureCoderOptions(6, 3));
      new RsCoderFactory().createDecoder(new ErasureCoderOptions(3, 2));
      new XorCoderFactory().createDecoder(new ErasureCoderOptions(2, 1));
    }
  }

  private String fork(String jvmArgument, Class<?> main) throws Exception {
    Path output = folder.resolve("output.txt");
    // Hadoop's tests jar brings a log4j.properties only in its sources, so logging is set up here.
    Path logging = folder.resolve("log4j.properties");
    Files.write(
        logging,
        Arrays.asList(
            "log4j.rootLogger=INFO,console",
            "log4j.appender.console=org.apache.log4j.ConsoleAppender",
            "log4j.appender.console.layout=org.apache.log4j.PatternLayout",
            "log4j.appender.console.layout.ConversionPattern=%p %c - %m%n"));
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-Xmx256m",
                "-Dlog4j.configuration=" + logging.toUri(),
                jvmArgument,
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
    String text = new String(Files.readAllBytes(output));
    assertThat(process.exitValue()).as(text).isZero();
    return text;
  }
}
