// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The versions of this build of Stripeline. */
public final class Release {
  private static final Properties PROPERTIES = load();

  private Release() {}

  /**
   * Returns the version of Stripeline.
   *
   * @return such as 0.1.0
   */
  public static String version() {
    return PROPERTIES.getProperty("version");
  }

  /**
   * Returns the Hadoop release that this build was compiled and tested against.
   *
   * @return such as 3.4.2
   */
  public static String hadoopVersion() {
    return PROPERTIES.getProperty("hadoop.version");
  }

  private static Properties load() {
    Properties properties = new Properties();
    try (InputStream in = Release.class.getResourceAsStream("version.properties")) {
      if (in == null) {
        throw new IllegalStateException("Cannot read version.properties: the jar lacks it");
      }
      properties.load(in);
    } catch (IOException e) {
      throw new IllegalStateException("Cannot read version.properties: " + e, e);
    }
    return properties;
  }
}
