// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.placement.CodeName;

/** Checks the preconditions of a job, without changing anything. */
public final class Preflight {
  /** The effect on readers of copying files into small cells. */
  public static final String STALE_READERS =
      "a process that has such a file open through Hadoop's own client while it is replaced can"
          + " get wrong bytes, without an error, from positional reads";

  /** The reason to refuse MapReduce for the layout that agents encode. */
  public static final String NO_MAPS =
      "Cannot use --driver=mapreduce with --layout=contiguous, the default, or auto: the agents"
          + " encode on the DataNodes there, and maps would only wait for them; use"
          + " --driver=client, and limit the load by --throttle, --files-at-once and"
          + " --groups-at-once";

  private Preflight() {}

  /**
   * Returns the layout of a job and why it has it.
   *
   * @param policy the name that was given for the code
   */
  public static String layoutText(JobSettings settings, String policy, String why) {
    if (settings.layout == Layout.AUTO) {
      return "Layout auto, "
          + why
          + ": as 'stripeline plan' prints it, contiguous where that saves space, "
          + (settings.allowStaleReaders
              ? "copies to " + settings.code().policyName(settings.cellBytes) + " otherwise"
              : "files that only a copy makes smaller are left, because copies need"
                  + " --allow-stale-readers");
    }
    if (settings.layout == Layout.STRIPED) {
      return "Layout striped, "
          + why
          + ": every byte is copied, to "
          + settings.code().policyName(settings.cellBytes);
    }
    String unused =
        CodeName.parse(policy).cellBytes() == 0
            ? ""
            : "; the cell size in " + policy + " applies only to copies, with --layout=striped";
    return "Layout contiguous, " + why + ": cells as large as each file's blocks" + unused;
  }

  /**
   * Checks all preconditions.
   *
   * @return the DataNodes and racks of the cluster
   * @throws RefusedException if the job cannot be done; the message says what to do
   */
  public static ClusterFacts check(DFSClient client, JobSettings settings) throws IOException {
    ClusterFacts facts = asSuperuser(client);
    requirePlain(settings.path, "convert");
    if (!isThere(client, settings.path)) {
      throw new RefusedException("Cannot convert " + settings.path + ": no such file or directory");
    }
    if (settings.storagePolicy != null) {
      requireStoragePolicy(client, settings);
    }
    if (!settings.undo) {
      CodeName code = settings.code();
      if (settings.stripes() && !code.takesCell(settings.cellBytes)) {
        throw new RefusedException(
            "Cannot use cells of "
                + settings.cellBytes
                + " bytes: "
                + code.data()
                + " of them reach 2 GiB, the limit of HDFS; at most "
                + code.cellBytesMax()
                + " bytes are possible with "
                + code);
      }
      facts.require(code, settings.allowRackLoss);
    }
    return facts;
  }

  /**
   * Refuses copies into cells smaller than blocks, unless the user accepts the effect on readers.
   *
   * <p>A reader of Hadoop's own client that has the old file open asks by path for block locations
   * that it does not have yet, and interprets the answer in the layout of the old file. The id of a
   * block group is also the id of its internal block 0, so a positional read that fits into that
   * block returns its bytes, which belong to other cells. In the contiguous layout, internal block
   * 0 has the same bytes as the old file at that offset, and every other read fails.
   */
  public static void refuseStaleReaders(JobSettings settings) throws RefusedException {
    if (!settings.undo && settings.layout == Layout.STRIPED && !settings.allowStaleReaders) {
      throw new RefusedException(
          "Cannot use --layout=striped: "
              + STALE_READERS
              + "; use --layout=contiguous, or add"
              + " --allow-stale-readers if no process keeps these files open");
    }
  }

  /**
   * Checks that the user is a superuser, and returns the DataNodes and racks of the cluster.
   *
   * @throws RefusedException if the user is not a superuser
   */
  public static ClusterFacts asSuperuser(DFSClient client) throws IOException {
    return asSuperuser(client, "convert");
  }

  /**
   * Does the same for another command.
   *
   * @param verb what the command does with files, for the message
   */
  public static ClusterFacts asSuperuser(DFSClient client, String verb) throws IOException {
    try {
      ClusterFacts facts = ClusterFacts.of(client);
      refuseRouter(client, verb);
      return facts;
    } catch (AccessControlException e) {
      throw notSuperuser(verb, e);
    } catch (RemoteException e) {
      IOException cause = e.unwrapRemoteException(AccessControlException.class);
      throw cause == e ? e : notSuperuser(verb, cause);
    }
  }

  /**
   * Refuses Routers: the inode ids by which this package addresses files can lead to another
   * nameservice than their paths. A Router rejects this call, which is cheap for a NameNode.
   */
  private static void refuseRouter(DFSClient client, String verb) throws IOException {
    try {
      client.getNamenode().getDataEncryptionKey();
    } catch (RemoteException e) {
      if (e.getClassName().equals(UnsupportedOperationException.class.getName())) {
        throw new RefusedException(
            "Cannot "
                + verb
                + " through a Router: it accepts only paths, not inode numbers; name the"
                + " nameservice that has the tree, as in hdfs://NAMESERVICE/PATH");
      }
      throw e;
    }
  }

  /** Returns whether a file or directory exists. */
  public static boolean isThere(DFSClient client, String path) throws IOException {
    return InodePath.find(client, path) != null;
  }

  /**
   * Refuses paths in snapshots and below {@code /.reserved}: the inodes there have ids that belong
   * to files and directories at other paths.
   *
   * @param verb what the command does with files, for the message
   */
  public static void requirePlain(String path, String verb) throws RefusedException {
    boolean isSnapshot = (path + "/").contains("/" + HdfsConstants.DOT_SNAPSHOT_DIR + "/");
    if (isSnapshot || (path + "/").startsWith("/.reserved/")) {
      throw new RefusedException(
          "Cannot "
              + verb
              + " "
              + path
              + ": "
              + (isSnapshot ? "it is in a snapshot" : "it is another name of a tree")
              + "; name the tree itself");
    }
  }

  private static RefusedException notSuperuser(String verb, IOException e) {
    return new RefusedException(
        "Cannot "
            + verb
            + " files of other owners: the NameNode says '"
            + Reasons.of(e)
            + "'; run this as the user that runs the NameNode, or as a member of the group that"
            + " dfs.permissions.superusergroup names");
  }

  private static void requireStoragePolicy(DFSClient client, JobSettings settings)
      throws IOException {
    for (BlockStoragePolicy policy : client.getStoragePolicies()) {
      if (policy.getName().equals(settings.storagePolicy)) {
        return;
      }
    }
    throw new RefusedException(
        "Cannot set storage policy "
            + settings.storagePolicy
            + ": the NameNode has none of that name; see 'hdfs storagepolicies -listPolicies'");
  }
}
