// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.IOException;
import java.io.Reader;
import java.net.MalformedURLException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.stripeline.client.ClassLoaderCheck;

/**
 * Searches for settings that load our jar in another class loader than Hadoop, where the pipelines
 * cannot work: settings of MapReduce and Hive from the class path, settings of Spark from the files
 * that its environment variables point to.
 */
final class JarLoading {
  private static final String JOB_LOADER = "mapreduce.job.classloader";
  private static final String FRAMEWORK = "mapreduce.application.framework.path";
  private static final String[] SITE_FILES = {"mapred-site.xml", "hive-site.xml"};

  /** Keys of MapReduce (set by -libjars) and Hive. */
  private static final String[] LOADED_APART = {
    "tmpjars", "hive.aux.jars.path", "hive.reloadable.aux.jars.path"
  };

  private static final String[] LOADED_APART_BY_SPARK = {
    "spark.jars", "spark.jars.packages", "spark.yarn.dist.jars"
  };

  private static final String DRIVER = "spark.driver.extraClassPath";
  private static final String EXECUTOR = "spark.executor.extraClassPath";

  /** Matches the jar or its Maven coordinates. */
  private static final Pattern OUR_JAR = Pattern.compile("stripeline[-:][^/,]*");

  private final DoctorReport report;
  private final DoctorReport.Loading result;

  JarLoading(DoctorReport report) {
    this.report = report;
    this.result = report.loading;
  }

  /**
   * Examines this process and the files.
   *
   * @param environment the variables that name the configuration directories of other programs
   * @return whether our jar and Hadoop were loaded together in this process
   */
  boolean examine(Map<String, String> environment) {
    boolean together = ClassLoaderCheck.isLoadedWithHadoop();
    if (!together) {
      report.addProblem(
          "This process has loaded the jar and Hadoop's client in two class loaders, so the"
              + " pipelines cannot be examined",
          "run the stripeline command, or put the jar on Hadoop's class path; not 'hadoop jar'");
    }
    examineSites(environment.get("HIVE_CONF_DIR"));
    examineSpark(environment);
    result.unseen.addAll(
        Arrays.asList(
            "options of single jobs and sessions (-libjars, --jars, --packages, ADD JAR)",
            "scripts such as spark-env.sh and hive-env.sh",
            "class paths of other processes: the client logs an ERROR where another class loader"
                + " loads the jar"));
    return together;
  }

  private void examineSites(String hiveDirectory) {
    Configuration conf = new Configuration(false);
    for (String file : SITE_FILES) {
      if (conf.getResource(file) != null) {
        conf.addResource(file);
        result.files.add(file);
      }
    }
    if (hiveDirectory != null) {
      addFile(conf, Paths.get(hiveDirectory, "hive-site.xml"));
    }
    try {
      if (conf.getBoolean(JOB_LOADER, false)) {
        result.settings.add(
            JOB_LOADER
                + " is true ("
                + ConfigurationReader.setBy(conf, JOB_LOADER)
                + "): tasks find the jar on Hadoop's class path only, not among a job's jars");
      }
      if (conf.get(FRAMEWORK) != null) {
        result.settings.add(
            FRAMEWORK
                + " is "
                + conf.get(FRAMEWORK)
                + " ("
                + ConfigurationReader.setBy(conf, FRAMEWORK)
                + "): tasks take Hadoop from that archive, which must have the jar");
      }
      for (String key : LOADED_APART) {
        judgeApart(key, conf.get(key), ConfigurationReader.setBy(conf, key));
      }
    } catch (RuntimeException e) {
      result.unseen.add(String.join(" and ", result.files) + " (" + RootCause.message(e) + ")");
    }
  }

  private void addFile(Configuration conf, Path file) {
    if (Files.isReadable(file)) {
      try {
        conf.addResource(file.toUri().toURL());
        result.files.add(file.toString());
      } catch (MalformedURLException e) {
        throw new IllegalArgumentException(e);
      }
    }
  }

  private void examineSpark(Map<String, String> environment) {
    String home = environment.get("SPARK_HOME");
    String directory = environment.get("SPARK_CONF_DIR");
    if (directory == null && home != null) {
      directory = Paths.get(home, "conf").toString();
    }
    if (directory == null) {
      result.unseen.add("Spark: neither SPARK_HOME nor SPARK_CONF_DIR is set");
      return;
    }
    Path file = Paths.get(directory, "spark-defaults.conf");
    Properties spark = new Properties();
    if (Files.exists(file)) {
      try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
        spark.load(reader);
        result.files.add(file.toString());
      } catch (IOException | IllegalArgumentException e) {
        result.unseen.add(file + " (" + RootCause.message(e) + ")");
        return;
      }
    }
    for (String key : LOADED_APART_BY_SPARK) {
      judgeApart(key, spark.getProperty(key), file.toString());
    }
    boolean driver = namesOurJar(spark.getProperty(DRIVER));
    boolean executor = namesOurJar(spark.getProperty(EXECUTOR));
    if (driver != executor) {
      report.addProblem(
          (driver ? DRIVER : EXECUTOR)
              + " names the jar ("
              + file
              + "), "
              + (driver ? EXECUTOR : DRIVER)
              + " does not",
          "name it in both");
    } else {
      result.settings.add(
          DRIVER
              + " and "
              + EXECUTOR
              + (driver ? " name" : " do not name")
              + " the jar ("
              + file
              + ")"
              + (driver ? "" : ": Spark must find it on Hadoop's class path"));
    }
  }

  private static boolean namesOurJar(String value) {
    return value != null && OUR_JAR.matcher(value).find();
  }

  private void judgeApart(String key, String value, String file) {
    if (namesOurJar(value)) {
      report.addProblem(
          key
              + " names the jar ("
              + file
              + "), so another class loader than Hadoop's loads it: Hadoop's own client serves all"
              + " files",
          "remove it from "
              + key
              + ", and put it on Hadoop's class path; for Spark, into "
              + DRIVER
              + " and "
              + EXECUTOR);
    }
  }
}
