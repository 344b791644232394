// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
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
import org.stripeline.scrub.check.GroupLocations;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.ledger.FileCoverage;
import org.stripeline.scrub.ledger.GroupRecord;
import org.stripeline.scrub.ledger.Ledger;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.DaemonThreads;
import org.stripeline.terminal.ExitStatus;

/** Checks all files of trees in the order of {@link OldestFiles}, and records it in a ledger. */
final class ScrubRun {
  /** Time by which the clock of the NameNode may be behind. */
  private static final long CLOCKS_MS = 60_000;

  /** Groups that were open for writing, which are held to be checked again at the end. */
  private static final int OPEN_MAX = 10_000;

  /** Bytes of a file whose locations are read at a time. */
  private static final long LISTED_BYTES = 64L << 30;

  private final DistributedFileSystem fs;
  private final ClusterAccess cluster;
  private final GroupWork work;
  private final int groupsAtOnce;
  private final Ledger ledger;
  private final Selection selection;
  private final ScrubObserver observer;
  private final ScrubTotals totals = new ScrubTotals();
  private final ExecutorService groupThreads;
  private final ExecutorService callThreads;

  /** Groups whose work has ended, in this order: one that takes long holds back no others. */
  private final CompletionService<GroupResult> ended;

  private final Map<Future<GroupResult>, Running> running = new HashMap<>();
  private final Deque<Running> open = new ArrayDeque<>();
  private final Set<String> unread = new HashSet<>();
  private final long startMs;
  private boolean isLastTry;

  /** Files that are held in memory, about 50 MB; tests hold fewer. */
  int filesMax = 200_000;

  /** What is done with each group. */
  interface GroupWork {
    /**
     * Checks a group.
     *
     * @param number the group's number in the file
     * @param calls run the calls to DataNodes
     * @param records take results before the last one, which the run records itself
     */
    GroupResult run(
        String path, long number, HdfsGroup group, ExecutorService calls, Records records)
        throws IOException;
  }

  /** Records results of one group. */
  interface Records {
    /** Records a result; it is on disk when this returns. */
    void add(GroupResult result) throws IOException;
  }

  /** Returns checks with the same settings for all groups. */
  static GroupWork checks(CheckSettings settings) {
    return (path, number, group, calls, records) -> new GroupCheck(group, settings, calls).run();
  }

  /** A group that is being checked. */
  private static final class Running {
    final OldestFiles.Entry file;
    final long number;
    final LocatedBlock block;
    final HdfsGroup group;
    final long beganMs;

    Running(
        OldestFiles.Entry file, long number, LocatedBlock block, HdfsGroup group, long beganMs) {
      this.file = file;
      this.number = number;
      this.block = block;
      this.group = group;
      this.beganMs = beganMs;
    }
  }

  /**
   * Creates a scrub.
   *
   * @param ledger the ledger, in which nothing has changed yet
   */
  ScrubRun(
      DistributedFileSystem fs,
      ClusterAccess cluster,
      GroupWork work,
      int groupsAtOnce,
      Ledger ledger,
      Selection selection,
      ScrubObserver observer) {
    this.fs = fs;
    this.cluster = cluster;
    this.work = work;
    this.groupsAtOnce = groupsAtOnce;
    this.ledger = ledger;
    this.selection = selection;
    this.observer = observer;
    startMs = selection.clock.getAsLong();
    groupThreads =
        Executors.newFixedThreadPool(groupsAtOnce, DaemonThreads.named("stripeline-scrub"));
    callThreads = Executors.newCachedThreadPool(DaemonThreads.named("stripeline-scrub"));
    ended = new ExecutorCompletionService<>(groupThreads);
  }

  /**
   * Checks files and prints the sums, also if the ledger or the NameNode fails on the way.
   *
   * @param verb what the command does, for messages
   * @return the exit status
   * @throws CommandException with the exit status if something was checked before a failure
   * @throws IOException as {@link #run}, if nothing was checked
   */
  int runToEnd(List<Path> roots, ScrubOutput output, String verb) throws IOException {
    boolean isWhole = false;
    try {
      run(roots);
      isWhole = true;
      ledger.close();
    } catch (IOException | RuntimeException e) {
      try {
        ledger.close();
      } catch (IOException again) {
        e.addSuppressed(again);
      }
      ScrubTotals part = totals();
      if (part.groups == 0) {
        throw e;
      }
      part.interrupted = !isWhole;
      output.totals(part);
      int status = ExitStatus.worse(part.exitStatus(), ExitStatus.UNCHECKED);
      throw new CommandException(status, Reasons.cannot(verb, e));
    }
    ScrubTotals whole = totals();
    output.totals(whole);
    return whole.exitStatus();
  }

  /**
   * Checks files.
   *
   * @param roots files and directories
   * @throws IOException if a root cannot be listed, the ledger cannot be written, or the thread is
   *     interrupted
   */
  ScrubTotals run(List<Path> roots) throws IOException {
    try {
      List<FileStatus> trees = TreeListing.find(fs, roots);
      OldestFiles.Entry after = null;
      boolean hasMore = true;
      while (hasMore) {
        OldestFiles files = new OldestFiles(filesMax, after);
        boolean isFirst = after == null;
        new TreeListing(fs, selection.leftOut, visitor(files, isFirst)).list(trees);
        if (isFirst) {
          begin(roots);
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
    now.recorded = ledger.isRecording();
    now.windowsByAgents = cluster.windowsByAgents();
    now.windowsByClient = cluster.windowsByClient();
    return now;
  }

  private TreeListing.Visitor visitor(OldestFiles files, boolean isFirst) {
    return new TreeListing.Visitor() {
      @Override
      public void file(HdfsFileStatus file, String path) {
        offer(file, path, files, isFirst);
      }

      @Override
      public void unread(String path, String reason) {
        // Each listing looks for other files.
        if (unread.add(path)) {
          totals.addUnread();
          observer.unread(path, reason);
        }
      }
    };
  }

  private void offer(HdfsFileStatus file, String path, OldestFiles files, boolean isFirst) {
    ledger.table().markSeen(file.getFileId());
    if (file.getModificationTime() > selection.modifiedMax) {
      return;
    }
    FileCoverage coverage = coverage(file.getFileId(), file.getLen(), file.getModificationTime());
    if (coverage.isHealthy(selection.healthySince)) {
      if (isFirst) {
        totals.addFileLeftOut();
      }
      return;
    }
    // A file that was modified since keeps its place, which may be one of those that come later.
    boolean isModified = !isFirst && file.getModificationTime() > startMs - CLOCKS_MS;
    files.offer(
        new OldestFiles.Entry(
            path,
            file.getFileId(),
            file.getModificationTime(),
            file.getLen(),
            file.getReplication(),
            isModified ? coverage.triedEver() : coverage.tried()));
  }

  private FileCoverage coverage(long fileId, long length, long modifiedMs) {
    return new FileCoverage(
        ledger.table(), fileId, length, modifiedMs, selection.clock.getAsLong());
  }

  /** Begins to record. Only a listing of everything shows which files were deleted. */
  private void begin(List<Path> roots) throws IOException {
    boolean isAll = totals.pathsUnread == 0 && roots.stream().anyMatch(Path::isRoot);
    ledger.begin(
        (record, isSeen) ->
            isSeen
                || !isAll
                || (record.isDamaged && InodePath.status(fs.getClient(), record.fileId) != null));
  }

  private void check(OldestFiles.Entry file) throws IOException {
    long offset = 0;
    long number = 0;
    FileCoverage coverage = coverage(file.fileId, file.bytes, file.modified);
    Map<Long, GroupRecord> known = new HashMap<>();
    coverage.records().forEach(record -> known.put(record.blockId, record));
    while (true) {
      LocatedBlocks blocks;
      try {
        blocks = fs.getClient().getLocatedBlocks(InodePath.of(file.fileId), offset, LISTED_BYTES);
      } catch (FileNotFoundException e) {
        totals.addFileGone();
        removeAll(known);
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
        removeAll(known);
        return;
      }
      LocatedBlock last = blocks.isUnderConstruction() ? blocks.getLastLocatedBlock() : null;
      for (LocatedBlock block : blocks.getLocatedBlocks()) {
        // The first block of a part may be the last one of the part before it.
        if (block.getStartOffset() >= offset) {
          GroupRecord before = known.remove(block.getBlock().getBlockId());
          if (before != null
              && before.bytes == block.getBlockSize()
              && coverage.isHealthy(before, selection.healthySince)) {
            totals.addGroupLeftOut();
            observer.leftOut(before.bytes);
          } else {
            begin(file, number, block);
          }
          number++;
          end = block.getStartOffset() + block.getBlockSize();
        }
        if (last != null && last.getBlock().getBlockId() == block.getBlock().getBlockId()) {
          last = null;
        }
      }
      if (end == offset || end >= blocks.getFileLength()) {
        if (last != null) {
          // The NameNode does not always list a block that is being written with the others.
          known.remove(last.getBlock().getBlockId());
          begin(file, number, last);
        }
        removeAll(known);
        totals.addFile();
        return;
      }
      offset = end;
    }
  }

  /** Removes records of groups that a file has no more. */
  private void removeAll(Map<Long, GroupRecord> known) throws IOException {
    for (GroupRecord record : known.values()) {
      ledger.add(record.gone());
    }
  }

  private void begin(OldestFiles.Entry file, long number, LocatedBlock block) throws IOException {
    while (running.size() >= groupsAtOnce) {
      finishOne();
    }
    HdfsGroup group = new HdfsGroup(cluster, file.path, file.fileId, file.replication, block);
    Running one = new Running(file, number, block, group, selection.clock.getAsLong());
    Records records =
        result -> {
          try {
            ledger.addAndSync(record(one, result));
          } catch (IOException e) {
            tell(one, result);
            throw e;
          }
        };
    running.put(ended.submit(() -> work.run(file.path, number, group, callThreads, records)), one);
  }

  private void finishAll() throws IOException {
    while (!running.isEmpty()) {
      finishOne();
    }
  }

  /** Waits for the next group whose work ends. */
  private void finishOne() throws IOException {
    Future<GroupResult> done;
    try {
      done = ended.take();
    } catch (InterruptedException e) {
      throw interrupted();
    }
    Running group = running.remove(done);
    try {
      finish(group, done.get());
    } catch (InterruptedException e) {
      throw interrupted();
    } catch (ExecutionException e) {
      throw new IOException("Cannot check " + group.file.path + ": " + e.getCause(), e.getCause());
    }
  }

  private static IOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("Cannot continue the scrub: interrupted");
  }

  private void finish(Running group, GroupResult result) throws IOException {
    if (result.isOpen() && !isLastTry && open.size() < OPEN_MAX) {
      open.add(group);
      return;
    }
    try {
      ledger.add(record(group, result));
    } finally {
      // Damage is printed although it cannot be recorded.
      tell(group, result);
    }
  }

  private void tell(Running group, GroupResult result) {
    totals.add(result);
    observer.checked(
        group.file.path,
        group.number,
        group.block.getBlock().getBlockName(),
        group.block.getBlockSize(),
        result);
  }

  private static GroupRecord record(Running group, GroupResult result) {
    // What was checked may be longer than what was listed.
    GroupLocations checked = result.locations();
    GroupRecord record =
        GroupRecord.of(
            group.file.fileId,
            group.block.getBlock().getBlockId(),
            checked == null ? group.block.getBlockSize() : checked.bytes(),
            group.beganMs / 1000,
            result,
            group.group.isByClient());
    return result.isGone() ? record.gone() : record;
  }
}
