// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.security.AccessControlException;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.Futures;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.select.FileChecks;
import org.stripeline.terminal.DaemonThreads;
import org.stripeline.terminal.Quantity;

/**
 * Reads the files of a tree from a live NameNode, with the locations of their blocks. Holds one
 * page of a directory listing for each level of the tree.
 */
public final class NameNodeSource implements FileSource {
  private static final int NAMED_MAX = 5;

  /** Calls of the NameNode at the same time: each waits for an answer most of its time. */
  private static final int CALLS_MAX = 16;

  /** Files that wait for those before them; enough to keep all calls busy. */
  private static final int WAITING_MAX = 16 * CALLS_MAX;

  /** Blocks of the files that wait: each takes about a KiB, and a file can have very many. */
  private static final int WAITING_BLOCKS_MAX = 4096;

  /** Directories that were not read, or not completely. */
  private static final class Missed {
    private final List<String> named = new ArrayList<>();
    private long count;

    void add(Path directory) {
      count++;
      if (named.size() < NAMED_MAX) {
        named.add(directory.toUri().getPath());
      }
    }

    void note(List<String> notes, String what, String advice) {
      if (count > 0) {
        notes.add(
            Quantity.counted(count, "directory", "directories")
                + what
                + named
                + (count > named.size() ? " ..." : "")
                + advice);
      }
    }
  }

  /** Receives each file together with the status that the NameNode returned. */
  public interface Visitor {
    /** Receives a file that was listed with its blocks. */
    void visit(HdfsLocatedFileStatus status, String path);
  }

  private final DistributedFileSystem fs;
  private final Path root;
  private final ClusterView cluster;
  private final SnapshotTimes snapshots;
  private final FileChecks checks;
  private final List<String> notes = new ArrayList<>();
  private final Missed unreadable = new Missed();
  private final Missed gone = new Missed();

  /**
   * Creates a source.
   *
   * @param root file or directory, whose absence {@link #stream} reports
   * @param cluster receives the nodes of all blocks
   * @param snapshots the times of the snapshots that may hold blocks of the files
   * @param checks the rules that need further calls; null if the user may not make these calls
   */
  public NameNodeSource(
      DistributedFileSystem fs,
      Path root,
      ClusterView cluster,
      SnapshotTimes snapshots,
      FileChecks checks) {
    this.fs = fs;
    this.root = root;
    this.cluster = cluster;
    this.snapshots = snapshots;
    this.checks = checks;
  }

  @Override
  public void stream(Sink sink) throws IOException {
    PlannedFile file = new PlannedFile();
    Deque<Listed> waiting = new ArrayDeque<>();
    int[] blocks = new int[1];
    ExecutorService threads =
        Executors.newFixedThreadPool(CALLS_MAX, DaemonThreads.named("stripeline-plan-check"));
    try {
      walk(
          (status, path) -> {
            fill(file, status, path);
            if (checks == null) {
              sink.accept(file);
              return;
            }
            Listed listed = new Listed(status, path);
            if (sink.needsChecks(file)) {
              listed.answer = threads.submit(() -> check(listed));
            }
            waiting.add(listed);
            blocks[0] += listed.blocks();
            while (waiting.size() > WAITING_MAX || blocks[0] > WAITING_BLOCKS_MAX) {
              blocks[0] -= waiting.getFirst().blocks();
              pass(waiting.remove(), file, sink);
            }
          });
      while (!waiting.isEmpty()) {
        pass(waiting.remove(), file, sink);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } finally {
      threads.shutdownNow();
    }
  }

  /** A file whose checks are under way. */
  private static final class Listed {
    final HdfsLocatedFileStatus status;
    final String path;

    /** Null if the file is not checked. */
    Future<SkipReason> answer;

    /** Set before the answer is known. */
    boolean isKept;

    Listed(HdfsLocatedFileStatus status, String path) {
      this.status = status;
      this.path = path;
    }

    int blocks() {
      return status.getLocatedBlocks().locatedBlockCount();
    }
  }

  private void pass(Listed listed, PlannedFile file, Sink sink) {
    fill(file, listed.status, listed.path);
    if (listed.answer != null) {
      file.checks =
          () -> {
            SkipReason reason = answer(listed.answer);
            file.isInSnapshot = listed.isKept;
            return reason;
          };
    }
    sink.accept(file);
  }

  private static SkipReason answer(Future<SkipReason> answer) {
    try {
      return Futures.get(answer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SkipReason check(Listed listed) throws IOException {
    long fileId = listed.status.getFileId();
    try {
      SkipReason reason = checks.reason(listed.path, fileId);
      listed.isKept = reason == null && checks.isKept(listed.path, fileId);
      return reason;
    } catch (IOException e) {
      if (!InodePath.isGone(e)) {
        throw e;
      }
      // A file that was deleted during the listing no longer matters.
      return null;
    }
  }

  /** Visits all files of the tree; records the directories that may not be read, or are gone. */
  public void walk(Visitor visitor) throws IOException {
    Deque<RemoteIterator<LocatedFileStatus>> open = new ArrayDeque<>();
    Deque<Path> paths = new ArrayDeque<>();
    enter(root, open, paths);
    while (!open.isEmpty()) {
      LocatedFileStatus status = null;
      try {
        RemoteIterator<LocatedFileStatus> listing = open.peek();
        status = listing.hasNext() ? listing.next() : null;
      } catch (AccessControlException | FileNotFoundException e) {
        miss(paths.peek(), e);
      }
      if (status == null) {
        open.pop();
        paths.pop();
      } else if (status.isDirectory()) {
        if (!isOfJobs(status)) {
          enter(status.getPath(), open, paths);
        }
      } else if (status.isFile()) {
        visitor.visit((HdfsLocatedFileStatus) status, status.getPath().toUri().getPath());
      }
    }
    unreadable.note(
        notes, " could not be read, not counted: ", "; run as a user who may read them");
    gone.note(
        notes,
        " renamed or deleted while read, not or not completely counted: ",
        "; run again if they were renamed");
  }

  /** Returns whether a directory is that of the jobs of {@code convert}, which it skips. */
  private static boolean isOfJobs(LocatedFileStatus status) {
    return status.getPath().toUri().getPath().equals(JobDirectory.ROOT_DEFAULT);
  }

  private void enter(
      Path directory, Deque<RemoteIterator<LocatedFileStatus>> open, Deque<Path> paths)
      throws IOException {
    try {
      open.push(fs.listLocatedStatus(directory));
      paths.push(directory);
    } catch (AccessControlException e) {
      miss(directory, e);
    } catch (FileNotFoundException e) {
      if (directory.equals(root)) {
        throw e;
      }
      miss(directory, e);
    }
  }

  private void miss(Path directory, IOException cause) {
    (cause instanceof AccessControlException ? unreadable : gone).add(directory);
  }

  private void fill(PlannedFile file, HdfsLocatedFileStatus status, String path) {
    file.reset(path);
    file.blockSize = status.getBlockSize();
    file.replication = status.getReplication();
    file.owner = status.getOwner();
    file.modifiedMs = status.getModificationTime();
    file.storagePolicy = status.getStoragePolicy();
    file.coded = new Candidate(path, status).coded();
    LocatedBlocks located = status.getLocatedBlocks();
    file.isOpen = located.isUnderConstruction();
    file.isInSnapshot = snapshots.mayHold(path, status.getModificationTime());
    List<LocatedBlock> blocks = located.getLocatedBlocks();
    int[][] replicas = new int[blocks.size()][];
    for (LocatedBlock block : blocks) {
      replicas[file.blockCount] = cluster.numbers(block.getLocations());
      file.addBlock(block.getBlockSize());
    }
    file.replicas = replicas;
  }

  @Override
  public List<String> notes() {
    return notes;
  }

  /** Ignores directories that were gone: most of them were deleted, and belong to no plan. */
  @Override
  public boolean isComplete() {
    return unreadable.count == 0;
  }

  /** Returns whether a directory was renamed or deleted before all of its files were visited. */
  public boolean isAnyGone() {
    return gone.count > 0;
  }
}
