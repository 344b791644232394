// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.apache.hadoop.conf.Configuration;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;

/** Loads Hadoop's configuration as a client would, and reports if it cannot be read. */
final class ConfigurationReader {
  private static final String[] SITE_FILES = {"core-site.xml", "hdfs-site.xml"};

  private ConfigurationReader() {}

  /**
   * Loads the configuration.
   *
   * @param directory HADOOP_CONF_DIR or null
   * @throws CommandException if a part of it cannot be read, because the results would be
   *     unreliable
   */
  static Configuration load(String directory, DoctorReport.HadoopConfiguration report) {
    report.directory = directory;
    if (directory != null) {
      requireReadable(Paths.get(directory));
    }
    Configuration conf;
    try {
      conf = new Configuration();
      for (String file : SITE_FILES) {
        conf.addResource(file);
      }
      // The files are not parsed before the first use.
      conf.size();
    } catch (RuntimeException e) {
      String reason = String.valueOf(RootCause.of(e).getMessage()).replaceAll("\\s+", " ").trim();
      throw unreadable(reason, "correct the file");
    }
    for (String file : SITE_FILES) {
      URL url = conf.getResource(file);
      if (url != null) {
        report.files.add(url.getProtocol().equals("file") ? url.getPath() : url.toString());
      }
    }
    return conf;
  }

  private static void requireReadable(Path directory) {
    if (!Files.isDirectory(directory)) {
      throw unreadable(
          "HADOOP_CONF_DIR is " + directory + ", which is not a directory",
          "correct HADOOP_CONF_DIR");
    }
    if (!Files.isReadable(directory) || !Files.isExecutable(directory)) {
      throw unreadable(
          "HADOOP_CONF_DIR is " + directory + ", which this user may not read",
          "run as a user who may read it");
    }
    for (String file : SITE_FILES) {
      Path path = directory.resolve(file);
      if (Files.exists(path) && !Files.isReadable(path)) {
        throw unreadable(path + " may not be read by this user", "run as a user who may read it");
      }
    }
  }

  private static CommandException unreadable(String reason, String remedy) {
    return new CommandException(
        ExitStatus.UNCHECKED, "Cannot read Hadoop's configuration: " + reason + "; " + remedy);
  }

  /** Returns the file that sets a key, null if the key is not set. */
  static String setBy(Configuration conf, String key) {
    String[] sources = conf.getPropertySources(key);
    return sources == null ? null : sources[sources.length - 1];
  }
}
