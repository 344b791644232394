// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hdfs.DFSClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether one class loader has loaded both this jar and Hadoop's HDFS client. The pipelines
 * use package-private members of Hadoop, and Java treats equally named packages of two class
 * loaders as different packages. Spark's {@code --jars}, Hive's {@code ADD JAR} and {@code
 * mapreduce.job.classloader} load jars with a separate class loader.
 */
public final class ClassLoaderCheck {
  private static final Logger LOG = LoggerFactory.getLogger(ClassLoaderCheck.class);
  private static final AtomicBoolean TOLD = new AtomicBoolean();

  private ClassLoaderCheck() {}

  /** Returns whether the pipelines can work; if not, logs the remedy once at ERROR. */
  public static boolean isLoadedWithHadoop() {
    ClassLoader ours = ClassLoaderCheck.class.getClassLoader();
    ClassLoader theirs = DFSClient.class.getClassLoader();
    if (ours == theirs) {
      return true;
    }
    if (!TOLD.getAndSet(true)) {
      LOG.error(
          "Cannot use Stripeline's client pipelines: class loader {} has loaded its jar, and {}"
              + " Hadoop's HDFS client. Hadoop's own client serves all files, which for"
              + " erasure-coded ones is slower and can return wrong bytes when a DataNode fails."
              + " Put the jar on the class path that has Hadoop's jars: HADOOP_CLASSPATH, or"
              + " spark.driver.extraClassPath and spark.executor.extraClassPath; not --jars, ADD"
              + " JAR or mapreduce.job.classloader",
          ours,
          theirs);
    }
    return false;
  }
}
