// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.testkit.Conditions;

/** The main class of a JVM with a cluster and many streams over an engine with a device. */
final class EngineStreams {
  private static final int K = 3;
  private static final int M = 2;
  private static final int CELL = 64 << 10;
  private static final long LIMIT_MINUTES = 2;
  private static final String[] MODES = {"functional-partitioned", "non-blocking", "blocking"};

  private final WriteCluster cluster;
  private final int streams;
  private final org.apache.hadoop.fs.Path dir;
  private final Map<org.apache.hadoop.fs.Path, byte[]> written =
      Collections.synchronizedMap(new TreeMap<>());
  private final List<Thread> threads = new ArrayList<>();

  private EngineStreams(WriteCluster cluster, int streams) throws IOException {
    this.cluster = cluster;
    this.streams = streams;
    this.dir = cluster.directory("rs", K, M, CELL);
  }

  /** Arguments: the cluster's folder, what to do, the number of streams, the file of the faults. */
  public static void main(String[] arguments) {
    int status = 1;
    try {
      run(arguments);
      status = 0;
    } catch (Exception | Error e) {
      e.printStackTrace(System.out);
    }
    System.out.flush();
    // Threads of the cluster may still be running.
    Runtime.getRuntime().halt(status);
  }

  private static void run(String[] arguments) throws Exception {
    WriteCluster cluster = new WriteCluster(Paths.get(arguments[0]), K + M, 4 * CELL, any -> {});
    EngineStreams all = new EngineStreams(cluster, Integer.parseInt(arguments[2]));
    // The first coder opens the engine and probes its rails.
    all.write(all.open(MODES[0]), "first", new Random(1), false);
    Path faults = Paths.get(arguments[3]);
    if (faults.getFileName().toString().equals("faults")) {
      Files.createFile(faults);
    }
    if (arguments[1].equals("exit")) {
      all.exit();
    }
    all.run();
    System.out.println("all right");
    printDevice();
  }

  private DistributedFileSystem open(String mode) throws IOException {
    return cluster.open(mode, conf -> conf.setBoolean(ClientKeys.READ_ENABLED, true));
  }

  private void run() throws Exception {
    DistributedFileSystem[] clients = new DistributedFileSystem[MODES.length];
    for (int i = 0; i < MODES.length; i++) {
      clients[i] = open(MODES[i]);
    }
    List<FutureTask<Void>> before = startWriters(clients, "before", streams, true);
    interruptSome();
    end(before);
    for (Map.Entry<org.apache.hadoop.fs.Path, byte[]> file : written.entrySet()) {
      checkParity(file.getKey(), file.getValue());
    }
    System.out.println(written.size() + " files have the right parity");
    Map<org.apache.hadoop.fs.Path, byte[]> whole = new TreeMap<>(written);
    List<FutureTask<Void>> during = startWriters(clients, "during", streams / 3, false);
    cluster.cluster.stopDataNode(0);
    List<FutureTask<Void>> readers = startReaders(clients, whole, 1);
    cluster.cluster.stopDataNode(0);
    readers.addAll(startReaders(clients, whole, 2));
    end(during);
    end(readers);
    for (Map.Entry<org.apache.hadoop.fs.Path, byte[]> file : written.entrySet()) {
      require(Arrays.equals(cluster.readByStock(file.getKey()), file.getValue()), file.getKey());
    }
    System.out.println(written.size() + " files are as Hadoop reads them without 2 DataNodes");
    for (DistributedFileSystem client : clients) {
      client.close();
    }
    Conditions.await("all buffers to be back", () -> ReadContext.usedBufferBytes() == 0);
  }

  private static void require(boolean isRight, Object what) {
    if (!isRight) {
      throw new AssertionError("wrong bytes: " + what);
    }
  }

  private List<FutureTask<Void>> startWriters(
      DistributedFileSystem[] clients, String name, int count, boolean mayEnd) {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      tasks.add(
          new FutureTask<>(
              () -> {
                Random random = new Random(number);
                write(clients[number % MODES.length], name + number, random, mayEnd);
                return null;
              }));
    }
    start(tasks);
    return tasks;
  }

  private void start(List<FutureTask<Void>> tasks) {
    for (FutureTask<Void> task : tasks) {
      Thread thread = new Thread(task, "stream " + threads.size());
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
  }

  private static void end(List<FutureTask<Void>> tasks) throws Exception {
    for (FutureTask<Void> task : tasks) {
      try {
        task.get(LIMIT_MINUTES, TimeUnit.MINUTES);
      } catch (java.util.concurrent.TimeoutException e) {
        Thread.getAllStackTraces()
            .forEach((thread, frames) -> System.out.println(thread + " " + Arrays.asList(frames)));
        throw e;
      }
    }
  }

  private void interruptSome() {
    for (int i = 0; i < threads.size(); i += 8) {
      threads.get(i).interrupt();
    }
  }

  /** Writes a file; if it may end, some are abandoned, or fail because of an interrupt. */
  private void write(DistributedFileSystem fs, String name, Random random, boolean mayEnd)
      throws IOException {
    byte[] data = WriteCluster.bytes(random.nextLong(), random.nextInt(40 * CELL));
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, name);
    int pause = random.nextInt(data.length + 1);
    try {
      FSDataOutputStream out = fs.create(file);
      WriteCluster.writeInPieces(out, Arrays.copyOf(data, pause), random);
      if (random.nextBoolean()) {
        out.hflush();
      } else if (random.nextBoolean()) {
        out.hsync();
      }
      WriteCluster.writeInPieces(out, Arrays.copyOfRange(data, pause, data.length), random);
      if (mayEnd && random.nextInt(8) == 0) {
        return;
      }
      out.close();
      written.put(file, data);
    } catch (IOException e) {
      if (!mayEnd || !isInterrupt(e)) {
        throw new IOException(name, e);
      }
    }
  }

  private static boolean isInterrupt(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof InterruptedException
          || cause instanceof java.io.InterruptedIOException
          || cause instanceof java.nio.channels.ClosedByInterruptException) {
        return true;
      }
    }
    return false;
  }

  private List<FutureTask<Void>> startReaders(
      DistributedFileSystem[] clients, Map<org.apache.hadoop.fs.Path, byte[]> files, long seed) {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (Map.Entry<org.apache.hadoop.fs.Path, byte[]> file : files.entrySet()) {
      Random random = new Random(seed + tasks.size());
      DistributedFileSystem client = clients[tasks.size() % MODES.length];
      tasks.add(
          new FutureTask<>(
              () -> {
                read(client, file.getKey(), file.getValue(), random);
                return null;
              }));
    }
    start(tasks);
    return tasks;
  }

  /** Reads a file by position, in parts after seeks, and whole; some streams are abandoned. */
  private static void read(
      DistributedFileSystem fs, org.apache.hadoop.fs.Path file, byte[] data, Random random)
      throws IOException {
    FSDataInputStream in = fs.open(file);
    for (int step = 0; step < 6 && data.length > 0; step++) {
      int from = random.nextInt(data.length);
      byte[] part = new byte[1 + random.nextInt(Math.min(data.length - from, 3 * CELL))];
      if (random.nextBoolean()) {
        in.readFully(from, part);
      } else {
        in.seek(from);
        in.readFully(part);
      }
      require(Arrays.equals(part, Arrays.copyOfRange(data, from, from + part.length)), file);
    }
    in.seek(0);
    byte[] all = new byte[data.length];
    in.readFully(all);
    require(Arrays.equals(all, data) && in.read() < 0, file);
    if (random.nextInt(4) > 0) {
      in.close();
    }
  }

  /** A DataNode that is busy may still replace the replica that it has reported. */
  private List<WriteCluster.Replica> replicas(org.apache.hadoop.fs.Path file) {
    AtomicReference<List<WriteCluster.Replica>> found = new AtomicReference<>();
    Conditions.await(
        "the replicas of " + file,
        () -> {
          try {
            found.set(cluster.replicas(file));
            return true;
          } catch (ReplicaNotFoundException e) {
            System.out.println(file + ": " + e.getMessage());
            return false;
          }
        });
    return found.get();
  }

  /** Compares the parity that is stored with that of Hadoop's encoder. */
  private void checkParity(org.apache.hadoop.fs.Path file, byte[] data) throws IOException {
    require(Arrays.equals(cluster.readByStock(file), data), file);
    if (cluster.cluster.getFileSystem().getErasureCodingPolicy(file) == null) {
      // A sync has made it a replicated file.
      return;
    }
    Configuration conf = new Configuration(cluster.conf());
    conf.set("io.erasurecode.codec.rs.rawcoders", "rs_java");
    RawErasureEncoder encoder =
        CodecUtil.createRawEncoder(conf, "rs", new ErasureCoderOptions(K, M));
    List<WriteCluster.Replica> units = replicas(file);
    long length = 0;
    for (int group = 0; group < units.size(); group += K + M) {
      int width = units.get(group + K).data.length;
      ByteBuffer[] inputs = new ByteBuffer[K];
      for (int unit = 0; unit < K; unit++) {
        inputs[unit] = ByteBuffer.wrap(Arrays.copyOf(units.get(group + unit).data, width));
        length += units.get(group + unit).data.length;
      }
      ByteBuffer[] parity = {ByteBuffer.allocate(width), ByteBuffer.allocate(width)};
      if (width > 0) {
        encoder.encode(inputs, parity);
      }
      for (int unit = 0; unit < M; unit++) {
        boolean isRight = Arrays.equals(parity[unit].array(), units.get(group + K + unit).data);
        require(isRight, "parity " + unit + " of group " + group / (K + M) + " of " + file);
      }
    }
    encoder.release();
    require(length == data.length, "length of " + file);
  }

  /** Exits while parity is computed; a hook closes the streams. */
  private void exit() throws IOException, InterruptedException {
    DistributedFileSystem fs = open(MODES[0]);
    List<FSDataOutputStream> open = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      open.add(fs.create(new org.apache.hadoop.fs.Path(dir, "exit" + i)));
    }
    CountDownLatch halfWay = new CountDownLatch(streams);
    for (FSDataOutputStream out : open) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  out.write(new byte[K * CELL]);
                  halfWay.countDown();
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      thread.setDaemon(true);
      thread.start();
    }
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  int closed = 0;
                  for (FSDataOutputStream out : open) {
                    try {
                      out.close();
                      closed++;
                    } catch (IOException e) {
                      e.printStackTrace(System.out);
                    }
                  }
                  System.out.println(closed + " of " + streams + " closed");
                  System.out.flush();
                }));
    halfWay.await();
    System.out.println("exits");
    System.exit(0);
  }

  private static void printDevice() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    for (ObjectName rail :
        server.queryNames(new ObjectName("Hadoop:service=Stripeline,name=Rail,*"), null)) {
      if (server.getAttribute(rail, "Rail").equals("plugin:test")) {
        System.out.printf(
            "device: pieces %s, faults %s, wrong %s, quarantines %s%n",
            server.getAttribute(rail, "Pieces"),
            server.getAttribute(rail, "Faults"),
            server.getAttribute(rail, "Wrong"),
            server.getAttribute(rail, "Quarantines"));
      }
    }
  }
}
