// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.InodePath;

/**
 * Shows that the NameNode returns only the effective storage policy of a file, never whether it is
 * set on the file.
 */
class StoragePolicyFactsTest {
  @TempDir java.nio.file.Path directory;

  @Test
  void aPolicyThatEqualsTheDirectorysLooksInherited() throws Exception {
    try (ConvertCluster cluster = ConvertCluster.withArchive(directory, 3, 1, conf -> {})) {
      DistributedFileSystem fs = cluster.fs();
      cluster.write("/d/own", 10);
      cluster.write("/d/inherited", 10);
      fs.setStoragePolicy(new Path("/d"), "WARM");
      fs.setStoragePolicy(new Path("/d/own"), "WARM");
      assertThat(told(fs, "/d/own")).isEqualTo(told(fs, "/d/inherited"));
      fs.setSafeMode(SafeModeAction.SAFEMODE_ENTER);
      fs.saveNamespace();
      fs.setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
      cluster.mini.restartNameNode();
      assertThat(told(cluster.fs(), "/d/own")).isEqualTo(told(cluster.fs(), "/d/inherited"));

      // The two differ nevertheless, which only a change of the directory shows.
      cluster.fs().setStoragePolicy(new Path("/d"), "COLD");
      assertThat(cluster.fs().getStoragePolicy(new Path("/d/own")).getName()).isEqualTo("WARM");
      assertThat(cluster.fs().getStoragePolicy(new Path("/d/inherited")).getName())
          .isEqualTo("COLD");
    }
  }

  private static List<Object> told(DistributedFileSystem fs, String path) throws Exception {
    DFSClient client = fs.getClient();
    List<Object> told = new ArrayList<>();
    HdfsFileStatus status = client.getFileInfo(path);
    told.add(status.getStoragePolicy());
    told.add(client.getFileInfo(InodePath.of(status.getFileId())).getStoragePolicy());
    for (HdfsFileStatus entry :
        client.listPaths("/d", HdfsFileStatus.EMPTY_NAME).getPartialListing()) {
      if (path.endsWith("/" + entry.getLocalName())) {
        told.add(entry.getStoragePolicy());
      }
    }
    told.add(
        client
            .listPaths(path, HdfsFileStatus.EMPTY_NAME)
            .getPartialListing()[0]
            .getStoragePolicy());
    told.add(client.getStoragePolicy(path).getName());
    for (String prefix : new String[] {"", "/.reserved/raw"}) {
      Map<String, byte[]> attributes = client.getXAttrs(prefix + path);
      told.add(attributes.keySet());
    }
    ContentSummary summary = fs.getContentSummary(new Path(path));
    for (StorageType type : StorageType.values()) {
      told.add(summary.getTypeConsumed(type));
      told.add(fs.getQuotaUsage(new Path(path)).getTypeConsumed(type));
    }
    return told;
  }
}
