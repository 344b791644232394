// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.stripeline.coder.RsCoderFactory;
import org.stripeline.natives.Ticker;

/** Hadoop's shaded client as Spark has it: before our jar on the class path. */
class ShadedClientTest {
  private static final String RS_CODERS = CodecUtil.IO_ERASURECODE_CODEC_RS_RAWCODERS_KEY;

  private final Thread thread = Thread.currentThread();
  private final ClassLoader before = thread.getContextClassLoader();
  private URLClassLoader shaded;

  @BeforeEach
  void load() throws Exception {
    List<URL> path = new ArrayList<>();
    for (File jar : new File("target/shaded").listFiles()) {
      path.add(jar.toURI().toURL());
    }
    assertThat(path).hasSize(2);
    Class<?> commonsLogging = Class.forName("org.apache.commons.logging.LogFactory");
    for (Class<?> one :
        new Class<?>[] {
          ClientDefaults.class, RsCoderFactory.class, Ticker.class, Logger.class, commonsLogging
        }) {
      path.add(one.getProtectionDomain().getCodeSource().getLocation());
    }
    shaded = new URLClassLoader(path.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    thread.setContextClassLoader(shaded);
  }

  @AfterEach
  void unload() throws Exception {
    thread.setContextClassLoader(before);
    shaded.close();
  }

  @Test
  void ourDefaultsReachItsCoders() throws Exception {
    assertThat(encoder(withOurDefaults(configuration()))).endsWith(".StripelineRawEncoder");
  }

  @Test
  void coderOfTheUserReachesIt() throws Exception {
    Object conf = configuration();
    set(conf, RS_CODERS, "rs_java");
    assertThat(encoder(withOurDefaults(conf))).endsWith(".RSRawEncoder");
  }

  /** The fault of Hadoop for which our defaults have a second name of each key. */
  @Test
  void itIgnoresTheNameOfTheKeyThatUsersKnow() throws Exception {
    Object conf = configuration();
    set(conf, RS_CODERS, "stripeline");
    assertThat(encoder(conf)).endsWith(".RSRawEncoder");
  }

  private Object configuration() throws Exception {
    return shaded.loadClass(Configuration.class.getName()).getConstructor().newInstance();
  }

  private static void set(Object conf, String key, String value) throws Exception {
    conf.getClass().getMethod("set", String.class, String.class).invoke(conf, key, value);
  }

  private Object withOurDefaults(Object conf) throws Exception {
    return shaded
        .loadClass(ClientDefaults.class.getName())
        .getMethod("apply", conf.getClass())
        .invoke(null, conf);
  }

  /** Returns the class of the encoder that Hadoop creates. */
  private String encoder(Object conf) throws Exception {
    Class<?> optionsClass = shaded.loadClass(ErasureCoderOptions.class.getName());
    Object options = optionsClass.getConstructor(int.class, int.class).newInstance(6, 3);
    Object encoder =
        shaded
            .loadClass(CodecUtil.class.getName())
            .getMethod("createRawEncoder", conf.getClass(), String.class, optionsClass)
            .invoke(null, conf, "rs", options);
    return encoder.getClass().getName();
  }
}
