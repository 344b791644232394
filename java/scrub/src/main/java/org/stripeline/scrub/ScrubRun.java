// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.Reasons;
import org.stripeline.scrub.access.ClusterAccess;
import org.stripeline.scrub.access.HdfsGroup;
import org.stripeline.scrub.check.CheckSettings;
import org.stripeline.scrub.check.GroupCheck;
import org.stripeline.scrub.check.GroupResult;

/** Checks all files of a tree, those first that were modified longest ago. */
final class ScrubRun {
  /** Files that are held in memory, about 50 MB. */
  private static final int FILES_MAX = 200_000;

  /** Groups that were open for writing, which are held to be checked again at the end. */
  private static final int OPEN_MAX = 10_000;

  /** Bytes of a file whose locations are read at a time. */
  private static final long LISTED_BYTES = 64L << 30;

  private final DistributedFileSystem fs;
  private final ClusterAccess cluster;
  private final GroupWork work;
  private final int groupsAtOnce;
  private final ScrubObserver observer;
  private final ScrubTotals totals = new ScrubTotals();
  private final ExecutorService groupThreads;
  private final ExecutorService callThreads;
  private final Deque<Running> running = new ArrayDeque<>();
  private final Deque<Running> open = new ArrayDeque<>();
  private boolean isLastTry;

  /** What is done with each group. */
  interface GroupWork {
    /**
     * Checks a group.
     *
     * @param number the group's number in the file
     * @param calls run the calls to DataNodes
     */
    GroupResult run(String path, long number, HdfsGroup group, ExecutorService calls)
        throws IOException;
  }

  /** Returns checks with the same settings for all groups. */
  static GroupWork checks(CheckSettings settings) {
    return (path, number, group, calls) -> new GroupCheck(group, settings, calls).run();
  }

  /** A group that is being checked. */
  private static final class Running {
    final OldestFiles.Entry file;
    final long number;
    final LocatedBlock block;
    final Future<GroupResult> result;

    Running(OldestFiles.Entry file, long number, LocatedBlock block, Future<GroupResult> result) {
      this.file = file;
      this.number = number;
      this.block = block;
      this.result = result;
    }
  }

  ScrubRun(
      DistributedFileSystem fs,
      ClusterAccess cluster,
      GroupWork work,
      int groupsAtOnce,
      ScrubObserver observer) {
    this.fs = fs;
    this.cluster = cluster;
    this.work = work;
    this.groupsAtOnce = groupsAtOnce;
    this.observer = observer;
    groupThreads = Executors.newFixedThreadPool(groupsAtOnce, ScrubRun::thread);
    callThreads = Executors.newCachedThreadPool(ScrubRun::thread);
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "stripeline-scrub");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Checks the files that were last modified before a time.
   *
   * @param roots files and directories
   * @param modifiedMax the latest time of modification, in milliseconds
   * @throws IOException if a root cannot be listed, or the thread is interrupted
   */
  ScrubTotals run(List<Path> roots, long modifiedMax) throws IOException {
    try {
      OldestFiles.Entry after = null;
      boolean hasMore = true;
      while (hasMore) {
        OldestFiles files = new OldestFiles(FILES_MAX, after);
        for (Path root : roots) {
          if (after == null || fs.exists(root)) {
            list(fs.getFileStatus(root), modifiedMax, files, after == null);
          }
        }
        if (after == null) {
          observer.listed(files.files(), files.bytes());
        }
        hasMore = files.hasMore();
        for (OldestFiles.Entry file : files.inOrder()) {
          check(file);
          after = file;
        }
      }
      finishAll();
      isLastTry = true;
      for (Running group : open) {
        begin(group.file, group.number, group.block);
      }
      finishAll();
      return totals();
    } finally {
      groupThreads.shutdownNow();
      callThreads.shutdownNow();
    }
  }

  /** Returns the sums so far; any thread may ask for them. */
  ScrubTotals totals() {
    ScrubTotals now = totals.copy();
    now.windowsByAgents = cluster.windowsByAgents();
    now.windowsByClient = cluster.windowsByClient();
    return now;
  }

  /** Lists a tree, without the locations of blocks. */
  private void list(FileStatus root, long modifiedMax, OldestFiles files, boolean isFirst)
      throws IOException {
    Deque<FileStatus> waiting = new ArrayDeque<>();
    waiting.push(root);
    while (!waiting.isEmpty()) {
      FileStatus next = waiting.pop();
      if (!next.isDirectory()) {
        offer(next, modifiedMax, files);
        continue;
      }
      try {
        RemoteIterator<FileStatus> entries = fs.listStatusIterator(next.getPath());
        while (entries.hasNext()) {
          FileStatus entry = entries.next();
          if (entry.isDirectory()) {
            waiting.push(entry);
          } else {
            offer(entry, modifiedMax, files);
          }
        }
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
        // A directory that was deleted meanwhile has nothing to check.
        if (isFirst && !(e instanceof FileNotFoundException)) {
          totals.addUnread();
          observer.unread(next.getPath().toUri().getPath(), Reasons.of(e));
        }
      }
    }
  }

  private static void offer(FileStatus file, long modifiedMax, OldestFiles files) {
    if (file.isFile() && file.getModificationTime() <= modifiedMax) {
      files.offer(
          new OldestFiles.Entry(
              file.getPath().toUri().getPath(),
              ((HdfsFileStatus) file).getFileId(),
              file.getModificationTime(),
              file.getLen(),
              file.getReplication()));
    }
  }

  private void check(OldestFiles.Entry file) throws IOException {
    long offset = 0;
    long number = 0;
    while (true) {
      LocatedBlocks blocks;
      try {
        blocks = fs.getClient().getLocatedBlocks(InodePath.of(file.fileId), offset, LISTED_BYTES);
      } catch (FileNotFoundException e) {
        totals.addFileGone();
        return;
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
        totals.addUnread();
        observer.unread(file.path, Reasons.of(e));
        return;
      }
      long end = offset;
      if (blocks == null) {
        totals.addFileGone();
        return;
      }
      LocatedBlock last = blocks.isUnderConstruction() ? blocks.getLastLocatedBlock() : null;
      for (LocatedBlock block : blocks.getLocatedBlocks()) {
        // The first block of a part may be the last one of the part before it.
        if (block.getStartOffset() >= offset) {
          begin(file, number++, block);
          end = block.getStartOffset() + block.getBlockSize();
        }
        if (last != null && last.getBlock().getBlockId() == block.getBlock().getBlockId()) {
          last = null;
        }
      }
      if (end == offset || end >= blocks.getFileLength()) {
        if (last != null) {
          // The NameNode does not always list a block that is being written with the others.
          begin(file, number, last);
        }
        totals.addFile();
        return;
      }
      offset = end;
    }
  }

  private void begin(OldestFiles.Entry file, long number, LocatedBlock block) throws IOException {
    while (running.size() >= groupsAtOnce) {
      finish(running.remove());
    }
    HdfsGroup group = new HdfsGroup(cluster, file.path, file.fileId, file.replication, block);
    Future<GroupResult> result =
        groupThreads.submit(() -> work.run(file.path, number, group, callThreads));
    running.add(new Running(file, number, block, result));
  }

  private void finishAll() throws IOException {
    while (!running.isEmpty()) {
      finish(running.remove());
    }
  }

  private void finish(Running group) throws IOException {
    GroupResult result;
    try {
      result = group.result.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot continue the scrub: interrupted");
    } catch (ExecutionException e) {
      throw new IOException("Cannot check " + group.file.path + ": " + e.getCause(), e.getCause());
    }
    if (result.isOpen() && !isLastTry && open.size() < OPEN_MAX) {
      open.add(group);
      return;
    }
    totals.add(result);
    observer.checked(
        group.file.path,
        group.number,
        group.block.getBlock().getBlockName(),
        group.block.getBlockSize(),
        result);
  }
}
