// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.stripeline.lab.bench.CoderCheck;

/** A method of converting replicated files to erasure coding. */
enum ConversionMethod {
  /** {@code stripeline convert} of files that Hadoop's default policy placed. */
  ADOPT("adopt"),
  /** {@code stripeline convert} of files that {@code EarPlacementPolicy} placed. */
  ADOPT_EAR("adopt-ear"),
  /** {@code stripeline convert --layout=striped}. */
  STRIPED("striped"),
  /**
   * {@code hdfs dfs -cp} into an erasure-coded directory, with our coder in Hadoop's output stream.
   */
  CP("cp"),
  /** {@code hdfs dfs -cp -t 4}: copies files in parallel, if this Hadoop's shell supports it. */
  CP_4("cp-4"),
  /** {@code hadoop distcp}, 4 maps in one JVM. */
  DISTCP("distcp"),
  /** What Facebook's HDFS-RAID did, see {@link RaidNode}; needs a network of limited links. */
  HDFS_RAID(RaidNode.NAME),
  /**
   * The same for files that {@code EarPlacementPolicy} placed: tasks run in the rack that has all
   * blocks of a stripe.
   */
  HDFS_RAID_EAR(RaidNode.NAME + "-ear"),
  /**
   * For tests: as {@link #CP}, with a coder that writes parity that it has not computed, so that a
   * bench which checks its bytes must fail.
   */
  WRONG_PARITY("wrong-parity");

  private final String label;

  ConversionMethod(String label) {
    this.label = label;
  }

  static ConversionMethod parse(String label) {
    for (ConversionMethod method : values()) {
      if (method.label.equals(label)) {
        return method;
      }
    }
    throw new IllegalArgumentException(
        "Cannot measure '"
            + label
            + "': known methods are "
            + Arrays.stream(values())
                .map(ConversionMethod::label)
                .collect(Collectors.joining(", ")));
  }

  String label() {
    return label;
  }

  /** Returns whether it keeps the files under their names. */
  boolean isInPlace() {
    return isAdoption() || this == STRIPED || isRaid();
  }

  /** Returns whether {@link RaidNode} encodes. */
  boolean isRaid() {
    return this == HDFS_RAID || this == HDFS_RAID_EAR;
  }

  /** Returns whether {@code EarPlacementPolicy} places the files. */
  boolean isPlaced() {
    return this == ADOPT_EAR || this == HDFS_RAID_EAR;
  }

  /** Returns whether replicas become internal blocks without being moved. */
  boolean isAdoption() {
    return this == ADOPT || this == ADOPT_EAR;
  }

  /**
   * Returns why it cannot be used, or null.
   *
   * @param isShaped whether each DataNode is in a network of its own
   */
  String absence(boolean isShaped) {
    switch (this) {
      case HDFS_RAID:
      case HDFS_RAID_EAR:
        return isShaped ? null : "its tasks run in the networks of DataNodes, which --shaped makes";
      case CP_4:
        return isLoadable("org.apache.hadoop.fs.shell.CopyCommandWithMultiThread")
            ? null
            : "this Hadoop's shell has no option -t";
      case DISTCP:
        return isLoadable(MethodMain.DISTCP)
            ? null
            : "hadoop-distcp and MapReduce are not on the class path; name their jars in"
                + " STRIPELINE_CLASSPATH";
      case WRONG_PARITY:
        return CoderCheck.absence(label);
      default:
        return null;
    }
  }

  private static boolean isLoadable(String name) {
    try {
      Class.forName(name, false, ConversionMethod.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}
