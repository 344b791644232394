// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DatanodeUtil;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.protocol.VolumeFailureSummary;
import org.apache.hadoop.io.IOUtils;
import org.stripeline.agent.AgentException;

/**
 * Access to the finalized replicas of a DataNode. Each operation checks the replica's current
 * state.
 */
public final class FinalizedReplicas {
  private final FsDatasetImpl dataset;

  private FinalizedReplicas(FsDatasetImpl dataset) {
    this.dataset = dataset;
  }

  /**
   * Returns the replicas that a DataNode has of a block pool. Before the DataNode has registered
   * for the pool, it may not have found all of its replicas yet.
   *
   * @throws AgentException of kind UNREACHABLE if it has not registered; of kind NO_AGENT if it
   *     uses another dataset implementation
   */
  public static FinalizedReplicas of(DataNode node, String pool) throws AgentException {
    try {
      node.getDNRegistrationForBP(pool);
    } catch (IOException e) {
      throw new AgentException(
          AgentException.Kind.UNREACHABLE,
          "the DataNode has not registered for the block pool " + pool + "; try again later",
          e);
    }
    FsDatasetSpi<?> dataset = node.getFSDataset();
    if (!(dataset instanceof FsDatasetImpl)) {
      throw new AgentException(
          AgentException.Kind.NO_AGENT,
          "replicas are kept by "
              + dataset.getClass().getName()
              + ", not by Hadoop's own; see dfs.datanode.fsdataset.factory");
    }
    return new FinalizedReplicas((FsDatasetImpl) dataset);
  }

  FsDatasetImpl dataset() {
    return dataset;
  }

  /**
   * Checks that a finalized replica with exactly this generation stamp and length exists.
   *
   * @throws AgentException of kind CHANGED if it does not
   */
  public void check(ExtendedBlock block) throws AgentException {
    require(block);
  }

  /** Returns the replica after the same check as {@link #check}. */
  ReplicaInfo require(ExtendedBlock block) throws AgentException {
    ReplicaInfo replica = dataset.volumeMap.get(block.getBlockPoolId(), block.getBlockId());
    if (replica == null) {
      throw changed(block, "this DataNode has no replica of it");
    }
    if (replica.getState() != ReplicaState.FINALIZED) {
      throw changed(block, "its replica is " + replica.getState() + ", not FINALIZED");
    }
    if (replica.getGenerationStamp() != block.getGenerationStamp()) {
      throw changed(block, "its replica has generation stamp " + replica.getGenerationStamp());
    }
    if (replica.getNumBytes() != block.getNumBytes()) {
      throw changed(block, "its replica has " + replica.getNumBytes() + " bytes");
    }
    long onDisk = replica.getBlockDataLength();
    if (onDisk != block.getNumBytes()) {
      throw changed(block, "its file has " + onDisk + " bytes");
    }
    return replica;
  }

  /**
   * Checks that no replica or file with the id of a block exists on this DataNode, and that no
   * deletion of one is pending, which could delete a new replica with that id.
   *
   * @throws AgentException of kind FAILED if one exists
   */
  public void requireAbsent(ExtendedBlock block) throws IOException {
    ReplicaInfo there = dataset.volumeMap.get(block.getBlockPoolId(), block.getBlockId());
    if (there != null) {
      throw taken(
          block,
          "a replica with that name exists, "
              + there.getState()
              + ' '
              + there.getStorageUuid()
              + "; unlink it first");
    }
    requireNoFile(block);
  }

  /** Checks that no file with the name of a block exists; the block must have no replica here. */
  void requireNoFile(ExtendedBlock block) throws IOException {
    File file = fileOf(block);
    if (file != null) {
      // Hadoop 3.3 removes a replica from its map when it queues the deletion of its files.
      throw taken(block, "the deletion of its file " + file + " is pending; try again later");
    }
  }

  private static AgentException taken(ExtendedBlock block, String how) {
    return new AgentException(
        AgentException.Kind.FAILED, "Cannot create a replica of " + block + ": " + how);
  }

  /** Returns the file of a finalized replica of a block on any volume, or null. */
  File fileOf(ExtendedBlock block) throws IOException {
    String pool = block.getBlockPoolId();
    try (FsDatasetSpi.FsVolumeReferences volumes = dataset.getFsVolumeReferences()) {
      for (FsVolumeSpi each : volumes) {
        if (each instanceof FsVolumeImpl && Arrays.asList(each.getBlockPoolList()).contains(pool)) {
          File finalized = ((FsVolumeImpl) each).getFinalizedDir(pool);
          File directory = DatanodeUtil.idToBlockDir(finalized, block.getBlockId());
          File file = new File(directory, block.getBlockName());
          if (file.exists()) {
            return file;
          }
        }
      }
    }
    return null;
  }

  /** Returns the volumes that have failed since the DataNode was started, or null if none has. */
  public VolumeFailureSummary failedVolumes() {
    return dataset.getVolumeFailureSummary();
  }

  private static AgentException changed(ExtendedBlock block, String how) {
    return new AgentException(
        AgentException.Kind.CHANGED,
        "Cannot use " + block + " of " + block.getNumBytes() + " bytes: " + how);
  }

  /** Writes a replica that passes {@link #check} to disk, and drops it from the page cache. */
  public void sync(ExtendedBlock block) throws IOException {
    ReplicaInfo replica = require(block);
    try (FsVolumeReference volume = replica.getVolume().obtainReference()) {
      ReplicaSync.sync(new File(replica.getBlockURI()), new File(replica.getMetadataURI()));
    }
  }

  /**
   * Opens a replica that passes {@link #check}. Its volume cannot be removed until it is closed.
   */
  public Open open(ExtendedBlock block) throws IOException {
    ReplicaInfo replica = require(block);
    FsVolumeReference volume = replica.getVolume().obtainReference();
    InputStream meta = null;
    try {
      meta = dataset.getMetaDataInputStream(block);
      if (meta == null) {
        throw new IOException("Cannot read " + block + ": its file of checksums is missing");
      }
      InputStream data = dataset.getBlockInputStream(block, 0);
      return new Open(replica.getStorageUuid(), volume, data, new DataInputStream(meta));
    } catch (IOException | RuntimeException e) {
      IOUtils.cleanupWithLogger(null, meta, volume);
      throw e;
    }
  }

  /** The open files of one replica. */
  public static final class Open implements Closeable {
    private final String storageId;
    private final FsVolumeReference volume;
    private final InputStream data;
    private final DataInputStream meta;

    private Open(
        String storageId, FsVolumeReference volume, InputStream data, DataInputStream meta) {
      this.storageId = storageId;
      this.volume = volume;
      this.data = data;
      this.meta = meta;
    }

    /** Returns the storage of the replica. */
    public String storageId() {
      return storageId;
    }

    /** Returns the bytes of the block. */
    public InputStream data() {
      return data;
    }

    /** Returns the checksum file, including its header. */
    public DataInputStream meta() {
      return meta;
    }

    @Override
    public void close() {
      IOUtils.cleanupWithLogger(null, data, meta, volume);
    }
  }
}
