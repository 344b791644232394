// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.stripeline.agent.AgentException;

/**
 * What a replica was at one time, whatever its state. Two views are equal only if the replica was
 * not changed or replaced between them.
 */
public final class ReplicaView {
  private final ReplicaInfo replica;
  private final ReplicaState state;
  private final long generationStamp;
  private final long length;
  private final String storageId;
  private final Path data;
  private final Path meta;

  /** The length of the file; -1 if there is none. */
  private final long fileLength;

  private final long modified;

  /** Identifies the file (the inode); null if there is none, or the file system has no keys. */
  private final Object fileKey;

  private ReplicaView(ReplicaInfo replica) throws AgentException {
    this.replica = replica;
    state = replica.getState();
    generationStamp = replica.getGenerationStamp();
    length = replica.getNumBytes();
    storageId = replica.getStorageUuid();
    data = local(replica.getBlockURI());
    meta = local(replica.getMetadataURI());
    long bytes = -1;
    long millis = 0;
    Object key = null;
    try {
      BasicFileAttributes file = Files.readAttributes(data, BasicFileAttributes.class);
      bytes = file.size();
      millis = file.lastModifiedTime().toMillis();
      key = file.fileKey();
    } catch (IOException e) {
      // Reported as a file that is missing; opening it will tell the reason.
    }
    fileLength = bytes;
    modified = millis;
    fileKey = key;
  }

  /**
   * Returns the replica that a DataNode has of a block now, or null if it has none.
   *
   * @throws AgentException if the DataNode has not registered for the block pool yet, or its
   *     replicas are not files
   */
  public static ReplicaView of(DataNode node, String pool, long block) throws AgentException {
    FsDatasetImpl dataset = FinalizedReplicas.of(node, pool).dataset();
    ReplicaInfo replica = dataset.volumeMap.get(pool, block);
    return replica == null ? null : new ReplicaView(replica);
  }

  private static Path local(URI uri) throws AgentException {
    if (!"file".equals(uri.getScheme())) {
      throw new AgentException(
          AgentException.Kind.FAILED, "the replica is no file of this DataNode: " + uri);
    }
    return new File(uri).toPath();
  }

  /** Returns the state, a name of Hadoop's {@code ReplicaState}. */
  public String state() {
    return state.name();
  }

  /** Returns whether the replica is complete. */
  public boolean isFinalized() {
    return state == ReplicaState.FINALIZED;
  }

  /** Returns the generation stamp. */
  public long generationStamp() {
    return generationStamp;
  }

  /** Returns the length according to the DataNode's map. */
  public long length() {
    return length;
  }

  /** Returns the length of the file, or -1 if there is none. */
  public long fileLength() {
    return fileLength;
  }

  /** Returns when the file was last modified, in milliseconds since 1970; 0 if there is none. */
  public long modified() {
    return modified;
  }

  /** Returns whether a file is the one of the replica, perhaps by another name. */
  public boolean isFile(Path file) throws IOException {
    return fileLength >= 0 && Files.exists(file) && Files.isSameFile(data, file);
  }

  /** Returns the storage, which is one directory of the DataNode, usually of a disk of its own. */
  public String storageId() {
    return storageId;
  }

  /** Returns the directory of the storage, which contains {@code current}. */
  public Path storageDirectory() throws AgentException {
    return local(replica.getVolume().getBaseURI());
  }

  /** Returns the block file. */
  public Path data() {
    return data;
  }

  /** Returns the checksum file. */
  public Path meta() {
    return meta;
  }

  /**
   * Prevents that the volume is removed until the reference is closed.
   *
   * @throws IOException if it is being removed
   */
  public FsVolumeReference holdVolume() throws IOException {
    return replica.getVolume().obtainReference();
  }

  @Override
  public boolean equals(Object object) {
    if (!(object instanceof ReplicaView)) {
      return false;
    }
    ReplicaView other = (ReplicaView) object;
    return state == other.state
        && generationStamp == other.generationStamp
        && length == other.length
        && fileLength == other.fileLength
        && storageId.equals(other.storageId)
        && data.equals(other.data)
        && meta.equals(other.meta)
        && Objects.equals(fileKey, other.fileKey);
  }

  @Override
  public int hashCode() {
    return Objects.hash(data, generationStamp, length);
  }

  @Override
  public String toString() {
    return data.getFileName()
        + " in state "
        + state
        + " with generation stamp "
        + generationStamp
        + " and "
        + length
        + " bytes ("
        + fileLength
        + " in its file)";
  }
}
