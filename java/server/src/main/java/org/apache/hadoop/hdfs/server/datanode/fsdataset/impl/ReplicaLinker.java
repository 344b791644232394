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
 * Makes a finalized replica appear under a second block id: hard links in the volume's directory
 * for temporary replicas, which Hadoop's own {@code finalizeBlock} then moves and accounts for.
 *
 * <p>No lock of the dataset is taken here, since what they are differs between releases; each step
 * takes its own. The source is therefore checked before and after. An append that begins in between
 * is seen then, and one that begins later breaks the link itself; but one that has looked for links
 * just before this one was made goes unseen. So whoever asks for a link holds the lease of the
 * file, which keeps appends away.
 */
public final class ReplicaLinker {
  private final FinalizedReplicas replicas;
  private final FsDatasetImpl dataset;
  private final HardLinks links;

  /** Links replicas of {@code replicas}, by copies if {@code hardLinks} is false. */
  public ReplicaLinker(FinalizedReplicas replicas, boolean hardLinks) {
    this(replicas, HardLinks.wanted(hardLinks));
  }

  ReplicaLinker(FinalizedReplicas replicas, HardLinks links) {
    this.replicas = replicas;
    this.dataset = replicas.dataset();
    this.links = links;
  }

  /**
   * Makes {@code target} the same bytes as {@code source}. A link that is there already, as after
   * an answer that was lost, is as good as a new one.
   *
   * @throws AgentException of kind CHANGED if the source is not exactly as said
   */
  public Made link(ExtendedBlock source, ExtendedBlock target) throws IOException {
    ReplicaInfo from = replicas.require(source);
    try (FsVolumeReference reference = from.getVolume().obtainReference()) {
      FsVolumeImpl volume = (FsVolumeImpl) reference.getVolume();
      if (volume.isTransientStorage() || !from.getBlockURI().getScheme().equals("file")) {
        throw new AgentException(
            AgentException.Kind.FAILED,
            "Cannot link " + source + ": " + volume.getStorageType() + " makes no links");
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
              + ": there is another replica of that name, "
              + there.getState()
              + ' '
              + there.getStorageUuid()
              + "; unlink it first");
    }
    return new Made((FsVolumeImpl) there.getVolume(), false, false);
  }

  // The replica must be the very object that was linked: a changed one is another object.
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
            AgentException.Kind.CHANGED, "Cannot link " + source + ": it changed meanwhile");
      }
      dataset.finalizeBlock(target, false);
      done = true;
      return copied;
    } catch (NoSuchFileException e) {
      throw new AgentException(
          AgentException.Kind.CHANGED,
          "Cannot link " + source + ": its file " + e.getFile() + " is gone",
          e);
    } finally {
      if (!done) {
        discard(volume, pipeline, target);
      }
    }
  }

  /** Of several callers only one gets the name; the volume has an empty file of it then. */
  private synchronized ReplicaInPipeline claim(FsVolumeImpl volume, ExtendedBlock target)
      throws IOException {
    if (dataset.volumeMap.get(target.getBlockPoolId(), target.getBlockId()) != null) {
      throw new AgentException(
          AgentException.Kind.FAILED, "Cannot link to " + target + ": somebody else just does");
    }
    replicas.requireNoFile(target);
    ReplicaInPipeline pipeline = volume.createTemporary(target);
    dataset.volumeMap.add(target.getBlockPoolId(), pipeline.getReplicaInfo());
    return pipeline;
  }

  /** Leaves neither file nor entry nor reservation nor count. */
  private void discard(FsVolumeImpl volume, ReplicaInPipeline pipeline, ExtendedBlock target)
      throws IOException {
    // Hadoop's own removal gives neither back; the receiver of a block does it beside.
    pipeline.releaseAllBytesReserved();
    volume.onBlockFileDeletion(target.getBlockPoolId(), 0);
    dataset.unfinalizeBlock(target);
  }

  /** What a link has become. */
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

    /** Returns the storage on which it is. */
    public String storageId() {
      return storageId;
    }

    /** Returns whether that storage forgets; the NameNode wants to know. */
    public boolean isTransient() {
      return transientStorage;
    }

    /** Returns whether bytes were copied. */
    public boolean isCopied() {
      return copied;
    }

    /** Returns whether it was made now, and not found. */
    public boolean isFresh() {
      return fresh;
    }
  }
}
