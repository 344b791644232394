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
 * What a file has besides its bytes: owner, permission, ACL, extended attributes, storage policy,
 * times, and the key of an encrypted file. All of it is read by inode number.
 */
public final class Attributes {
  /** Key of an encrypted file, which can be set under {@code /.reserved/raw} only. */
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
   * Reads those of a file.
   *
   * @throws ChangedException if it is gone
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
   * Storage policy that a file does not just have from its directory, or null. The NameNode tells
   * only which is in force; one equal to the directory's is taken as inherited.
   */
  private static String ownPolicy(DFSClient client, String inode, HdfsFileStatus status)
      throws IOException {
    HdfsFileStatus directory = client.getFileInfo(inode + "/..");
    if (directory == null || directory.getStoragePolicy() == status.getStoragePolicy()) {
      return null;
    }
    return client.getStoragePolicy(inode).getName();
  }

  /** The same with another permission, for a file whose permission is changed for a moment. */
  Attributes withPermission(FsPermission other) {
    return new Attributes(status, other, modifiedMs, acl, extended, storagePolicy);
  }

  /** The same with another modification time, for a file that was closed since. */
  Attributes withModification(long otherMs) {
    return new Attributes(status, permission, otherMs, acl, extended, storagePolicy);
  }

  /** Status of the file when they were read. */
  public HdfsFileStatus status() {
    return status;
  }

  /** Permission; with an ACL its group bits are the mask. */
  FsPermission permission() {
    return permission;
  }

  /** Milliseconds since 1970. */
  long modifiedMs() {
    return modifiedMs;
  }

  /** Extended attributes that a client sees. */
  Map<String, byte[]> extended() {
    return Collections.unmodifiableMap(extended);
  }

  /**
   * Makes a temporary file that was just created one of its encryption zone, whose bytes are
   * encrypted already. Fails if it has a key: users may have put another file at its path.
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
   * Gives them to another file, and takes from it what these do not have.
   *
   * @param path of the other file
   * @param origin replication to remember, {@link Origin#FORGET} or {@link Origin#KEEP}
   * @param newPolicy storage policy instead of the file's own, or null
   * @param accessedMs the file's access time from before it was read for us
   */
  void apply(DFSClient client, String path, int origin, String newPolicy, long accessedMs)
      throws IOException {
    client.setOwner(path, status.getOwner(), status.getGroup());
    if (acl.isEmpty() && client.getFileInfo(path).hasAcl()) {
      client.removeAcl(path);
    }
    // The permission with an ACL shows the mask; without it, only the bits themselves.
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
    String policy = storagePolicy(origin, newPolicy);
    if (policy == null) {
      client.unsetStoragePolicy(path);
    } else {
      client.setStoragePolicy(path, policy);
    }
    client.setTimes(path, modifiedMs, accessedMs);
  }

  private Map<String, byte[]> extendedAfter(int origin, String newPolicy) {
    return Origin.carried(extended, origin, storagePolicy, newPolicy);
  }

  /**
   * Tells whether another file has got exactly these rights, attributes and this key.
   *
   * @param other what was read of that file
   * @param origin as in {@link #apply}
   * @param newPolicy as in {@link #apply}
   */
  boolean areOn(Attributes other, int origin, String newPolicy) {
    return hasSameRights(other)
        && modifiedMs == other.modifiedMs
        && isSame(extendedAfter(origin, newPolicy), other.extended);
  }

  /** Storage policy to set on the new file, or null for that of its directory. */
  String storagePolicy(int origin, String newPolicy) {
    if (newPolicy != null) {
      return newPolicy;
    }
    return origin == Origin.FORGET ? Origin.storagePolicy(extended, storagePolicy) : storagePolicy;
  }

  /** Tells whether a user has changed nothing; reading a file changes its access time. */
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

  /** Tells whether a status shows the same owner, group and encryption key. */
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
