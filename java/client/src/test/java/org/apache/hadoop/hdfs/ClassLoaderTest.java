// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/**
 * Tests when Hadoop's client serves all files: the jar is in a separate class loader, as with
 * Spark's --jars and Hive's ADD JAR, or methods of this Hadoop differ from those that ours
 * override.
 */
class ClassLoaderTest {
  /** Loads Stripeline's classes itself, and delegates all others to its parent. */
  private static final class JarLoader extends URLClassLoader {
    JarLoader() {
      super(
          new URL[] {
            StripelineFileSystem.class.getProtectionDomain().getCodeSource().getLocation()
          },
          ClassLoaderTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      String simple = name.substring(name.lastIndexOf('.') + 1);
      if (!name.startsWith("org.stripeline.client") && !simple.startsWith("Stripeline")) {
        return super.loadClass(name, resolve);
      }
      Class<?> found = findLoadedClass(name);
      return found == null ? findClass(name) : found;
    }
  }

  @Test
  void methodsThatOursDoNotOverrideAreMissing() {
    assertThat(StripelineClients.missing()).isEmpty();
    assertThat(ClientCompat.notOverridden(Object.class, String.class, "equals")).isEmpty();
    assertThat(ClientCompat.notOverridden(Object.class, String.class, "wait"))
        .containsExactly("Object.wait with the parameters of String");
    assertThat(ClientCompat.notOverridden(Object.class, String.class, "length")).hasSize(1);
  }

  @Test
  void hadoopsClientServesAllFilesIfClassLoadersDiffer() throws Exception {
    Configuration conf = new Configuration(false);
    conf.setInt("ipc.client.connect.max.retries", 0);
    try (JarLoader loader = new JarLoader();
        FileSystem fs =
            (FileSystem)
                loader
                    .loadClass(StripelineFileSystem.class.getName())
                    .getDeclaredConstructor()
                    .newInstance()) {
      assertThat(fs.getClass()).isNotEqualTo(StripelineFileSystem.class);
      fs.initialize(URI.create("hdfs://127.0.0.1:9"), conf);
      assertThat(((DistributedFileSystem) fs).getClient().getClass()).isEqualTo(DFSClient.class);
      // No NameNode is running, but the call reaches the client.
      assertThatThrownBy(() -> fs.listLocatedStatus(new Path("/")).hasNext())
          .isInstanceOf(IOException.class);
    }
  }
}
