// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.stripeline.lab.bench.cluster.BenchHdfs;
import org.stripeline.lab.bench.io.IoContestant.StorageScheme;

/** The directories of files, one for each policy and storage scheme. */
final class SchemeDirectories {
  private final BenchHdfs hdfs;

  /** What {@link #absence} has found, also null, by directory. */
  private final Map<Path, String> found = new HashMap<>();

  SchemeDirectories(BenchHdfs hdfs) {
    this.hdfs = hdfs;
  }

  Path of(ErasureCodingPolicy policy, StorageScheme scheme) {
    return new Path(hdfs.root(), policy.getName() + "/" + scheme.name().toLowerCase(Locale.ROOT));
  }

  /** Creates the directory of a scheme. */
  void make(ErasureCodingPolicy policy, StorageScheme scheme) throws IOException {
    Path directory = of(policy, scheme);
    hdfs.fs().mkdirs(directory);
    if (scheme == StorageScheme.RS) {
      hdfs.enable(policy);
    }
    if (scheme.isCoded()) {
      hdfs.fs().setErasureCodingPolicy(directory, scheme.policy(policy));
    }
  }

  /** Returns why HDFS does not store files by a scheme, or null. */
  String absence(ErasureCodingPolicy policy, StorageScheme scheme) {
    Path directory = of(policy, scheme);
    if (!found.containsKey(directory)) {
      found.put(directory, ask(policy, scheme, directory));
    }
    return found.get(directory);
  }

  private String ask(ErasureCodingPolicy policy, StorageScheme scheme, Path directory) {
    boolean isCoded = scheme.isCoded();
    return hdfs.absence(
        directory,
        isCoded ? scheme.policy(policy) : null,
        isCoded ? policy.getNumDataUnits() * policy.getCellSize() : 1,
        isCoded ? policy.getNumDataUnits() + policy.getNumParityUnits() : scheme.copies());
  }
}
