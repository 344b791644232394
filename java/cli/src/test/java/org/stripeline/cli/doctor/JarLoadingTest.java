// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.StripelineFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JarLoadingTest {
  @TempDir Path dir;

  @Test
  void listsWhatItDoesNotExamine() throws Exception {
    DoctorReport report = examine(Map.of());

    assertThat(report.problems).isEmpty();
    assertThat(report.loading.settings).isEmpty();
    assertThat(report.loading.unseen)
        .anyMatch(text -> text.contains("--jars"))
        .anyMatch(text -> text.contains("SPARK_HOME"));
  }

  @Test
  void namesSettingsThatLoadTheJarInAnotherClassLoader() throws Exception {
    site("mapred-site.xml", "mapreduce.job.classloader", "true", "tmpjars", "file:/a/b.jar");
    DoctorReport sound = examine(Map.of());
    assertThat(sound.problems).isEmpty();
    assertThat(sound.loading.settings)
        .anyMatch(text -> text.startsWith("mapreduce.job.classloader is true (mapred-site.xml)"));

    site("mapred-site.xml", "tmpjars", "file:/a/b.jar,file:/opt/stripeline-0.1.0.jar");
    site("hive-site.xml", "hive.reloadable.aux.jars.path", "/opt/stripeline-0.1.0.jar");
    assertThat(examine(Map.of()).problems)
        .extracting(problem -> problem.text)
        .hasSize(2)
        .anyMatch(text -> text.startsWith("tmpjars names the jar (mapred-site.xml)"))
        .anyMatch(
            text -> text.startsWith("hive.reloadable.aux.jars.path names the jar (hive-site.xml)"));
  }

  @Test
  void readsTheDefaultsOfSpark() throws Exception {
    assertThat(spark("spark.jars  hdfs://n/stripeline-0.1.0.jar"))
        .anyMatch(text -> text.startsWith("spark.jars names the jar"));
    assertThat(spark("spark.jars.packages org.stripeline:stripeline:0.1.0"))
        .anyMatch(text -> text.startsWith("spark.jars.packages names the jar"));
    assertThat(spark("spark.driver.extraClassPath=/opt/stripeline-0.1.0.jar"))
        .anyMatch(text -> text.endsWith("spark.executor.extraClassPath does not"));
    assertThat(
            spark(
                "spark.driver.extraClassPath=/opt/stripeline-0.1.0.jar",
                "spark.executor.extraClassPath=/opt/stripeline-0.1.0.jar"))
        .isEmpty();
  }

  private List<String> spark(String... lines) throws Exception {
    Files.write(dir.resolve("spark-defaults.conf"), List.of(lines));
    DoctorReport report = examine(Map.of("SPARK_CONF_DIR", dir.toString()));
    assertThat(report.loading.files).anyMatch(file -> file.endsWith("spark-defaults.conf"));
    return report.problems.stream().map(problem -> problem.text).toList();
  }

  private void site(String file, String... keysAndValues) throws Exception {
    StringBuilder site = new StringBuilder("<configuration>\n");
    for (int i = 0; i < keysAndValues.length; i += 2) {
      site.append("<property><name>")
          .append(keysAndValues[i])
          .append("</name><value>")
          .append(keysAndValues[i + 1])
          .append("</value></property>\n");
    }
    Files.writeString(dir.resolve(file), site.append("</configuration>\n"));
  }

  /** Runs the examination with the files of the temporary directory first on the class path. */
  private DoctorReport examine(Map<String, String> environment) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    URL[] site = {new File(dir + "/").toURI().toURL()};
    try (URLClassLoader loader = new URLClassLoader(site, before)) {
      thread.setContextClassLoader(loader);
      DoctorReport report = new DoctorReport();
      assertThat(new JarLoading(report).examine(environment)).isTrue();
      return report;
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** Simulates 'hadoop jar', which loads a jar that is not on Hadoop's class path. */
  @Test
  void reportsThatAnotherClassLoaderLoadedIt() throws Exception {
    try (JarLoader loader = new JarLoader()) {
      Object doctor =
          loader.loadClass(Doctor.class.getName()).getDeclaredConstructor().newInstance();
      assertThat(doctor.getClass()).isNotEqualTo(Doctor.class);
      Method examine = doctor.getClass().getMethod("examine", String.class, boolean.class);
      Object report = examine.invoke(doctor, null, false);
      List<?> problems = (List<?>) report.getClass().getField("problems").get(report);
      assertThat(problems)
          .extracting("text")
          .anyMatch(text -> text.toString().contains("in two class loaders"));
    }
  }

  /** Loads the doctor and the client itself, and delegates all other classes to its parent. */
  private static final class JarLoader extends URLClassLoader {
    JarLoader() {
      super(
          new URL[] {
            Doctor.class.getProtectionDomain().getCodeSource().getLocation(),
            StripelineFileSystem.class.getProtectionDomain().getCodeSource().getLocation()
          },
          JarLoadingTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      Class<?> found = findLoadedClass(name);
      if (found != null) {
        return found;
      }
      try {
        return findClass(name);
      } catch (ClassNotFoundException elsewhere) {
        return super.loadClass(name, resolve);
      }
    }
  }
}
