// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileEncryptionInfo;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclUtil;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.settings.Origin;

/**
 * The attributes of a file besides its bytes: owner, permission, ACL, extended attributes, storage
 * policy, times, and the key of an encrypted file. All of them are read by inode id.
 */
public final class Attributes {
  /** Key of an encrypted file, which can only be set below {@code /.reserved/raw}. */
  private static final String ENCRYPTION_INFO = "raw.hdfs.crypto.file.encryption.info";

  private static final EnumSet<XAttrSetFlag> SET =
      EnumSet.of(XAttrSetFlag.CREATE, XAttrSetFlag.REPLACE);

  private final HdfsFileStatus status;
  private final FsPermission permission;
  private final long modifiedMs;
  private final List<AclEntry> acl;
  private final Map<String, byte[]> extended;
  private final String storagePolicy;

  private Attributes(
      HdfsFileStatus status,
      FsPermission permission,
      long modifiedMs,
      List<AclEntry> acl,
      Map<String, byte[]> extended,
      String storagePolicy) {
    this.status = status;
    this.permission = permission;
    this.modifiedMs = modifiedMs;
    this.acl = acl;
    this.extended = extended;
    this.storagePolicy = storagePolicy;
  }

  /**
   * Reads the attributes of a file.
   *
   * @throws ChangedException if the file is gone
   */
  static Attributes read(DFSClient client, long fileId) throws IOException {
    String inode = InodePath.of(fileId);
    HdfsFileStatus status = InodePath.status(client, fileId);
    if (status == null) {
      throw new ChangedException("it was deleted or replaced");
    }
    List<AclEntry> acl =
        status.hasAcl() ? client.getAclStatus(inode).getEntries() : Collections.emptyList();
    Map<String, byte[]> extended = new TreeMap<>(client.getXAttrs(inode));
    return new Attributes(
        status,
        new FsPermission(status.getPermission().toShort()),
        status.getModificationTime(),
        acl,
        extended,
        ownPolicy(client, inode, status));
  }

  /**
   * Returns the storage policy that is set on the file itself, or null. The NameNode only returns
   * the effective policy, so a policy equal to that of the directory counts as inherited.
   */
  private static String ownPolicy(DFSClient client, String inode, HdfsFileStatus status)
      throws IOException {
    HdfsFileStatus directory = client.getFileInfo(inode + "/..");
    if (directory == null || directory.getStoragePolicy() == status.getStoragePolicy()) {
      return null;
    }
    return client.getStoragePolicy(inode).getName();
  }

  /**
   * Returns these attributes with another permission, for a file whose permission is changed
   * temporarily.
   */
  Attributes withPermission(FsPermission other) {
    return new Attributes(status, other, modifiedMs, acl, extended, storagePolicy);
  }

  /** Returns these attributes with another modification time, for a file that was closed since. */
  Attributes withModification(long otherMs) {
    return new Attributes(status, permission, otherMs, acl, extended, storagePolicy);
  }

  /** Returns the status of the file when the attributes were read. */
  public HdfsFileStatus status() {
    return status;
  }

  /** Returns the permission; if the file has an ACL, the group bits are the mask. */
  FsPermission permission() {
    return permission;
  }

  /** Returns the modification time in milliseconds since 1970. */
  long modifiedMs() {
    return modifiedMs;
  }

  /** Returns the extended attributes that are visible to clients. */
  Map<String, byte[]> extended() {
    return Collections.unmodifiableMap(extended);
  }

  /**
   * Sets the encryption key of the original on a temporary file that was just created and will
   * receive already encrypted bytes. Fails if the file at the path has a key, since a user may have
   * put another file there.
   *
   * @param rawPath path of that file under {@code /.reserved/raw}
   */
  public void applyEncryption(DFSClient client, String rawPath) throws IOException {
    FileEncryptionInfo info = status.getFileEncryptionInfo();
    if (info != null) {
      byte[] value = PBHelperClient.convertPerFileEncInfo(info).toByteArray();
      client.setXAttr(rawPath, ENCRYPTION_INFO, value, EnumSet.of(XAttrSetFlag.CREATE));
    }
  }

  /**
   * Sets these attributes on another file, and removes the ACL and extended attributes that are not
   * among them.
   *
   * @param path path of the other file
   * @param origin replication to record, {@link Origin#FORGET} or {@link Origin#KEEP}
   * @param newPolicy storage policy to set instead of the file's own, or null
   * @param accessedMs access time of the file before the conversion read it
   */
  void apply(DFSClient client, String path, int origin, String newPolicy, long accessedMs)
      throws IOException {
    client.setOwner(path, status.getOwner(), status.getGroup());
    if (acl.isEmpty() && client.getFileInfo(path).hasAcl()) {
      client.removeAcl(path);
    }
    // With an ACL, the permission shows the mask; without one, the permission bits.
    client.setPermission(path, permission);
    if (!acl.isEmpty()) {
      client.setAcl(path, AclUtil.getAclFromPermAndEntries(permission, acl));
    }
    Map<String, byte[]> wanted = extendedAfter(origin, newPolicy);
    for (String name : client.getXAttrs(path).keySet()) {
      if (!wanted.containsKey(name)) {
        client.removeXAttr(path, name);
      }
    }
    for (Map.Entry<String, byte[]> entry : wanted.entrySet()) {
      client.setXAttr(path, entry.getKey(), entry.getValue(), SET);
    }
    StoragePolicies.set(client, path, storagePolicy(origin, newPolicy));
    client.setTimes(path, modifiedMs, accessedMs);
  }

  private Map<String, byte[]> extendedAfter(int origin, String newPolicy) {
    return Origin.carried(extended, origin, storagePolicy, newPolicy);
  }

  /**
   * Returns whether another file has exactly these rights, these attributes and this key.
   *
   * @param other attributes that were read from that file
   * @param origin as in {@link #apply}
   * @param newPolicy as in {@link #apply}
   */
  boolean areOn(Attributes other, int origin, String newPolicy) {
    return hasSameRights(other)
        && modifiedMs == other.modifiedMs
        && isSame(extendedAfter(origin, newPolicy), other.extended);
  }

  /**
   * Returns the storage policy to set on the new file, or null to inherit that of its directory.
   */
  String storagePolicy(int origin, String newPolicy) {
    if (newPolicy != null) {
      return newPolicy;
    }
    return origin == Origin.FORGET ? Origin.storagePolicy(extended, storagePolicy) : storagePolicy;
  }

  /**
   * Returns whether no user has changed the attributes. The access time is ignored, since reading a
   * file changes it.
   */
  boolean isSame(Attributes other) {
    return hasSameRights(other)
        && modifiedMs == other.modifiedMs
        && status.getReplication() == other.status.getReplication()
        && Objects.equals(storagePolicy, other.storagePolicy)
        && isSame(extended, other.extended);
  }

  private boolean hasSameRights(Attributes other) {
    return isSameIn(other.status) && permission.equals(other.permission) && acl.equals(other.acl);
  }

  /** Returns whether a status has the same owner, group and encryption key. */
  boolean isSameIn(HdfsFileStatus other) {
    return status.getOwner().equals(other.getOwner())
        && status.getGroup().equals(other.getGroup())
        && isSame(status.getFileEncryptionInfo(), other.getFileEncryptionInfo());
  }

  private static boolean isSame(FileEncryptionInfo one, FileEncryptionInfo other) {
    if (one == null || other == null) {
      return one == other;
    }
    return one.getCipherSuite() == other.getCipherSuite()
        && one.getCryptoProtocolVersion() == other.getCryptoProtocolVersion()
        && one.getKeyName().equals(other.getKeyName())
        && one.getEzKeyVersionName().equals(other.getEzKeyVersionName())
        && Arrays.equals(one.getIV(), other.getIV())
        && Arrays.equals(
            one.getEncryptedDataEncryptionKey(), other.getEncryptedDataEncryptionKey());
  }

  private static boolean isSame(Map<String, byte[]> one, Map<String, byte[]> other) {
    if (!one.keySet().equals(other.keySet())) {
      return false;
    }
    for (Map.Entry<String, byte[]> entry : one.entrySet()) {
      if (!Arrays.equals(entry.getValue(), other.get(entry.getKey()))) {
        return false;
      }
    }
    return true;
  }
}
