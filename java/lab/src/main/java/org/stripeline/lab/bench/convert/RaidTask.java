// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import com.google.gson.Gson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.apache.hadoop.net.NetUtils;
import org.stripeline.lab.bench.ProcessTime;

/**
 * A process on the host of a DataNode that encodes stripes, as the map tasks of HDFS-RAID do: reads
 * all data blocks at the same time, computes the parity with Hadoop's Java coder, and writes it to
 * HDFS.
 */
final class RaidTask {
  static final String READY = "ready";

  /** What is encoded at a time of each block. */
  private static final int CHUNK_BYTES = 1 << 20;

  private static final int WARM_UPS = 10;

  private final DistributedFileSystem fs;
  private final RawErasureEncoder encoder;
  private final byte[][] data;
  private final byte[][] parity;
  private final ExecutorService readers;

  private RaidTask(int dataBlocks, int parityBlocks) throws IOException {
    fs = (DistributedFileSystem) FileSystem.get(new HdfsConfiguration());
    encoder =
        new RSRawErasureCoderFactory()
            .createEncoder(new ErasureCoderOptions(dataBlocks, parityBlocks));
    data = new byte[dataBlocks][CHUNK_BYTES];
    parity = new byte[parityBlocks][CHUNK_BYTES];
    readers = Executors.newFixedThreadPool(dataBlocks);
  }

  /**
   * Encodes the stripes that it reads from its input, each as JSON in a line, and prints its
   * processor time after each, until its input ends. Runs with the numbers of data and parity
   * blocks.
   */
  public static void main(String[] arguments) throws IOException {
    RaidTask task = new RaidTask(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
    BlockingQueue<RaidStripe> stripes = new LinkedBlockingQueue<>();
    Thread worker = new Thread(() -> task.encodeAll(stripes), "encode");
    worker.setDaemon(true);
    worker.start();
    // Compiles the coder, which others have done in their first, uncounted round.
    for (int i = 0; i < WARM_UPS; i++) {
      task.encoder.encode(task.data, task.parity);
    }
    System.out.println(READY);
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        stripes.add(new Gson().fromJson(line, RaidStripe.class));
      }
    } finally {
      // The other end has all answers, or is gone.
      Runtime.getRuntime().halt(0);
    }
  }

  private void encodeAll(BlockingQueue<RaidStripe> stripes) {
    try {
      while (true) {
        encode(stripes.take());
        System.out.println(ProcessTime.ofSelf());
      }
    } catch (Throwable e) {
      // RaidNode expects a number here, and ends with this line as the reason.
      System.out.println(e);
      Runtime.getRuntime().halt(1);
    }
  }

  private void encode(RaidStripe stripe)
      throws IOException, InterruptedException, ExecutionException {
    List<FSDataInputStream> in = new ArrayList<>();
    List<FSDataOutputStream> out = new ArrayList<>();
    try {
      for (int i = 0; i < data.length; i++) {
        FSDataInputStream block = fs.open(new Path(stripe.source));
        in.add(block);
        block.seek(stripe.offset + i * stripe.blockBytes);
      }
      for (int i = 0; i < parity.length; i++) {
        out.add(create(stripe, i));
      }
      for (long done = 0; done < stripe.blockBytes; done += CHUNK_BYTES) {
        read(in);
        encoder.encode(data, parity);
        for (int i = 0; i < parity.length; i++) {
          out.get(i).write(parity[i]);
        }
      }
      for (FSDataOutputStream block : out) {
        block.close();
      }
    } finally {
      for (FSDataInputStream block : in) {
        block.close();
      }
    }
  }

  private FSDataOutputStream create(RaidStripe stripe, int number) throws IOException {
    InetSocketAddress node = NetUtils.createSocketAddr(stripe.parityNodes.get(number));
    return fs.create(
        new Path(stripe.parity(number)),
        FsPermission.getFileDefault(),
        false,
        CHUNK_BYTES,
        (short) 1,
        stripe.blockBytes,
        null,
        new InetSocketAddress[] {node});
  }

  private void read(List<FSDataInputStream> in) throws InterruptedException, ExecutionException {
    List<Future<?>> reads = new ArrayList<>();
    for (int i = 0; i < data.length; i++) {
      FSDataInputStream block = in.get(i);
      byte[] into = data[i];
      reads.add(
          readers.submit(
              () -> {
                block.readFully(into);
                return null;
              }));
    }
    for (Future<?> read : reads) {
      read.get();
    }
  }
}
