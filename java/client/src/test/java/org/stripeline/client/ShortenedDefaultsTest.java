// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the settings without descriptions that tests see first with Hadoop's own. */
class ShortenedDefaultsTest {
  @ParameterizedTest
  @ValueSource(strings = {"core-default.xml", "hdfs-default.xml"})
  void haveTheNamesAndValuesOfHadoops(String file) throws IOException {
    List<URL> files = Collections.list(Configuration.class.getClassLoader().getResources(file));
    assertThat(files).hasSizeGreaterThan(1);
    assertThat(files.get(0)).hasProtocol("file");
    assertThat(files.get(1)).hasProtocol("jar");
    assertThat(settings(files.get(0))).hasSizeGreaterThan(100).isEqualTo(settings(files.get(1)));
  }

  private static Map<String, String> settings(URL file) {
    Configuration conf = new Configuration(false);
    conf.addResource(file);
    Map<String, String> settings = new TreeMap<>();
    conf.forEach(setting -> settings.put(setting.getKey(), setting.getValue()));
    return settings;
  }
}
