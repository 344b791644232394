// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.QuarantinedReplica;
import org.stripeline.server.datanode.AgentCount;
import org.stripeline.server.datanode.AgentKeys;
import org.stripeline.server.datanode.AgentMetrics;
import org.stripeline.server.datanode.AgentSettings;

/**
 * Keeps wrong replicas for a limited time: hard links to their files in a directory of the same
 * storage, {@code STORAGE/stripeline-quarantine/POOL/BLOCK_STAMP-MILLIS/}.
 */
public final class Quarantine {
  private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);

  /** The directory beside {@code current}, where no scanner of Hadoop looks. */
  static final String DIRECTORY = "stripeline-quarantine";

  /** Names of directories that are deleted; operators may keep others beside them. */
  private static final Pattern NAME = Pattern.compile("blk_-?\\d+_\\d+-(\\d{1,18})");

  private static final long WAIT_SECONDS = 3;
  private static final long EXPIRE_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final DataNode dataNode;
  private final AgentMetrics metrics;
  private final Remover remover;
  private final long bytesMax;
  private final long keptMillis;
  private final Clock clock;

  /** Held while files are linked, removed or deleted, for ever if a disk hangs. */
  private final ReentrantLock lock = new ReentrantLock();

  /** When what is old enough was last deleted on all storages. Written under the lock. */
  private volatile long expiredMillis;

  /** Removes replicas of the DataNode, and reports that to the NameNode. */
  public interface Remover {
    /** Returns whether the replica existed. */
    boolean remove(ExtendedBlock block) throws IOException;
  }

  /** Creates the quarantine of a DataNode, which may not have registered yet. */
  public Quarantine(
      DataNode dataNode,
      AgentMetrics metrics,
      Remover remover,
      AgentSettings settings,
      Clock clock) {
    this.remover = remover;
    this.dataNode = dataNode;
    this.metrics = metrics;
    this.clock = clock;
    bytesMax = settings.quarantineBytes;
    keptMillis = settings.quarantineMillis;
    expiredMillis = clock.millis();
  }

  /**
   * Keeps a replica.
   *
   * @param block the block; its length is not compared
   * @param remove whether to remove the replica, which an earlier call must have kept
   * @throws AgentException of kind CHANGED if the replica is not finalized, has another generation
   *     stamp or changes during the call; of kind FAILED if the quarantine is full; of kind BUSY
   *     while another call hangs
   */
  public QuarantinedReplica keep(String pool, AgentBlock block, boolean remove) throws IOException {
    if (!tryLock()) {
      throw new AgentException(
          AgentException.Kind.BUSY,
          "Cannot keep "
              + block
              + " now: another call works on the quarantine, as when a disk hangs; try again"
              + " later");
    }
    try {
      return keepNow(pool, block, remove);
    } finally {
      lock.unlock();
    }
  }

  /** Waits as long as a call to a working disk takes: one to a disk that hangs never ends. */
  private boolean tryLock() {
    try {
      return lock.tryLock(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private QuarantinedReplica keepNow(String pool, AgentBlock block, boolean remove)
      throws IOException {
    ReplicaView replica = ReplicaView.of(dataNode, pool, block.id);
    if (replica == null) {
      return new QuarantinedReplica(null, 0, false);
    }
    if (!replica.isFinalized() || replica.generationStamp() != block.generationStamp) {
      throw new AgentException(
          AgentException.Kind.CHANGED, "Cannot keep " + block + ": the replica is " + replica);
    }
    try (FsVolumeReference volume = replica.holdVolume()) {
      Path own = replica.storageDirectory().resolve(DIRECTORY);
      expire(own);
      Path kept = find(own.resolve(pool), replica);
      if (kept == null && remove) {
        // It may be a right one that has replaced the wrong one since that call.
        throw new AgentException(
            AgentException.Kind.CHANGED,
            "Cannot remove " + block + ": this replica is not in quarantine; keep it first");
      }
      if (kept == null) {
        kept = link(own, pool, replica);
      }
      if (!replica.equals(ReplicaView.of(dataNode, pool, block.id))) {
        throw new AgentException(
            AgentException.Kind.CHANGED,
            "Cannot keep " + block + ": the replica changed during the call, it was " + replica);
      }
      boolean isRemoved = remove && remove(pool, block, replica);
      return new QuarantinedReplica(kept.toString(), replica.fileLength(), isRemoved);
    }
  }

  private boolean remove(String pool, AgentBlock block, ReplicaView replica) throws IOException {
    ExtendedBlock found =
        new ExtendedBlock(pool, block.id, replica.length(), replica.generationStamp());
    LOG.warn("Removing {}, which a repair found to be wrong; it is in quarantine", replica.data());
    return remover.remove(found);
  }

  private static String prefix(ReplicaView replica) {
    return replica.data().getFileName() + "_" + replica.generationStamp() + "-";
  }

  /** Returns the directory of a replica that is kept already, with both files, or null. */
  private static Path find(Path directory, ReplicaView replica) throws IOException {
    for (Path entry : list(directory)) {
      // A DataNode that ended between the two links left one without checksums.
      boolean hasMeta = Files.exists(entry.resolve(replica.meta().getFileName()));
      Path data = entry.resolve(replica.data().getFileName());
      // A file that is missing may be what is wrong with the replica.
      boolean isWithoutData = replica.fileLength() < 0 && !Files.exists(data);
      if (entry.getFileName().toString().startsWith(prefix(replica))
          && (isWithoutData || replica.isFile(data))
          && (hasMeta || !Files.exists(replica.meta()))) {
        return entry;
      }
    }
    return null;
  }

  private Path link(Path own, String pool, ReplicaView replica) throws IOException {
    long used = bytes(own);
    long bytes = Math.max(0, replica.fileLength());
    if (bytes > bytesMax - used) {
      throw new AgentException(
          AgentException.Kind.FAILED,
          "Cannot keep "
              + replica.data()
              + " of "
              + bytes
              + " bytes: "
              + own
              + " has "
              + used
              + " bytes, and "
              + AgentKeys.QUARANTINE_SIZE
              + " is "
              + bytesMax
              + "; delete what is not needed there, or raise the limit");
    }
    Path parent = Files.createDirectories(own.resolve(pool));
    Path directory = Files.createDirectory(parent.resolve(prefix(replica) + clock.millis()));
    try {
      linkIfThere(replica.data(), directory);
      linkIfThere(replica.meta(), directory);
      for (Path path : new Path[] {directory, parent, own, own.getParent()}) {
        sync(path);
      }
    } catch (IOException | RuntimeException e) {
      FileUtil.fullyDelete(directory.toFile());
      throw e;
    }
    metrics.add(AgentCount.QUARANTINED, 1);
    LOG.warn("{} is kept in {}", replica, directory);
    return directory;
  }

  private static void linkIfThere(Path file, Path directory) throws IOException {
    try {
      Files.createLink(directory.resolve(file.getFileName()), file);
    } catch (NoSuchFileException e) {
      LOG.warn("{} does not exist", file);
    }
  }

  private static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static long bytes(Path own) throws IOException {
    if (!Files.isDirectory(own)) {
      return 0;
    }
    try (Stream<Path> files = Files.walk(own)) {
      return files.map(Path::toFile).filter(File::isFile).mapToLong(File::length).sum();
    }
  }

  private static List<Path> list(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return new ArrayList<>();
    }
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.collect(Collectors.toList());
    }
  }

  /**
   * Deletes what was kept long enough on all storages, if that was not done within an hour and no
   * other call works on the quarantine, which may wait for a disk that hangs.
   */
  public void expireHourly() {
    if (clock.millis() - expiredMillis < EXPIRE_MILLIS || !lock.tryLock()) {
      return;
    }
    try {
      expiredMillis = clock.millis();
      expireAll();
    } finally {
      lock.unlock();
    }
  }

  private void expireAll() {
    FsDatasetSpi<?> dataset = dataNode.getFSDataset();
    if (dataset == null) {
      return;
    }
    try (FsDatasetSpi.FsVolumeReferences volumes = dataset.getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        if ("file".equals(volume.getBaseURI().getScheme())) {
          expireOrWarn(new File(volume.getBaseURI()).toPath().resolve(DIRECTORY));
        }
      }
    } catch (IOException e) {
      LOG.warn("Cannot delete what was in quarantine long enough", e);
    }
  }

  /** A storage that cannot be read must not keep those after it from being cleaned. */
  private void expireOrWarn(Path own) {
    try {
      expire(own);
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("Cannot delete what was in {} long enough", own, e);
    }
  }

  private void expire(Path own) throws IOException {
    for (Path pool : list(own)) {
      for (Path entry : list(pool)) {
        Matcher name = NAME.matcher(entry.getFileName().toString());
        if (name.matches() && clock.millis() - Long.parseLong(name.group(1)) > keptMillis) {
          LOG.info("Deleting {}, which was in quarantine long enough", entry);
          FileUtil.fullyDelete(entry.toFile());
        }
      }
    }
  }
}
