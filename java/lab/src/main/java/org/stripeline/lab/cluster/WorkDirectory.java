// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;

/**
 * The directory of a demo or a benchmark, and all resources that must be released at its end: on
 * success, on failure and on interruption.
 */
public final class WorkDirectory implements AutoCloseable {

  /** What happens to the directory at the end. */
  public enum AtEnd {
    DELETE,
    KEEP
  }

  private static final String PREFIX = "stripeline-demo-";
  private static final String DATA = "data";
  private static final String CLUSTER = "cluster";

  /** Names the process of a temporary directory that is to be deleted at the end. */
  private static final String OWNER = "owner.json";

  /** The longest time that a cluster takes to start, or to fail. */
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(180);

  private final Path root;
  private final boolean created;
  private final AtEnd atEnd;
  private final Deque<AutoCloseable> resources = new ArrayDeque<>();
  private int starting;
  private final Thread hook;
  private volatile boolean interrupted;
  private boolean closed;

  private WorkDirectory(Path root, boolean created, AtEnd atEnd) {
    this.root = root;
    this.created = created;
    this.atEnd = atEnd;
    this.hook = new Thread(this::interrupt, "demo-clean-up");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Opens a directory given by the user, or a temporary one.
   *
   * @param wanted directory that is empty or does not exist, or null for a temporary one
   * @throws CommandException with the exit status of wrong usage, if there is a file or a directory
   *     that is not empty
   */
  public static WorkDirectory open(Path wanted, AtEnd atEnd) throws IOException {
    if (wanted == null) {
      return openTemporary(Paths.get(System.getProperty("java.io.tmpdir")), atEnd);
    }
    boolean exists = Files.exists(wanted);
    if (exists) {
      if (!Files.isDirectory(wanted)) {
        throw new CommandException(
            ExitStatus.USAGE, "Cannot use " + wanted + ": it is not a directory");
      }
      try (Stream<Path> entries = Files.list(wanted)) {
        if (entries.findAny().isPresent()) {
          throw new CommandException(
              ExitStatus.USAGE,
              "Cannot use " + wanted + ": it is not empty; name an empty or new directory");
        }
      }
    }
    Path root;
    try {
      root = Files.createDirectories(wanted).toRealPath();
    } catch (IOException e) {
      throw new IOException("Cannot use " + wanted + ": " + e, e);
    }
    return new WorkDirectory(root, !exists, atEnd);
  }

  /** Opens a temporary directory in a given parent directory. */
  public static WorkDirectory openTemporary(Path parent, AtEnd atEnd) throws IOException {
    removeAbandoned(parent);
    Path root = Files.createTempDirectory(parent, PREFIX);
    WorkDirectory place = new WorkDirectory(root, true, atEnd);
    if (atEnd == AtEnd.DELETE) {
      try {
        ClusterDirectory.write(root.resolve(OWNER), ProcessIdentity.current());
      } catch (IOException e) {
        place.close();
        throw e;
      }
    }
    return place;
  }

  /**
   * Removes this user's temporary directories whose process was killed, as by {@code kill -9}, and
   * whose cluster has ended.
   */
  public static void removeAbandoned(Path parent) {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, PREFIX + "*")) {
      for (Path root : found) {
        removeIfAbandoned(root);
      }
    } catch (IOException e) {
      System.err.println("Cannot look for directories of killed runs in " + parent + ": " + e);
    }
  }

  private static void removeIfAbandoned(Path root) {
    try {
      if (Files.isSymbolicLink(root)
          || !Files.getOwner(root).getName().equals(System.getProperty("user.name"))) {
        return;
      }
      ProcessIdentity owner = ClusterDirectory.read(root.resolve(OWNER), ProcessIdentity.class);
      if (owner == null
          || !owner.isVisible()
          || owner.isAlive()
          || ClusterProcess.find(root.resolve(CLUSTER)).isPresent()) {
        return;
      }
      delete(root, true);
      System.err.println("Removed " + root + ": the process that used it was killed");
    } catch (IOException e) {
      System.err.println("Cannot remove " + root + ": " + e);
    }
  }

  public Path data() {
    return root.resolve(DATA);
  }

  public Path cluster() {
    return root.resolve(CLUSTER);
  }

  /** Throws an exception if a run would fill the disk. */
  public void requireSpace(long bytes) throws IOException {
    FileStore store = Files.getFileStore(root);
    if (store.getUsableSpace() < bytes) {
      throw new IOException(
          String.format(
              "Cannot use %s: the run needs %d MiB there and %d MiB are free; choose another"
                  + " directory with --dir, or less data (see --help)",
              root, bytes >> 20, store.getUsableSpace() >> 20));
    }
  }

  /** Starts a resource. */
  public interface Starter<T> {
    /** Returns the started resource. */
    T start() throws IOException;
  }

  /**
   * Starts a resource that uses the directory, and adds it. A signal waits for the end of the
   * start, because the directory could not be deleted before.
   */
  public <T extends AutoCloseable> T start(Starter<T> starter) throws IOException {
    synchronized (this) {
      requireOpen();
      starting++;
    }
    try {
      return add(starter.start());
    } finally {
      synchronized (this) {
        starting--;
        notifyAll();
      }
    }
  }

  /** Adds a resource to close at the end; the last one added is closed first. */
  public synchronized <T extends AutoCloseable> T add(T resource) throws IOException {
    if (closed) {
      closeOne(resource);
    }
    requireOpen();
    resources.push(resource);
    return resource;
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("Cannot continue in " + root + ": interrupted");
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: the hook is running or has run, and clear() below waits for it.
    }
    clear();
  }

  /** Returns whether a signal is ending the process. */
  public boolean isInterrupted() {
    return interrupted;
  }

  private void interrupt() {
    interrupted = true;
    clear();
  }

  private synchronized void clear() {
    closed = true;
    while (!resources.isEmpty()) {
      closeOne(resources.pop());
    }
    awaitStarts();
    if (atEnd == AtEnd.DELETE) {
      try {
        delete(root, created);
      } catch (IOException e) {
        System.err.println("Cannot remove " + root + ": " + e);
      }
    }
  }

  /**
   * Deletes what a run has made. If others have added files, these stay, and so does the directory.
   * The name of the owner is deleted last: if something fails before, a later run tries again.
   */
  private static void delete(Path root, boolean isCreated) throws IOException {
    for (String own : new String[] {DATA, CLUSTER}) {
      Path directory = root.resolve(own);
      if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
        ReplicaFiles.wipe(directory);
        Files.deleteIfExists(directory);
      }
    }
    Files.deleteIfExists(root.resolve(OWNER));
    if (isCreated) {
      try {
        Files.deleteIfExists(root);
      } catch (DirectoryNotEmptyException e) {
        System.err.println("Left " + root + ": it has files that are not of this run");
      }
    }
  }

  private synchronized void awaitStarts() {
    long limit = Ticker.SYSTEM.nanos() + START_NANOS;
    try {
      for (long left = START_NANOS; starting > 0 && left > 0; ) {
        wait(1 + TimeUnit.NANOSECONDS.toMillis(left));
        left = limit - Ticker.SYSTEM.nanos();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void closeOne(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      System.err.println("Cannot close " + resource + ": " + e);
    }
  }
}
