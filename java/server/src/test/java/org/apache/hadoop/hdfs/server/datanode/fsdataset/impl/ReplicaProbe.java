// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DatanodeUtil;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.util.DataChecksum;

/** Gives access to non-public state of a DataNode's replicas. */
public final class ReplicaProbe {
  private final DataNode node;
  private final String pool;

  public ReplicaProbe(DataNode node, String pool) {
    this.node = node;
    this.pool = pool;
  }

  private ReplicaInfo replica(long id) {
    return ((FsDatasetImpl) node.getFSDataset()).volumeMap.get(pool, id);
  }

  /** Returns the state of the replica of a block, or null if there is none. */
  public String state(long id) {
    ReplicaInfo replica = replica(id);
    return replica == null ? null : replica.getState().name();
  }

  public boolean isThere(ExtendedBlock block) {
    return replica(block.getBlockId()) != null;
  }

  public File file(long id) {
    return new File(replica(id).getBlockURI());
  }

  public File meta(long id) {
    return new File(replica(id).getMetadataURI());
  }

  public String storage(long id) {
    return replica(id).getStorageUuid();
  }

  /** Gives up the volume of a replica like a DataNode whose check of it failed; the files stay. */
  public void failVolume(long id) {
    FsVolumeSpi volume = replica(id).getVolume();
    node.getFSDataset().handleVolumeFailures(Collections.singleton(volume));
    node.getFSDataset().removeVolumes(Collections.singleton(volume.getStorageLocation()), false);
  }

  /** Adds a finalized replica without bytes, unknown to the NameNode. */
  public void addEmpty(long id, long generationStamp) throws IOException {
    try (FsDatasetSpi.FsVolumeReferences volumes = node.getFSDataset().getFsVolumeReferences()) {
      FsVolumeImpl volume = (FsVolumeImpl) volumes.get(0);
      File directory = DatanodeUtil.idToBlockDir(volume.getFinalizedDir(pool), id);
      FinalizedReplica replica = new FinalizedReplica(id, 0, generationStamp, volume, directory);
      Files.createDirectories(directory.toPath());
      Files.createFile(new File(replica.getBlockURI()).toPath());
      DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
      try (DataOutputStream out =
          new DataOutputStream(
              Files.newOutputStream(new File(replica.getMetadataURI()).toPath()))) {
        BlockMetadataHeader.writeHeader(out, checksum);
      }
      ((FsDatasetImpl) node.getFSDataset()).volumeMap.add(pool, replica);
    }
  }

  /** Returns the number of hard links to a replica's file. */
  public int names(long id) throws IOException {
    return (Integer) Files.getAttribute(file(id).toPath(), "unix:nlink");
  }

  /**
   * Returns the counts and temporary files of the volumes. Hadoop's block receivers do not
   * decrement the number of blocks when they abort; the agent's links do.
   */
  public Held held() throws IOException {
    long reserved = 0;
    long blocks = 0;
    List<String> temporary = new ArrayList<>();
    try (FsDatasetSpi.FsVolumeReferences volumes = node.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi each : volumes) {
        FsVolumeImpl volume = (FsVolumeImpl) each;
        reserved += volume.getReservedForReplicas();
        blocks += volume.getNumBlocks();
        Path tmp = volume.getTmpDir(pool).toPath();
        try (Stream<Path> files = Files.list(tmp)) {
          files.forEach(file -> temporary.add(file.getFileName().toString()));
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    int replicas = ((FsDatasetImpl) node.getFSDataset()).volumeMap.size(pool);
    return new Held(reserved, blocks, replicas, temporary);
  }

  /**
   * Returns the number of references to the volumes; a volume with references cannot be removed.
   */
  public int users() throws IOException {
    int users = 0;
    try (FsDatasetSpi.FsVolumeReferences volumes = node.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        // One of them is held by this method.
        users += ((FsVolumeImpl) volume).getReferenceCount() - 1;
      }
    }
    return users;
  }

  /** Returns the directories for temporary replicas of all volumes. */
  public List<Path> temporaryDirectories() throws IOException {
    List<Path> directories = new ArrayList<>();
    try (FsDatasetSpi.FsVolumeReferences volumes = node.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        directories.add(((FsVolumeImpl) volume).getTmpDir(pool).toPath());
      }
    }
    return directories;
  }

  /** What a DataNode holds: space reserved, replicas, and files of unfinished ones. */
  public static final class Held {
    public final long reserved;
    public final long blocks;
    public final int replicas;
    public final List<String> temporary;

    private Held(long reserved, long blocks, int replicas, List<String> temporary) {
      this.reserved = reserved;
      this.blocks = blocks;
      this.replicas = replicas;
      this.temporary = temporary;
    }

    @Override
    public String toString() {
      return reserved + " bytes reserved, " + replicas + " replicas, temporary " + temporary;
    }
  }
}
