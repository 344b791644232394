// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclUtil;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;

/** What a file has besides its bytes: owner, permission, ACL, extended attributes, times. */
final class Attributes {
  /** Key of an encrypted file, seen under {@code /.reserved/raw} only. */
  private static final String ENCRYPTION_INFO = "raw.hdfs.crypto.file.encryption.info";

  private static final String RESERVED_RAW = "/.reserved/raw";

  private final HdfsFileStatus status;
  private final List<AclEntry> acl;
  private final Map<String, byte[]> extended;
  private final byte[] encryptionInfo;
  private final String storagePolicy;

  private Attributes(
      HdfsFileStatus status,
      List<AclEntry> acl,
      Map<String, byte[]> extended,
      byte[] encryptionInfo,
      String storagePolicy) {
    this.status = status;
    this.acl = acl;
    this.extended = extended;
    this.encryptionInfo = encryptionInfo;
    this.storagePolicy = storagePolicy;
  }

  /**
   * Reads those of a file.
   *
   * @throws ChangedException if it is gone
   */
  static Attributes read(DFSClient client, Candidate file) throws IOException {
    String inode = file.inodePath();
    HdfsFileStatus status = InodePath.status(client, file.status().getFileId());
    if (status == null) {
      throw new ChangedException("it was deleted or replaced");
    }
    List<AclEntry> acl =
        status.hasAcl() ? client.getAclStatus(inode).getEntries() : Collections.emptyList();
    Map<String, byte[]> extended = new TreeMap<>(client.getXAttrs(inode));
    byte[] encryptionInfo =
        status.getFileEncryptionInfo() == null
            ? null
            : client.getXAttr(RESERVED_RAW + file.path(), ENCRYPTION_INFO);
    return new Attributes(status, acl, extended, encryptionInfo, ownPolicy(client, file, status));
  }

  /**
   * Storage policy that a file does not just have from its directory, or null. The NameNode tells
   * only which is in force; one equal to the directory's is taken as inherited.
   */
  private static String ownPolicy(DFSClient client, Candidate file, HdfsFileStatus status)
      throws IOException {
    String path = file.path();
    String parent = path.lastIndexOf('/') == 0 ? "/" : path.substring(0, path.lastIndexOf('/'));
    HdfsFileStatus directory = client.getFileInfo(parent);
    if (directory == null || directory.getStoragePolicy() == status.getStoragePolicy()) {
      return null;
    }
    return client.getStoragePolicy(file.inodePath()).getName();
  }

  /** Status of the file when they were read. */
  HdfsFileStatus status() {
    return status;
  }

  /** Extended attributes that a client sees. */
  Map<String, byte[]> extended() {
    return Collections.unmodifiableMap(extended);
  }

  /** Makes a temporary file one of its encryption zone, whose bytes are encrypted already. */
  void applyEncryption(DFSClient client, String temporary) throws IOException {
    if (encryptionInfo != null) {
      client.setXAttr(
          temporary, ENCRYPTION_INFO, encryptionInfo, EnumSet.of(XAttrSetFlag.CREATE));
    }
  }

  /**
   * Gives them to another file.
   *
   * @param origin replication to remember, {@link Origin#FORGET} or {@link Origin#KEEP}
   * @param newPolicy storage policy instead of the file's own, or null
   * @param accessedMs the file's access time from before it was read for us
   */
  void apply(DFSClient client, String temporary, int origin, String newPolicy, long accessedMs)
      throws IOException {
    client.setOwner(temporary, status.getOwner(), status.getGroup());
    // The permission with an ACL shows the mask; without it, only the bits themselves.
    client.setPermission(temporary, new FsPermission(status.getPermission().toShort()));
    if (!acl.isEmpty()) {
      client.setAcl(temporary, AclUtil.getAclFromPermAndEntries(status.getPermission(), acl));
    }
    EnumSet<XAttrSetFlag> any = EnumSet.of(XAttrSetFlag.CREATE, XAttrSetFlag.REPLACE);
    for (Map.Entry<String, byte[]> entry : extended.entrySet()) {
      if (origin == Origin.KEEP || !entry.getKey().equals(Origin.ATTRIBUTE)) {
        client.setXAttr(temporary, entry.getKey(), entry.getValue(), any);
      }
    }
    if (origin > 0) {
      client.setXAttr(temporary, Origin.ATTRIBUTE, Origin.of(origin), any);
    }
    String policy = newPolicy == null ? storagePolicy : newPolicy;
    if (policy == null) {
      client.unsetStoragePolicy(temporary);
    } else {
      client.setStoragePolicy(temporary, policy);
    }
    client.setTimes(temporary, status.getModificationTime(), accessedMs);
  }

  /** Tells whether a user has changed nothing; reading a file changes its access time. */
  boolean isSame(Attributes other) {
    return status.getOwner().equals(other.status.getOwner())
        && status.getGroup().equals(other.status.getGroup())
        && status.getPermission().equals(other.status.getPermission())
        && status.getModificationTime() == other.status.getModificationTime()
        && acl.equals(other.acl)
        && Objects.equals(storagePolicy, other.storagePolicy)
        && Arrays.equals(encryptionInfo, other.encryptionInfo)
        && sameExtended(other.extended);
  }

  private boolean sameExtended(Map<String, byte[]> others) {
    if (!extended.keySet().equals(others.keySet())) {
      return false;
    }
    for (Map.Entry<String, byte[]> entry : extended.entrySet()) {
      if (!Arrays.equals(entry.getValue(), others.get(entry.getKey()))) {
        return false;
      }
    }
    return true;
  }
}
