// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.stripeline.testkit.Conditions;
import org.stripeline.testkit.ForkedJvm;

/**
 * Writers of erasure-coded files, each with its own client, in one separate process. Each stops
 * before a step of its first sync, or after some records, until the process is told to go on.
 */
final class SyncWriters implements AutoCloseable {
  /** The place after the first sync and some records. */
  static final String AFTER = "AFTER";

  private static final int CELL = 64 << 10;

  /** Bytes of a file that is opened for appending. */
  static final int OLD = 3 * CELL + 5;

  /** Bytes that are written before the first sync. */
  static final int FIRST = 7 * CELL + 9;

  private static final int RECORD = 11;

  /** Bytes that are written before {@link #AFTER}. */
  static final int RECORDS = FIRST + 5 * RECORD;

  /** All bytes of a file. */
  static final int ALL = RECORDS + 5 * RECORD;

  /** What the stops of files begin with whose block groups end at a sync. */
  static final String LATE = "LATE";

  /** Where such files are synced; they are closed without further bytes. */
  private static final List<Integer> LATE_SYNCS =
      List.of(FIRST, FIRST + 3 * CELL + 9, FIRST + 3 * CELL + 20, FIRST + 30 * CELL);

  /** All bytes of such a file. */
  static final int LATE_ALL = LATE_SYNCS.get(LATE_SYNCS.size() - 1);

  /** The place after the second sync of such a file. */
  static final String LATE_AFTER = LATE + ".AFTER";

  /** Bytes of such a file that were acknowledged before it stops after its second sync. */
  static final int LATE_SECOND = LATE_SYNCS.get(1);

  /** Stands for a call at which a writer stops before it writes. */
  static final String OPENED = "opened";

  /** What the stops of files begin with that stop in close. */
  private static final String CLOSE = "CLOSE";

  private final Process process;
  private final List<String> said = new CopyOnWriteArrayList<>();
  private final Thread reader;

  private SyncWriters(Process process) {
    this.process = process;
    reader = new Thread(this::read, "what writers say");
    reader.start();
  }

  /** A file to write. */
  record Task(String path, String stop, boolean appends) {
    /** Returns whether the block groups of the file end at a sync. */
    boolean isLate() {
      return stop.startsWith(LATE);
    }

    boolean isClosing() {
      return stop.startsWith(CLOSE);
    }

    /** Returns how many bytes are synced before a file is closed that stops in close. */
    int synced() {
      return Integer.parseInt(stop.split("\\.")[1]);
    }

    /** Returns the number of bytes that the file has in the end. */
    int size() {
      if (isClosing()) {
        return Integer.parseInt(stop.split("\\.")[2]) + (appends ? OLD : 0);
      }
      return isLate() ? LATE_ALL : ALL;
    }

    /** Returns the call at which the writer stops. */
    private String place() {
      return isClosing() ? LATE + '.' + stop.split("\\.", 4)[3] : stop;
    }
  }

  /** Returns a place before or after a call to the NameNode that follows the first sync. */
  static String late(String method, int number, boolean isDone) {
    return LATE + '.' + method + '.' + number + '.' + isDone;
  }

  /**
   * Returns a place before or after a call to the NameNode of a file that is closed after its bytes
   * were written.
   */
  static String closing(int synced, int size, String method, int number, boolean isDone) {
    return CLOSE
        + '.'
        + synced
        + '.'
        + size
        + late(method, number, isDone).substring(LATE.length());
  }

  /** Starts a process that writes files. */
  static SyncWriters start(Configuration conf, Path folder, Collection<Task> tasks)
      throws IOException {
    Path site = Files.createTempFile(folder, "writers", ".xml");
    try (OutputStream out = Files.newOutputStream(site)) {
      conf.writeXml(out);
    }
    List<String> arguments = new ArrayList<>(List.of(site.toString()));
    for (Task task : tasks) {
      arguments.add(task.path + ' ' + task.stop + ' ' + task.appends);
    }
    ProcessBuilder builder =
        ForkedJvm.of(SyncWriters.class, arguments.toArray(new String[0])).builder();
    builder.redirectError(folder.resolve("writers.log").toFile());
    return new SyncWriters(builder.start());
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String line;
      while ((line = lines.readLine()) != null) {
        said.add(line);
      }
    } catch (IOException e) {
      said.add("LOST " + e);
    }
  }

  /** Waits until all writers have stopped. */
  SyncWriters awaitStopped(Collection<Task> tasks) {
    for (Task task : tasks) {
      await("STOPPED " + task.path);
    }
    return this;
  }

  /** Waits until all writers have ended. */
  void awaitEnded(Collection<Task> tasks) {
    for (Task task : tasks) {
      await("ENDED " + task.path);
    }
  }

  private void await(String line) {
    Conditions.await(
        line,
        () -> {
          if (!process.isAlive()) {
            throw new AssertionError("The writers died: " + said);
          }
          return said.contains(line);
        });
  }

  /** Returns how many bytes of a file were acknowledged last, or 0. */
  int acknowledged(String path) {
    String prefix = "ACKNOWLEDGED " + path + ' ';
    return said.stream()
        .filter(line -> line.startsWith(prefix))
        .mapToInt(line -> Integer.parseInt(line.substring(prefix.length())))
        .max()
        .orElse(0);
  }

  /** Returns what a writer said. */
  List<String> said(String path) {
    List<String> own = new ArrayList<>(said);
    own.removeIf(line -> !(line + ' ').contains(' ' + path + ' '));
    return own;
  }

  boolean isClosed(String path) {
    return said.contains("CLOSED " + path);
  }

  /** Lets all writers go on. */
  void goOn() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Sends a signal to the process. */
  void signal(String name) throws Exception {
    signal(process, name);
  }

  /** Sends a signal to a process. */
  static void signal(Process process, String name) throws Exception {
    Process kill =
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new AssertionError("Cannot send SIG" + name + " to process " + process.pid());
    }
  }

  /** Ends the process by SIGKILL. */
  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly().waitFor();
    reader.join();
  }

  /** Returns the bytes of a file. */
  static byte[] bytes(String path) {
    return WriteCluster.bytes(path.hashCode(), LATE_ALL);
  }

  public static void main(String[] arguments) throws IOException {
    Configuration conf = new Configuration();
    conf.addResource(new org.apache.hadoop.fs.Path(arguments[0]));
    CountDownLatch goesOn = new CountDownLatch(1);
    for (int i = 1; i < arguments.length; i++) {
      String[] parts = arguments[i].split(" ");
      Task task = new Task(parts[0], parts[1], Boolean.parseBoolean(parts[2]));
      new Thread(new Writer(conf, task, goesOn), parts[0]).start();
    }
    while (System.in.read() >= 0) {
      goesOn.countDown();
    }
    Runtime.getRuntime().halt(0);
  }

  /** Writes one file. */
  private static final class Writer implements Runnable {
    private final AtomicInteger calls = new AtomicInteger();

    /** Whether the writer is to stop at a call to the NameNode. */
    private volatile boolean isArmed;

    private final Configuration conf;
    private final Task task;
    private final CountDownLatch goesOn;
    private final byte[] all;
    private int taken;

    Writer(Configuration conf, Task task, CountDownLatch goesOn) {
      this.conf = conf;
      this.task = task;
      this.goesOn = goesOn;
      this.all = bytes(task.path);
    }

    private void say(String what, Object more) {
      String line = what + ' ' + task.path + (more == null ? "" : " " + more);
      synchronized (System.out) {
        System.out.println(line.replace('\n', ' '));
        System.out.flush();
      }
    }

    private void stop() throws IOException {
      say("STOPPED", null);
      try {
        goesOn.await();
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
    }

    @Override
    public void run() {
      try (DistributedFileSystem fs =
          (DistributedFileSystem) FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf)) {
        ((StripelineDFSClient) fs.getClient())
            .setSwitchListener(
                step -> {
                  if (step.name().equals(task.stop)) {
                    stop();
                  }
                });
        try (HungNameNode nameNode = new HungNameNode(fs)) {
          nameNode.fail(this::called);
          write(open(fs));
        }
      } catch (IOException | RuntimeException e) {
        say("LOST", e);
      }
      say("ENDED", null);
    }

    private void called(String method, boolean isDone) throws IOException {
      if (!isArmed || !task.place().startsWith(LATE + '.' + method + '.')) {
        return;
      }
      int number = isDone ? calls.get() : calls.incrementAndGet();
      if (task.place().equals(late(method, number, isDone))) {
        stop();
      }
    }

    private FSDataOutputStream open(DistributedFileSystem fs) throws IOException {
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(task.path);
      FSDataOutputStream out = fs.create(file);
      if (!task.appends) {
        return out;
      }
      out.write(all, 0, OLD);
      out.close();
      taken = OLD;
      say("ACKNOWLEDGED", OLD);
      return fs.append(file, EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK), 4096, null);
    }

    private void write(FSDataOutputStream out) {
      // A sync that failed is repeated: the stream has failed, or goes on.
      for (int attempt = 0;
          attempt < 2 && (taken < task.size() || !isArmed && task.isClosing());
          attempt++) {
        try {
          writeOn(out);
        } catch (IOException e) {
          say("FAILED", e);
        }
      }
      try {
        out.close();
        say("CLOSED", null);
        if (task.isClosing()) {
          say("ACKNOWLEDGED", taken);
        }
      } catch (IOException e) {
        say("UNCLOSED", e);
      }
    }

    private void writeAndSync(FSDataOutputStream out) throws IOException {
      int synced = task.synced();
      if (taken < synced) {
        out.write(all, taken, synced - taken);
        taken = synced;
        out.hsync();
        say("ACKNOWLEDGED", taken);
      }
      isArmed = true;
      if (task.place().equals(late(OPENED, 1, true))) {
        stop();
      }
      out.write(all, taken, task.size() - taken);
      taken = task.size();
    }

    private void writeLate(FSDataOutputStream out) throws IOException {
      for (int size : LATE_SYNCS) {
        if (taken < size) {
          out.write(all, taken, size - taken);
          taken = size;
        }
        out.hsync();
        say("ACKNOWLEDGED", taken);
        if (taken == LATE_SECOND && task.stop.equals(LATE_AFTER)) {
          stop();
        }
        isArmed = true;
      }
    }

    private void writeOn(FSDataOutputStream out) throws IOException {
      if (task.isClosing()) {
        writeAndSync(out);
        return;
      }
      if (task.isLate()) {
        writeLate(out);
        return;
      }
      if (taken < FIRST) {
        out.write(all, taken, FIRST - taken);
        taken = FIRST;
      }
      out.hsync();
      say("ACKNOWLEDGED", taken);
      while (taken < ALL) {
        if (taken == RECORDS && task.stop.equals(AFTER)) {
          stop();
        }
        out.write(all, taken, RECORD);
        taken += RECORD;
        out.hflush();
        say("ACKNOWLEDGED", taken);
      }
    }
  }
}
