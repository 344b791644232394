// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.IOException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.stripeline.convert.settings.RefusedException;

/** Checks the directories on HDFS whose files commands must be able to trust. */
public final class JobRoot {
  private JobRoot() {}

  /**
   * Refuses a parent of job directories that users other than superusers can write or replace: a
   * job acts on its journal, which must be trustworthy.
   */
  public static void requirePrivate(DistributedFileSystem fs, Path root) throws IOException {
    requirePrivate(fs, root, "jobs", "--job-directory");
  }

  /**
   * Refuses a directory that users other than superusers can write or replace.
   *
   * @param what what is kept in it
   * @param option the option that names another directory
   */
  public static void requirePrivate(DistributedFileSystem fs, Path root, String what, String option)
      throws IOException {
    FileStatus status = fs.getFileStatus(root);
    if (!status.getPermission().equals(JobDirectory.PRIVATE)) {
      throw exposed(root, status, what, option);
    }
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    String superuser = fs.getFileStatus(new Path("/")).getOwner();
    String superusers =
        fs.getConf()
            .get(
                DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_KEY,
                DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_DEFAULT);
    for (Path at = root; at != null; at = at.getParent()) {
      FileStatus one = fs.getFileStatus(at);
      boolean isOfSuperuser = one.getOwner().equals(user) || one.getOwner().equals(superuser);
      int othersWrite = one.getGroup().equals(superusers) ? 0002 : 0022;
      boolean isOpen = (one.getPermission().toShort() & othersWrite) != 0 || one.hasAcl();
      boolean isSticky = one.getPermission().getStickyBit();
      if (!isOfSuperuser || (isOpen && !isSticky)) {
        throw exposed(root, one, what, option);
      }
    }
  }

  private static RefusedException exposed(Path root, FileStatus why, String what, String option) {
    return new RefusedException(
        "Cannot keep "
            + what
            + " in "
            + root.toUri().getPath()
            + ": "
            + why.getPath().toUri().getPath()
            + " belongs to "
            + why.getOwner()
            + " with permission "
            + why.getPermission()
            + (why.hasAcl() ? " and an ACL" : "")
            + ", and only superusers may be able to write or replace its files; the directory must"
            + " belong to you with permission rwx------, its parents must belong to a superuser and"
            + " not be writable by others; or choose another with "
            + option);
  }
}
