// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.cluster;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/** The HDFS on which clients are measured: one of this machine, or a cluster of the user. */
public interface BenchHdfs extends AutoCloseable {
  /** Returns the settings that every client needs. */
  Map<String, String> clientSettings() throws IOException;

  /** Returns what runs the command that follows it where clients are; possibly empty. */
  List<String> clientPrefix();

  /** Returns arguments that the JVM of every client needs. */
  List<String> clientArguments();

  /** Returns directories that the class path of every client needs. */
  List<java.nio.file.Path> clientClassPath();

  /** Opens Hadoop's own client. */
  DistributedFileSystem open(Map<String, String> settings) throws IOException;

  /** Returns a client for names, policies and locations. */
  DistributedFileSystem fs();

  /** Returns the directory in which files may be written; it need not exist. */
  Path root();

  /**
   * Returns why HDFS does not store files in a directory as asked, or null.
   *
   * @param policy null for replicas
   * @param bytes of a file that has a block on each DataNode that one has
   * @param wanted the number of these DataNodes
   */
  String absence(Path directory, String policy, int bytes, int wanted);

  /** Returns the bytes of replicas and parity that DataNodes can still store, if that matters. */
  long free() throws IOException;

  /**
   * Makes a policy usable, unless only an administrator may do so.
   *
   * @throws IOException if the NameNode refuses it
   */
  void enable(ErasureCodingPolicy policy) throws IOException;

  /** Returns the ids of the processes whose processor time counts as that of the servers. */
  List<Long> processes();

  /** Returns address and port of each DataNode that can be stopped, by its name. */
  Map<String, String> inside() throws IOException;

  /** Deletes files, and waits until they take no space if that affects later measurements. */
  void delete(Collection<String> files) throws IOException;

  /** Returns the release of Hadoop. */
  String hadoopVersion() throws IOException;

  @Override
  void close() throws IOException;
}
