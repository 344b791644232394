// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.stripeline.agent.AgentException;

/**
 * Makes a finalized replica available under a second block id. It creates hard links in the
 * volume's directory for temporary replicas, and Hadoop's own {@code finalizeBlock} then moves them
 * and accounts for them.
 *
 * <p>This class takes no locks of the dataset, since these differ between releases; each step takes
 * its own. The source is therefore checked before and after. An append that begins in between is
 * detected then, and one that begins later breaks the link itself. Only an append that looked for
 * links just before this one was created goes undetected: it changes the file of the link too.
 * Callers must therefore hold the lease of the file, or compare its blocks with those they linked
 * once they hold it, and drop the links if these differ.
 */
public final class ReplicaLinker {
  private final FinalizedReplicas replicas;
  private final FsDatasetImpl dataset;
  private final HardLinks links;

  /** Creates a linker for {@code replicas}, which copies if {@code hardLinks} is false. */
  public ReplicaLinker(FinalizedReplicas replicas, boolean hardLinks) {
    this(replicas, HardLinks.wanted(hardLinks));
  }

  ReplicaLinker(FinalizedReplicas replicas, HardLinks links) {
    this.replicas = replicas;
    this.dataset = replicas.dataset();
    this.links = links;
  }

  /**
   * Links {@code source} as {@code target}. An existing link counts as success, since the answer to
   * an earlier call may have been lost.
   *
   * @throws AgentException of kind CHANGED if the source is not exactly as described
   */
  public Made link(ExtendedBlock source, ExtendedBlock target) throws IOException {
    ReplicaInfo from = replicas.require(source);
    try (FsVolumeReference reference = from.getVolume().obtainReference()) {
      FsVolumeImpl volume = (FsVolumeImpl) reference.getVolume();
      if (volume.isTransientStorage() || !from.getBlockURI().getScheme().equals("file")) {
        throw new AgentException(
            AgentException.Kind.FAILED,
            "Cannot link " + source + ": " + volume.getStorageType() + " does not support links");
      }
      ReplicaInfo there = dataset.volumeMap.get(target.getBlockPoolId(), target.getBlockId());
      if (there != null) {
        return existing(source, target, from, there);
      }
      boolean copied = create(volume, from, source, target);
      return new Made(volume, copied, true);
    }
  }

  private Made existing(
      ExtendedBlock source, ExtendedBlock target, ReplicaInfo from, ReplicaInfo there)
      throws IOException {
    boolean same =
        there.getState() == ReplicaState.FINALIZED
            && there.getGenerationStamp() == target.getGenerationStamp()
            && Files.isSameFile(
                new File(from.getBlockURI()).toPath(), new File(there.getBlockURI()).toPath());
    if (!same) {
      throw new AgentException(
          AgentException.Kind.FAILED,
          "Cannot link "
              + source
              + " as "
              + target
              + ": a replica with that name exists, "
              + there.getState()
              + ' '
              + there.getStorageUuid()
              + "; unlink it first");
    }
    return new Made((FsVolumeImpl) there.getVolume(), false, false);
  }

  // The replica must be the same object that was linked: a changed replica is a new object.
  @SuppressWarnings("ReferenceEquality")
  private boolean create(
      FsVolumeImpl volume, ReplicaInfo from, ExtendedBlock source, ExtendedBlock target)
      throws IOException {
    ReplicaInPipeline pipeline = claim(volume, target);
    ReplicaInfo fresh = pipeline.getReplicaInfo();
    boolean done = false;
    try {
      File data = new File(fresh.getBlockURI());
      Files.delete(data.toPath());
      boolean copied = links.linkOrCopy(new File(from.getBlockURI()).toPath(), data.toPath());
      copied |=
          links.linkOrCopy(
              new File(from.getMetadataURI()).toPath(), new File(fresh.getMetadataURI()).toPath());
      fresh.setNumBytes(source.getNumBytes());
      if (replicas.require(source) != from) {
        throw new AgentException(
            AgentException.Kind.CHANGED,
            "Cannot link " + source + ": it changed while it was being linked");
      }
      dataset.finalizeBlock(target, false);
      done = true;
      return copied;
    } catch (NoSuchFileException e) {
      throw new AgentException(
          AgentException.Kind.CHANGED,
          "Cannot link " + source + ": its file " + e.getFile() + " is missing",
          e);
    } finally {
      if (!done) {
        discard(volume, pipeline, target);
      }
    }
  }

  /** Creates an empty temporary replica for the target. Only one of several callers succeeds. */
  private synchronized ReplicaInPipeline claim(FsVolumeImpl volume, ExtendedBlock target)
      throws IOException {
    if (dataset.volumeMap.get(target.getBlockPoolId(), target.getBlockId()) != null) {
      throw new AgentException(
          AgentException.Kind.FAILED, "Cannot link to " + target + ": another call is creating it");
    }
    replicas.requireNoFile(target);
    ReplicaInPipeline pipeline = volume.createTemporary(target);
    dataset.volumeMap.add(target.getBlockPoolId(), pipeline.getReplicaInfo());
    return pipeline;
  }

  /** Removes the files, the map entry, the reservation and the count of a replica. */
  private void discard(FsVolumeImpl volume, ReplicaInPipeline pipeline, ExtendedBlock target)
      throws IOException {
    // Hadoop's own removal of a replica does neither; normally the block receiver does both.
    pipeline.releaseAllBytesReserved();
    volume.onBlockFileDeletion(target.getBlockPoolId(), 0);
    dataset.unfinalizeBlock(target);
  }

  /** The result of a link. */
  public static final class Made {
    private final String storageId;
    private final boolean transientStorage;
    private final boolean copied;
    private final boolean fresh;

    private Made(FsVolumeImpl volume, boolean copied, boolean fresh) {
      this.storageId = volume.getStorageID();
      this.transientStorage = volume.isTransientStorage();
      this.copied = copied;
      this.fresh = fresh;
    }

    /** Returns the storage of the link. */
    public String storageId() {
      return storageId;
    }

    /** Returns whether that storage is transient, for the report to the NameNode. */
    public boolean isTransient() {
      return transientStorage;
    }

    /** Returns whether the bytes were copied. */
    public boolean isCopied() {
      return copied;
    }

    /** Returns whether the link was created by this call, rather than found. */
    public boolean isFresh() {
      return fresh;
    }
  }
}
